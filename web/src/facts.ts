// SPDX-License-Identifier: BSD-3-Clause
// The text about a run: what was solved and how, status, notices, settings, parameters, counters.

import { el, icon } from './dom';
import { formatNumber, humanise } from './format';
import type { Notice, Run, Severity, Table, Work } from './model';

export function statusBox(run: Run): HTMLElement {
  const { ok, code, message } = run.status;
  const said = humanise(code) || (ok ? 'finished' : 'failed');
  return el(
    'div',
    { class: `status ${ok ? 'ok' : 'bad'}`, role: ok ? null : 'alert' },
    icon(ok ? 'check' : 'cross'),
    el('div', {}, el('strong', {}, ok ? `Run ${said}` : `The run did not succeed: ${said}`), message ? el('p', {}, message) : null),
  );
}

function workLine(kind: string, work: Work): HTMLElement | null {
  if (!work.name && !work.title) return null;
  return el(
    'div',
    { class: 'work' },
    el('p', { class: 'kind' }, kind),
    el('p', { class: 'work-title' }, work.title || work.name, work.title && work.name ? el('code', {}, work.name) : null),
    work.delivers ? el('p', { class: 'work-more' }, `Delivers: ${work.delivers}`) : null,
    work.reference ? el('p', { class: 'work-more' }, work.reference) : null,
  );
}

export function workBox(run: Run): HTMLElement | null {
  const lines = [workLine('Problem', run.problem), workLine('Method', run.method)].filter(Boolean) as HTMLElement[];
  const facts = run.facts.filter((row) => row.length > 0);
  if (lines.length === 0 && facts.length === 0) return null;
  return el(
    'section',
    { class: 'card works', 'aria-label': 'Problem and method' },
    ...lines,
    facts.length > 0
      ? el('dl', { class: 'facts' }, ...facts.map(([name, value]) => el('div', {}, el('dt', {}, name ?? ''), el('dd', {}, value ?? ''))))
      : null,
  );
}

const severityIcon = { info: 'info', warning: 'alert', error: 'cross' };
const rank = { error: 0, warning: 1, info: 2 };
const shownAtOnce = 6;

function noticeItem(n: Notice, run: Run): HTMLElement {
  const unit = run.timeUnit ? ` ${run.timeUnit}` : '';
  const numbers = [
    n.value !== null ? `value ${formatNumber(n.value, 4)}` : '',
    n.threshold !== null ? `threshold ${formatNumber(n.threshold, 4)}` : '',
  ].filter(Boolean);
  return el(
    'li',
    { class: `notice ${n.severity}` },
    icon(severityIcon[n.severity]),
    el(
      'div',
      {},
      el('p', { class: 'notice-text' }, el('span', { class: 'severity' }, n.severity), n.text || humanise(n.code)),
      el(
        'p',
        { class: 'notice-data' },
        n.t !== null ? el('span', {}, `${run.timeName} = ${formatNumber(n.t)}${unit}`) : null,
        ...numbers.map((text) => el('span', {}, text)),
        n.code ? el('code', {}, n.code) : null,
      ),
    ),
  );
}

// Warnings are shown at the top of the page, other notices under a heading.
export function noticeList(run: Run, severities: Severity[]): HTMLElement | null {
  const told = run.notices.filter((n) => severities.includes(n.severity));
  if (told.length === 0) return null;
  const sorted = told.sort((a, b) => rank[a.severity] - rank[b.severity]);
  const items = sorted.map((n) => noticeItem(n, run));
  const rest = items.slice(shownAtOnce);
  const warns = severities.includes('warning');
  const title = warns ? 'Warnings' : 'Notices';
  return el(
    'section',
    { class: 'card', 'aria-label': title },
    el(warns ? 'h2' : 'h3', { class: 'minor' }, `${title} (${items.length})`),
    el('ul', { class: 'notices' }, ...items.slice(0, shownAtOnce)),
    rest.length > 0
      ? el('details', {}, el('summary', {}, `${rest.length} more`), el('ul', { class: 'notices' }, ...rest))
      : null,
  );
}

function pairTable(title: string, rows: string[][]): HTMLElement | null {
  const filled = rows.filter((row) => row.length > 0);
  if (filled.length === 0) return null;
  return el(
    'section',
    { class: 'card pairs', 'aria-label': title },
    el('h3', {}, title),
    el(
      'table',
      {},
      el(
        'tbody',
        {},
        ...filled.map(([name, value, unit, what]) =>
          el(
            'tr',
            {},
            el('th', { scope: 'row' }, name ?? '', what ? el('span', { class: 'what' }, what) : null),
            el('td', {}, value ?? '', unit ? el('span', { class: 'unit' }, ` ${unit}`) : null),
          ),
        ),
      ),
    ),
  );
}

export function definitions(run: Run): HTMLElement | null {
  const parts = [
    pairTable('Settings', run.settings),
    pairTable('Parameters', run.parameters),
    pairTable('Counters', run.counters),
  ].filter(Boolean) as HTMLElement[];
  return parts.length > 0 ? el('div', { class: 'columns' }, ...parts) : null;
}

const looksNumeric = (cell: string): boolean => /^[-+−]?[\d.]/.test(cell.trim());

export function tableCard(table: Table): HTMLElement {
  const marked = table.marks.some((m) => m === 'ok' || m === 'bad');
  const width = Math.max(table.columns.length, ...table.rows.map((r) => r.length), 0);
  const columns = Array.from({ length: width }, (_, i) => table.columns[i] ?? '');
  const numeric = columns.map((_, i) => table.rows.length > 0 && table.rows.every((r) => !r[i] || looksNumeric(r[i])));
  const mark = (m: string): HTMLElement =>
    el('td', { class: `mark ${m}` }, m === 'ok' || m === 'bad' ? icon(m === 'ok' ? 'check' : 'cross') : null, m ? el('span', { class: 'unseen' }, m) : null);
  return el(
    'section',
    { class: 'card', 'aria-label': table.title || 'Table' },
    table.title ? el('h3', {}, table.title) : null,
    table.rows.length === 0
      ? el('p', { class: 'plot-note' }, 'This table has no rows.')
      : el(
          'div',
          { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': `${table.title || 'Table'}, rows` },
          el(
            'table',
            { class: 'data' },
            el(
              'thead',
              {},
              el(
                'tr',
                {},
                marked ? el('th', { class: 'mark' }, el('span', { class: 'unseen' }, 'Mark')) : null,
                ...columns.map((c, i) => el('th', { scope: 'col', class: numeric[i] ? 'number' : '' }, c)),
              ),
            ),
            el(
              'tbody',
              {},
              ...table.rows.map((row, r) =>
                el(
                  'tr',
                  { class: table.marks[r] ?? '' },
                  marked ? mark(table.marks[r] ?? '') : null,
                  ...columns.map((_, i) => {
                    const link = i === 0 ? table.links[r] : '';
                    return el('td', { class: numeric[i] ? 'number' : '' }, link ? el('a', { href: link, title: 'The page of this run' }, row[i] ?? '') : (row[i] ?? ''));
                  }),
                ),
              ),
            ),
          ),
        ),
    table.note ? el('p', { class: 'plot-note' }, table.note) : null,
  );
}
