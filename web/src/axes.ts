// SPDX-License-Identifier: BSD-3-Clause
// Axes drawn by uPlot. It is only given the unit square and the positions and labels of the ticks. So it needs to know
// nothing about logarithmic axes and very deep zooms.

import uPlot from 'uplot';
import { colours } from './theme';

export interface TickMarks {
  at: number[]; // as fractions of the axis
  labels: string[];
}

const font = '11.5px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

export function unitChart(
  mount: HTMLElement,
  width: number,
  height: number,
  marks: (which: 'x' | 'y') => TickMarks,
  paint: (u: uPlot) => void,
): uPlot {
  const axis = (which: 'x' | 'y'): uPlot.Axis => ({
    scale: which,
    font,
    gap: 6,
    stroke: () => colours().text,
    grid: { stroke: () => colours().grid, width: 1 },
    ticks: { stroke: () => colours().axis, width: 1, size: 4 },
    border: { show: true, stroke: () => colours().axis, width: 1 },
    splits: () => marks(which).at,
    values: () => marks(which).labels,
    size: which === 'x' ? 30 : (_u, values) => 18 + 6.8 * Math.max(2, ...(values ?? []).map((v) => [...v].length)),
  });
  const unit = { auto: false, range: (): [number, number] => [0, 1] };
  return new uPlot(
    {
      width,
      height,
      // Half of the last label may extend beyond the axis.
      padding: [8, () => Math.max(12, 4 + 3.5 * (marks('x').labels.slice(-1)[0] ?? '').length), 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, ...unit }, y: unit },
      axes: [axis('x'), axis('y')],
      series: [{}, { scale: 'y', paths: () => null, points: { show: false } }],
      hooks: { draw: [paint] },
    },
    [[0, 1], [0, 1]],
    mount,
  );
}
