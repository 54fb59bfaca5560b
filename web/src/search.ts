// SPDX-License-Identifier: BSD-3-Clause
// Finds components that have no curve in the plots, and draws those that the reader chooses.

import { el } from './dom';
import { grouped } from './format';
import type { XLink } from './link';
import type { Other, Run } from './model';
import { PlotCard } from './plotcard';

const listed = 12; // number of names offered at once
const most = 8; // number of curves drawn at once

function curveOf(time: Float64Array, other: Other, colour: number) {
  const { name, unit, offset, values } = other;
  return { label: unit ? `${name} [${unit}]` : name, unit, x: time, y: values, offset, sorted: true, colour, visible: true };
}

// Names that begin with the typed words come before names that only contain them.
export function matches(others: Other[], words: string): Other[] {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return others;
  const found = others.filter((o) => o.name.toLowerCase().includes(wanted));
  const begins = (o: Other): number => (o.name.toLowerCase().startsWith(wanted) ? 0 : 1);
  return found.sort((a, b) => begins(a) - begins(b));
}

export function searchCard(run: Run, link: XLink): HTMLElement | null {
  const { time, series } = run.others;
  if (series.length === 0) return null;
  const chosen: Other[] = [];
  const box = el('input', { type: 'search', 'aria-label': 'Search for a component', placeholder: 'Name of a component' });
  const names = el('div', { class: 'found', role: 'group', 'aria-label': 'Components found' });
  const count = el('p', { class: 'plot-note', role: 'status' });
  const card = new PlotCard({
    id: `${run.id}-others`,
    title: 'Other components',
    kind: 'time',
    x: { label: run.timeName, unit: run.timeUnit, log: false },
    y: { label: 'value', unit: '', log: false },
    curves: [],
    link,
    wide: true,
    controls: el('div', { class: 'search' }, box, names, count),
    note: `${grouped(series.length)} components and quantities that move less, with ${grouped(time.length)} points each.`,
  });
  const choose = (other: Other): void => {
    const at = chosen.indexOf(other);
    if (at >= 0) chosen.splice(at, 1);
    else chosen.push(other);
    if (chosen.length > most) chosen.shift();
    card.setContent({ curves: chosen.map((o, i) => curveOf(time, o, i)) });
    offer();
  };
  const offer = (): void => {
    const found = matches(series, box.value);
    names.replaceChildren(
      ...found.slice(0, listed).map((other) =>
        el('button', { type: 'button', 'aria-pressed': String(chosen.includes(other)), click: () => choose(other) }, other.name),
      ),
    );
    count.textContent =
      found.length === 0
        ? 'No other component has such a name.'
        : `${grouped(found.length)} found${found.length > listed ? `, the first ${listed} are listed` : ''}. Choose up to ${most}.`;
  };
  box.addEventListener('input', offer);
  box.addEventListener('keydown', (event) => {
    const [first] = matches(series, box.value);
    if (event.key === 'Enter' && first && !chosen.includes(first)) choose(first);
  });
  choose(series[0]);
  return card.element;
}
