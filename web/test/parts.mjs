// SPDX-License-Identifier: BSD-3-Clause
// A moving picture and a heat map that several tests show.
import { f64 } from './data.mjs';

export const pictureFrames = 101;

// A point that moves from the left end to the right end between t = 0 and 10, and a bar of `bars` bodies.
export function movingBars({ bars = 1, more = {} } = {}) {
  const numbers = 2 + 4 * bars;
  const data = new Int16Array(pictureFrames * numbers);
  for (let f = 0; f < pictureFrames; ++f) {
    const x = Math.round(-16383 + (32766 * f) / (pictureFrames - 1));
    data.set([x, 0], f * numbers);
    for (let b = 0; b < bars; ++b) data.set([x, -9000, Math.round(0.5 * x), 9000], f * numbers + 2 + 4 * b);
  }
  return {
    t0: 0,
    t1: 10,
    frames: pictureFrames,
    numbers,
    equal: true,
    centre: [0, 0],
    half: [1, 0.6],
    shapes: [
      { kind: 'point', first: 0, points: 1, elements: 1, colour: '', trail: true },
      { kind: 'body', first: 2, points: 2, elements: bars, colour: 'orange', trail: false },
    ],
    data: Buffer.from(data.buffer).toString('base64'),
    ...more,
  };
}

// A point that is on the left in the first frame and on the right in the second.
export function swingingPoint(title, more = {}) {
  const data = Int16Array.from([-12000, 0, 12000, 0]);
  const picture = {
    t0: -1, t1: 1, frames: 2, numbers: 2, equal: true, note: '', centre: [0, 0], half: [1, 0.5],
    shapes: [{ kind: 'point', first: 0, points: 1, elements: 1, colour: '', trail: false }],
    data: Buffer.from(data.buffer).toString('base64'),
    ...more,
  };
  return { title, picture };
}

const [xs, ys] = [[1, 2, 3], [10, 100]];
const grid = xs.flatMap((x) => ys.map((y) => [x, y]));
const seriesOf = (label, z) => ({ label, x: f64(grid.map((p) => p[0])), y: f64(grid.map((p) => p[1])), z: f64(z) });
export const heatChart = () => ({
  title: 'r over a and b',
  note: '',
  x: { label: 'a', unit: '', log: false },
  y: { label: '<i>b</i>', unit: 'm', log: true },
  z: { label: 'r', unit: 's', log: false },
  style: 'heat',
  series: [seriesOf('at the end', grid.map(([x, y]) => x * y)), seriesOf('mean', [1, 2, NaN, 4, 5, 6])],
  marks: [],
});
