// SPDX-License-Identifier: BSD-3-Clause
// The banner that says how far a run can be trusted, and how this is known.

import { el, icon } from './dom';
import { formatNumber, withUnit } from './format';
import type { Trust, TrustComponent, Verdict } from './model';

const words: Record<Verdict, { icon: string; label: string; headline: string }> = {
  green: { icon: 'check', label: 'Trustworthy', headline: 'The check found no reason for doubt.' },
  amber: { icon: 'alert', label: 'With care', headline: 'The check found deviations that deserve a look.' },
  red: { icon: 'cross', label: 'Do not trust', headline: 'The check found large deviations.' },
  none: { icon: 'question', label: 'Not checked', headline: 'The result of this run has not been checked.' },
};

export function verdictMark(verdict: Verdict, withLabel = true): HTMLElement {
  const word = words[verdict];
  return el(
    'span',
    { class: `verdict ${verdict}`, title: word.label },
    icon(word.icon),
    el('span', { class: withLabel ? '' : 'unseen' }, word.label),
  );
}

const smallest = -16;

function logBar(c: TrustComponent): HTMLElement {
  const decade = c.relative > 0 ? Math.log10(c.relative) : smallest;
  const share = Math.min(1, Math.max(0.01, (decade - smallest) / -smallest));
  const bar = el('span', { class: `logbar ${c.verdict}`, 'aria-hidden': 'true' }, el('span'));
  (bar.firstChild as HTMLElement).style.width = `${(100 * share).toFixed(1)}%`;
  return bar;
}

function componentTable(components: TrustComponent[]): HTMLElement {
  const barScale = el('span', { class: 'bar-scale' }, ...['10⁻¹⁶', '10⁻⁸', '1'].map((text) => el('span', {}, text)));
  const head = (content: HTMLElement | string, kind = ''): HTMLElement => el('th', { scope: 'col', class: kind }, content);
  const number = (value: number): HTMLElement => el('td', { class: 'number' }, formatNumber(value, 3));
  const row = (c: TrustComponent): HTMLElement =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, withUnit(c.name, c.unit)),
      number(c.relative),
      el('td', { class: 'bar' }, logBar(c)),
      el('td', {}, verdictMark(c.verdict)),
      number(c.deviation),
      number(c.scale),
    );
  return el(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Deviation per component' },
    el(
      'table',
      { class: 'trust-table' },
      el(
        'thead',
        {},
        el('tr', {}, head('Component'), head('Relative', 'number'), head(barScale), head('Verdict'), head('Deviation', 'number'), head('Scale', 'number')),
      ),
      el('tbody', {}, ...components.map(row)),
    ),
  );
}

export function trustBanner(trust: Trust | null): HTMLElement {
  const verdict = trust?.verdict ?? 'none';
  const word = words[verdict];
  const components = trust?.components ?? [];
  return el(
    'section',
    { class: `trust ${verdict}`, 'aria-label': 'Trust in the result' },
    el('div', { class: 'seal' }, icon(word.icon)),
    el(
      'div',
      { class: 'trust-body' },
      el('p', { class: 'trust-label' }, word.label),
      el('p', { class: 'trust-headline' }, trust?.headline || word.headline),
      trust?.how && !trust.headline.includes(trust.how) ? el('p', { class: 'trust-how' }, `How this is known: ${trust.how}`) : null,
      components.length > 0
        ? el('details', {}, el('summary', {}, `Deviation per component (${components.length})`), componentTable(components))
        : null,
    ),
  );
}
