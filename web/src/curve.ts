// SPDX-License-Identifier: BSD-3-Clause
// A curve of a plot, with functions for its ranges and for finding samples.

import type { BandMeaning, Samples } from './model';

export interface Curve {
  label: string;
  unit: string;
  x: Samples;
  y: Samples;
  offset: number; // value = offset + y
  sorted: boolean; // x is increasing, so it can be searched by bisection
  colour: number; // index into the palette
  visible: boolean;
  band?: Samples | null; // half the width of a band around y
  bandOf?: BandMeaning;
  t?: Samples; // the time of a point, shown besides x and y
}

export type Range = [number, number];

export const sampleCount = (c: Curve): number => Math.min(c.x.length, c.y.length);

// First index with x[index] >= value.
export function lowerBound(x: Samples, value: number, n: number): number {
  let low = 0;
  let high = n;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (x[mid] < value) low = mid + 1;
    else high = mid;
  }
  return low;
}

export function nearestIndex(c: Curve, x: number): number {
  const n = sampleCount(c);
  if (n === 0) return -1;
  const i = Math.min(n - 1, lowerBound(c.x, x, n));
  return i > 0 && x - c.x[i - 1] <= c.x[i] - x ? i - 1 : i;
}

export interface Extent {
  min: number;
  max: number;
  dropped: number; // number of finite values that a logarithmic axis cannot show
  seen: number; // number of finite values
  decades: Map<number, number>; // how many values per power of ten, for logarithmic axes
}

export const emptyExtent = (): Extent => ({ min: Infinity, max: -Infinity, dropped: 0, seen: 0, decades: new Map() });

function include(extent: Extent, v: number, positiveOnly: boolean): void {
  if (!Number.isFinite(v)) return;
  ++extent.seen;
  if (positiveOnly && v <= 0) {
    ++extent.dropped;
    return;
  }
  if (v < extent.min) extent.min = v;
  if (v > extent.max) extent.max = v;
  if (positiveOnly) {
    const decade = Math.floor(Math.log10(v));
    extent.decades.set(decade, (extent.decades.get(decade) ?? 0) + 1);
  }
}

// On a logarithmic axis a few values at the level of rounding, such as a constraint that is exactly satisfied at the
// start, would push everything else to the upper end. Lifts the lower end above them and returns how many they are.
export function liftOutliers(extent: Extent): number {
  const total = extent.seen - extent.dropped;
  let below = 0;
  let previous = NaN;
  for (const decade of [...extent.decades.keys()].sort((a, b) => a - b)) {
    if (below > 0 && decade - previous > 3) {
      extent.min = 10 ** decade;
      return below;
    }
    below += extent.decades.get(decade) ?? 0;
    previous = decade;
    if (below > total * 0.005) return 0;
  }
  return 0;
}

export function extendByX(extent: Extent, c: Curve, log: boolean): void {
  const n = sampleCount(c);
  for (let i = 0; i < n; ++i) include(extent, c.x[i], log);
}

function extendByValues(extent: Extent, c: Curve, within: Range | null, log: boolean, shown: (i: number) => number): void {
  const n = sampleCount(c);
  const from = within && c.sorted ? lowerBound(c.x, within[0], n) : 0;
  const to = within && c.sorted ? lowerBound(c.x, within[1], n) : n;
  for (let i = from; i < to; ++i) include(extent, shown(i), log);
  if (!within || !c.sorted) return;
  // Includes the curve where it enters and leaves the window, since a deep zoom may contain no sample at all.
  for (const [i, edge] of [[from, within[0]], [to, within[1]]]) {
    if (i >= n) continue;
    if (i === 0) {
      if (c.x[0] <= within[1]) include(extent, shown(0), log);
      continue;
    }
    const part = (edge - c.x[i - 1]) / (c.x[i] - c.x[i - 1]);
    const [a, b] = [shown(i - 1), shown(i)];
    include(extent, log ? a * (b / a) ** part : a + part * (b - a), log);
  }
}

export function extendByY(extent: Extent, c: Curve, within: Range | null, log: boolean, magnitude: boolean): void {
  const value = (i: number): number => c.offset + c.y[i];
  extendByValues(extent, c, within, log, (i) => (log && magnitude ? Math.abs(value(i)) : value(i)));
  const { band } = c;
  if (!band || log) return; // parts of a band below zero do not count as values left out
  extendByValues(extent, c, within, log, (i) => value(i) + band[i]);
  extendByValues(extent, c, within, log, (i) => value(i) - band[i]);
}

// A range around an extent that can be drawn: never empty, and never so small that labels would need more than double
// precision.
export function padded(extent: Extent, log: boolean, margin: number): Range {
  const { min, max } = extent;
  if (!(max >= min)) return log ? [0.1, 10] : [-1, 1];
  if (log) {
    const ratio = max / min;
    if (ratio < 1.001) return [min / 2, max * 2];
    const factor = ratio ** margin;
    return [min / factor, max * factor];
  }
  const size = Math.max(Math.abs(min), Math.abs(max));
  const span = max - min;
  if (span <= size * 1e-14) {
    const half = size > 0 ? size * 0.1 : 1;
    return [min - half, max + half];
  }
  return widened([min - span * margin, max + span * margin]);
}

export function widened(range: Range): Range {
  const [min, max] = range;
  const least = Math.max(Math.abs(min), Math.abs(max)) * 1e-12 + 1e-290;
  if (max - min >= least) return range;
  const middle = (min + max) / 2;
  return [middle - least / 2, middle + least / 2];
}
