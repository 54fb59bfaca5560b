// SPDX-License-Identifier: BSD-3-Clause
// The answer of a run: values at its end with their uncertainty and range, and the times of events.

import { el } from './dom';
import { formatNumber, grouped } from './format';
import type { BandMeaning, Run, Series } from './model';

const rowsAtOnce = 8;
const timesAtOnce = 4;

interface AnswerRow {
  series: Series;
  end: number;
  low: number;
  high: number;
  uncertainty: number | null;
  swing: number | null; // half the width of the fast oscillation at the end
}

// The order in which readers look for quantities: first their measures, then energies, then positions.
const order = ['quantity', 'energy', 'coordinate', 'cycle', 'frequency', 'action'];
const asked = (s: Series): boolean => order.includes(s.group) && (s.group !== 'energy' || s.whole);

function lastFinite(values: Series['values']): number {
  for (let i = values.length - 1; i >= 0; --i) if (Number.isFinite(values[i])) return i;
  return -1;
}

function rowOf(run: Run, series: Series): AnswerRow | null {
  const last = lastFinite(series.values);
  if (last < 0) return null;
  let [low, high] = [Infinity, -Infinity];
  for (const value of series.values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const known = run.trust?.components.find((c) => c.name === series.name && Number.isFinite(c.deviation));
  const swing = series.band?.[last];
  return {
    series,
    end: series.offset + series.values[last],
    low: series.offset + low,
    high: series.offset + high,
    uncertainty: known ? known.deviation : null,
    swing: swing !== undefined && Number.isFinite(swing) ? swing : null,
  };
}

export function answerRows(run: Run): AnswerRow[] {
  const rows = run.series.filter(asked).map((s) => rowOf(run, s)).filter((r): r is AnswerRow => r !== null);
  return rows.sort((a, b) => order.indexOf(a.series.group) - order.indexOf(b.series.group));
}

// As many digits as are correct, but not more than the data of the page contain.
function digitsOf(row: AnswerRow): number {
  if (!row.uncertainty || row.end === 0) return 6;
  return Math.min(7, Math.max(2, Math.ceil(Math.log10(Math.abs(row.end) / row.uncertainty)) + 1));
}

const swingHeads: Record<BandMeaning, string> = { oscillation: 'Fast oscillation', bound: 'Bound', estimate: 'Estimated error' };

function tableOf(run: Run, rows: AnswerRow[]): HTMLElement {
  const checked = rows.some((r) => r.uncertainty !== null);
  const swings = rows.some((r) => r.swing !== null);
  const end = run.time.length > 0 ? `At ${run.timeName} = ${formatNumber(run.time[run.time.length - 1])}${run.timeUnit ? ' ' + run.timeUnit : ''}` : 'At the end';
  const meaning = rows.find((r) => r.swing !== null)?.series.bandOf ?? 'oscillation';
  const heads = [end, checked ? 'Error found' : '', swings ? swingHeads[meaning] : '', 'Lowest', 'Highest'].filter(Boolean);
  const cell = (value: number | null, digits = 4, sign = ''): HTMLElement =>
    el('td', { class: 'number' }, value === null ? '' : sign + formatNumber(value, digits));
  return el(
    'table',
    { class: 'data answer-table' },
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Quantity'), ...heads.map((h) => el('th', { scope: 'col', class: 'number' }, h)))),
    el(
      'tbody',
      {},
      ...rows.map((row) =>
        el(
          'tr',
          {},
          el('th', { scope: 'row' }, row.series.name, row.series.unit ? el('span', { class: 'unit' }, ` ${row.series.unit}`) : null),
          el('td', { class: 'number answer-value' }, formatNumber(row.end, digitsOf(row))),
          checked ? cell(row.uncertainty, 2) : null,
          swings ? cell(row.swing, 2, '\u00b1 ') : null,
          cell(row.low),
          cell(row.high),
        ),
      ),
    ),
  );
}

function eventLines(run: Run): HTMLElement | null {
  if (run.events.length === 0) return null;
  const times = new Map<string, number[]>();
  for (const e of run.events) times.set(e.name, [...(times.get(e.name) ?? []), e.t]);
  const lines = [...times].map(([name, at]) => {
    const first = at.slice(0, timesAtOnce).map((t) => formatNumber(t)).join(', ');
    const more = at.length > timesAtOnce ? `, ... ${formatNumber(at[at.length - 1])} (${grouped(at.length)} times)` : '';
    return el('li', {}, el('strong', {}, name), ` at ${run.timeName} = ${first}${more}`);
  });
  return el('ul', { class: 'answer-events' }, ...lines);
}

export function answerCard(run: Run): HTMLElement | null {
  const rows = answerRows(run);
  const events = eventLines(run);
  if (rows.length === 0 && !events) return null;
  const scroll = (shown: AnswerRow[], label: string): HTMLElement =>
    el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': label }, tableOf(run, shown));
  const rest = rows.slice(rowsAtOnce);
  return el(
    'section',
    { class: 'card answer', 'aria-label': 'The answer' },
    run.question ? el('p', { class: 'kind' }, 'Asked') : null,
    run.question ? el('p', { class: 'question' }, run.question) : null,
    rows.length > 0 ? scroll(rows.slice(0, rowsAtOnce), 'Values') : null,
    rest.length > 0
      ? el('details', {}, el('summary', {}, `${grouped(rest.length)} more quantities`), scroll(rest, 'More quantities'))
      : null,
    events,
  );
}
