// SPDX-License-Identifier: BSD-3-Clause
// The phase plane: any stored component plotted against any other, for one run or several.

import type { Curve } from './curve';
import { el } from './dom';
import { grouped } from './format';
import type { Phase, Run } from './model';
import { PlotCard } from './plotcard';

type RunWithPhase = Run & { phase: Phase };

function sharedNames(runs: RunWithPhase[]): string[] {
  return runs[0].phase.names.filter((name) => runs.every((run) => run.phase.names.includes(name)));
}

const titleOf = (xName: string, yName: string): string => `${yName} against ${xName}`;

function curvesFor(runs: RunWithPhase[], xName: string, yName: string): Curve[] {
  return runs.map(({ phase, label }, i) => {
    const column = (name: string): Float32Array => phase.columns[phase.names.indexOf(name)];
    return {
      label: runs.length > 1 ? label : 'trajectory',
      unit: '',
      x: column(xName),
      y: column(yName),
      offset: 0,
      sorted: false,
      colour: i,
      visible: true,
    };
  });
}

function moves(values: Float32Array): boolean {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return high - low > 1e-6 * Math.max(Math.abs(low), Math.abs(high)); // it changes by more than rounding
}

// The first two components that change. A constant component plotted against another one would show nothing.
function firstChoice(runs: RunWithPhase[], names: string[]): [number, number] {
  const moving = names.map((name, i) => (runs.some(({ phase }) => moves(phase.columns[phase.names.indexOf(name)])) ? i : -1)).filter((i) => i >= 0);
  const [x, y] = [moving[0] ?? 0, moving[1] ?? 1];
  return x === y ? [0, 1] : [x, y];
}

export function phaseCard(all: Run[], idStem: string): HTMLElement | null {
  const runs = all.filter((run): run is RunWithPhase => run.phase !== null);
  if (runs.length === 0) return null;
  const names = sharedNames(runs);
  if (names.length < 2) return null;
  const unitOf = (name: string): string => runs[0].phase.units[runs[0].phase.names.indexOf(name)];
  const axis = (name: string) => ({ label: name, unit: unitOf(name), log: false });

  const select = (label: string, start: number): [HTMLElement, HTMLSelectElement] => {
    const box = el('select', {}, ...names.map((name) => el('option', { value: name }, name)));
    box.selectedIndex = start;
    return [el('label', {}, el('span', {}, label), box), box];
  };
  const [xFirst, yFirst] = firstChoice(runs, names);
  const [xLabel, xBox] = select('Horizontal', xFirst);
  const [yLabel, yBox] = select('Vertical', yFirst);

  const points = runs.map((run) => grouped(run.phase.columns[0].length)).join(' + ');
  const card = new PlotCard({
    id: `${idStem}-phase`,
    title: titleOf(names[xFirst], names[yFirst]),
    kind: 'plane',
    x: axis(names[xFirst]),
    y: axis(names[yFirst]),
    curves: curvesFor(runs, names[xFirst], names[yFirst]),
    controls: el('div', { class: 'axis-choice' }, xLabel, yLabel),
    style: runs.some((run) => run.phase.style === 'points') ? 'points' : 'line',
    equalAspect: unitOf(names[xFirst]) === unitOf(names[yFirst]),
    note: `${points} points.`,
  });
  const change = (): void =>
    card.setContent({ title: titleOf(xBox.value, yBox.value), x: axis(xBox.value), y: axis(yBox.value), curves: curvesFor(runs, xBox.value, yBox.value) });
  xBox.addEventListener('change', change);
  yBox.addEventListener('change', change);
  return card.element;
}
