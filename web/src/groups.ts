// SPDX-License-Identifier: BSD-3-Clause
// Which series go into which chart.

import type { Curve } from './curve';
import { formatNumber, grouped } from './format';
import type { Run, Series } from './model';
import type { PlotSpec } from './plotcard';
import type { XLink } from './link';

const groupTitles: [string, string][] = [
  ['cycle', 'Cycles'],
  ['quantity', 'Quantities'],
  ['coordinate', 'Coordinates'],
  ['velocity', 'Velocities'],
  ['energy', 'Energy'],
  ['frequency', 'Fast frequencies'],
  ['action', 'Fast actions'],
  ['constraint', 'Constraint error'],
  ['multiplier', 'Multipliers'],
  ['step', 'Step size and error'],
  ['newton', 'Newton effort'],
  ['auxiliary', 'Auxiliary variables'],
];

const alwaysLog = new Set(['constraint', 'step']);
const signedError = new Set(['constraint']);
const shownAtFirst = 8;

export const groupTitle = (group: string): string =>
  groupTitles.find(([name]) => name === group)?.[1] ?? group.charAt(0).toUpperCase() + group.slice(1);

export function groupRank(group: string): number {
  const rank = groupTitles.findIndex(([name]) => name === group);
  return rank < 0 ? groupTitles.length : rank;
}

export const startsLog = (s: Series): boolean => s.log || alwaysLog.has(s.group);
export const showsMagnitude = (group: string): boolean => signedError.has(group);

export function curveOf(run: Run, s: Series, colour: number): Curve {
  return {
    label: s.name,
    unit: s.unit,
    x: run.time,
    y: s.values,
    offset: s.offset,
    sorted: true,
    colour,
    visible: true,
    band: s.band,
    bandOf: s.bandOf,
  };
}

// The offset cancels exactly. So drifts remain visible that are far smaller than the energy itself.
export function deviationFromStart(values: Series['values']): Float64Array {
  const start = values.find((v) => Number.isFinite(v)) ?? 0;
  return Float64Array.from(values, (v) => v - start);
}

function deviationSpec(run: Run, energies: Series[], base: Omit<PlotSpec, 'curves' | 'y' | 'title' | 'id'>): PlotSpec {
  const whole = energies.filter((s) => s.whole);
  const curves = energies.map((s, i) => ({
    ...curveOf(run, s, i),
    y: deviationFromStart(s.values),
    offset: 0,
    visible: whole.length === 0 || whole.includes(s),
  }));
  const main = energies.indexOf(whole[0] ?? energies[0]);
  const largest = curves[main].y.reduce((m, v) => (Math.abs(v) > m ? Math.abs(v) : m), 0);
  const start = energies[main].offset + (energies[main].values.find((v) => Number.isFinite(v)) ?? 0);
  const relative = start !== 0 ? `, ${formatNumber(largest / Math.abs(start), 3)} of its start value` : '';
  const unit = energies[main].unit;
  return {
    ...base,
    id: `${run.id}-energy-deviation-${unit}`,
    title: 'Energy, deviation from its start',
    y: { label: `${energies.length === 1 ? energies[0].name : 'E'} \u2212 start`, unit, log: false },
    curves,
    magnitude: true,
    note: `Largest deviation of ${energies[main].name}: ${formatNumber(largest, 3)}${unit ? ' ' + unit : ''}${relative}.`,
  };
}

// If energy is supplied or lost, the balance of the energy shows how good the run is; its deviation from the start
// does not.
function balanceSpec(run: Run, balance: Series, base: Omit<PlotSpec, 'curves' | 'y' | 'title' | 'id'>): PlotSpec {
  return {
    ...base,
    id: `${run.id}-energy-balance`,
    title: 'Balance of energy and work',
    y: { label: balance.name, unit: balance.unit, log: false },
    curves: [curveOf(run, balance, 0)],
    magnitude: true,
    note: 'Energy \u2212 start \u2212 work done + energy lost: zero up to errors.',
  };
}

function bandNote(series: Series[]): string {
  const banded = series.filter((s) => s.band);
  if (banded.length === 0) return '';
  let widest = 0;
  for (const { band } of banded) for (const width of band ?? []) if (width > widest) widest = width;
  const { bandOf, unit } = banded[0];
  const width = `${formatNumber(widest, 3)}${unit ? ' ' + unit : ''}`;
  return bandOf === 'oscillation' ? `Fast oscillation up to ${width} to either side.` : `Within ${width} of the whole structure (${bandOf}).`;
}

function decimationNote(run: Run): string {
  if (!run.decimation) return '';
  return `Drawn by ${grouped(run.decimation.kept)} of ${grouped(run.decimation.rows)} points: the lowest and the highest of each short stretch.`;
}

export function timeCharts(run: Run, link: XLink): PlotSpec[] {
  const parts = new Map<string, Series[]>();
  const ranked = [...run.series].sort((a, b) => groupRank(a.group) - groupRank(b.group));
  for (const s of ranked) {
    const key = JSON.stringify([s.group, s.unit, startsLog(s)]);
    parts.set(key, [...(parts.get(key) ?? []), s]);
  }
  const groupsSeen = new Map<string, number>();
  for (const [first] of parts.values()) groupsSeen.set(first.group, (groupsSeen.get(first.group) ?? 0) + 1);

  const base = {
    kind: 'time' as const,
    x: { label: run.timeName, unit: run.timeUnit, log: false },
    events: run.events.map((e) => e.t),
    link,
  };
  const specs: PlotSpec[] = [];
  for (const all of parts.values()) {
    const balance = all.find((s) => s.balance);
    const series = balance && all.length > 1 ? all.filter((s) => s !== balance) : all;
    const { group, unit } = series[0];
    const curves = series.map((s, i) => curveOf(run, s, i));
    if (curves.length > shownAtFirst) curves.forEach((c, i) => (c.visible = i < shownAtFirst));
    const several = (groupsSeen.get(group) ?? 1) > 1;
    const names = series.length <= 3 ? series.map((s) => s.name).join(', ') : unit;
    const heading = balance ? 'Energy and work' : groupTitle(group);
    const title = several && names ? `${heading}: ${names}` : heading;
    specs.push({
      ...base,
      id: `${run.id}-${group}-${specs.length}`,
      group,
      title,
      y: { label: series.length <= 4 ? series.map((s) => s.name).join(', ') : title, unit, log: startsLog(series[0]) },
      curves,
      magnitude: showsMagnitude(group),
      note: [
        bandNote(series),
        curves.length > shownAtFirst ? `The first ${shownAtFirst} of ${curves.length} are shown; choose others in the legend.` : '',
        decimationNote(run),
      ].filter(Boolean).join(' '),
    });
    if (balance) specs.push(balanceSpec(run, balance, base));
    else if (group === 'energy' && !run.random) specs.push(deviationSpec(run, series, base));
  }
  const shown = specs.filter((spec) => spec.group !== 'step' && spec.group !== 'newton').length;
  if (shown > 0 && shown % 2 === 1) specs[0].wide = true;
  return specs;
}
