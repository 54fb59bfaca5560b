// SPDX-License-Identifier: BSD-3-Clause
// Any cycle of an envelope, interpolated at equal phase between the neighbouring cycles that were computed.

import type { Range } from './curve';
import type { Cycles, Samples } from './model';

const cyclesOnASide = 2;
const sameNumber = 1e-6;

export interface CycleWindow {
  first: number; // number of the first cycle that is shown
  last: number;
  time: Float64Array;
  values: Float32Array[]; // one array for each series
  computed: Range[]; // the times of those cycles that were computed
  between: [number, number] | null; // the computed cycles next to the first one that was interpolated
  error: CycleError | null; // the error of the interpolated cycles
}

const firstBehind = (numbers: Float64Array, number: number): number => {
  const k = numbers.findIndex((n) => n >= number - sameNumber);
  return k < 0 ? numbers.length : k;
};

type Weights = { cycle: number; weight: number }[];

// The weights of Lagrange's polynomial through the values at these cycles.
function polynomial(numbers: Float64Array, nodes: number[], number: number): Weights {
  return nodes.map((j) => {
    let weight = 1;
    for (const k of nodes) if (k !== j) weight *= (number - numbers[k]) / (numbers[j] - numbers[k]);
    return { cycle: j, weight };
  });
}

const indices = (from: number, to: number, count: number): number[] =>
  Array.from({ length: Math.max(0, Math.min(to, count) - Math.max(from, 0)) }, (_, i) => Math.max(from, 0) + i);

function weightsFor({ numbers }: Cycles, number: number): Weights {
  const behind = firstBehind(numbers, number);
  if (behind < numbers.length && Math.abs(numbers[behind] - number) < sameNumber) return [{ cycle: behind, weight: 1 }];
  return polynomial(numbers, indices(behind - cyclesOnASide, behind + cyclesOnASide, numbers.length), number);
}

const mixed = (weights: Weights, values: Samples, stride = 1, at = 0): number =>
  weights.reduce((sum, { cycle, weight }) => sum + weight * values[cycle * stride + at], 0);

function rangeOf(values: Samples): number {
  let [low, high] = [Infinity, -Infinity];
  for (const v of values) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return high - low;
}

export interface CycleError {
  series: string;
  share: number; // as a part of the range of the series
}

// Estimates the error of interpolated cycles near this one. The nearest computed cycles are interpolated without using
// themselves, from neighbours that are farther apart than those of any cycle in between. The result is that of the
// series with the largest error.
export function errorNear(c: Cycles, number: number): CycleError {
  const behind = firstBehind(c.numbers, number);
  const points = c.phases.length;
  const worst: CycleError = { series: '', share: 0 };
  for (const left of [behind - 1, behind]) {
    if (left < 1 || left > c.numbers.length - 2) continue;
    const nodes = indices(left - cyclesOnASide, left + cyclesOnASide + 1, c.numbers.length).filter((k) => k !== left);
    const weights = polynomial(c.numbers, nodes, c.numbers[left]);
    for (const { name, values } of c.series) {
      const range = rangeOf(values);
      if (!(range > 0)) continue;
      for (let p = 0; p < points; ++p) {
        const share = Math.abs(mixed(weights, values, points, p) - values[left * points + p]) / range;
        if (share > worst.share) Object.assign(worst, { series: name, share });
      }
    }
  }
  return worst;
}

export const startOf = (c: Cycles, number: number): number => mixed(weightsFor(c, number), c.starts);

// The last computed cycle begins where the run ends; it is used for interpolation only.
export const lastCycle = (c: Cycles): number => c.numbers[c.numbers.length - 1] - 1;

// The number of the cycle that contains t.
export function cycleAt(c: Cycles, t: number): number {
  const last = c.numbers.length - 1;
  if (t <= c.starts[0]) return c.numbers[0];
  if (t >= c.starts[last]) return lastCycle(c);
  let k = 0;
  while (c.starts[k + 1] <= t) ++k;
  const part = (t - c.starts[k]) / (c.starts[k + 1] - c.starts[k]);
  return Math.floor(c.numbers[k] + part * (c.numbers[k + 1] - c.numbers[k]) + sameNumber);
}

// A window of `count` cycles with the given one in the middle, as far as there are so many.
export function windowAround(c: Cycles, middle: number, count: number): CycleWindow {
  const lowest = c.numbers[0];
  const highest = lastCycle(c);
  const first = Math.max(lowest, Math.min(middle - Math.floor(count / 2), highest - count + 1));
  const last = Math.min(highest, first + count - 1);
  const points = c.phases.length;
  const shown = last - first + 1;
  const time = new Float64Array(shown * points);
  const values = c.series.map(() => new Float32Array(shown * points));
  const window: CycleWindow = { first, last, time, values, computed: [], between: null, error: null };
  for (let i = 0; i < shown; ++i) {
    const weights = weightsFor(c, first + i);
    const start = mixed(weights, c.starts);
    const period = mixed(weights, c.periods);
    for (let p = 0; p < points; ++p) time[i * points + p] = start + c.phases[p] * period;
    values.forEach((of, s) => {
      for (let p = 0; p < points; ++p) {
        of[i * points + p] = mixed(weights, c.series[s].values, points, p);
      }
    });
    if (weights.length === 1) window.computed.push([start, start + period]);
    else if (!window.between) {
      const behind = firstBehind(c.numbers, first + i);
      window.between = [c.numbers[behind - 1], c.numbers[behind]];
    }
    if (weights.length > 1) {
      const error = errorNear(c, first + i);
      if (!window.error || error.share > window.error.share) window.error = error;
    }
  }
  return window;
}
