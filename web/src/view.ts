// SPDX-License-Identifier: BSD-3-Clause
// The visible part of a plot: zoom, kinds of axes, and the ranges that follow from them.

import { emptyExtent, extendByX, extendByY, liftOutliers, padded, widened, type Curve, type Range } from './curve';
import type { FigureAxis } from './model';

export interface ViewSpec {
  kind: 'time' | 'plane';
  x: FigureAxis;
  y: FigureAxis;
  curves: Curve[];
  magnitude?: boolean; // for signed errors, of which a logarithmic axis shows the absolute values
}

export interface Ranges {
  x: Range;
  y: Range;
  message: string; // tells why there is nothing to see
  dropped: number; // number of values that a logarithmic axis cannot show
  below: number; // number of outliers below its lower end
}

const warp = (v: number, log: boolean): number => (log ? Math.log10(v) : v);
const unwarp = (v: number, log: boolean): number => (log ? 10 ** v : v);

// The value at a fraction of a range, along the axis as it is drawn.
export function at(range: Range, fraction: number, log: boolean): number {
  const low = warp(range[0], log);
  return unwarp(low + fraction * (warp(range[1], log) - low), log);
}

export function fractionOf(range: Range, value: number, log: boolean): number {
  const low = warp(range[0], log);
  return (warp(value, log) - low) / (warp(range[1], log) - low);
}

export class View {
  xZoom: Range | null = null;
  yZoom: Range | null = null;
  logX: boolean;
  logY: boolean;
  equalAspect = false;

  constructor(public spec: ViewSpec) {
    this.logX = spec.x.log;
    this.logY = spec.y.log;
  }

  get zoomed(): boolean {
    return this.xZoom !== null || this.yZoom !== null;
  }

  fullX(): Range {
    const plane = this.spec.kind === 'plane';
    const extent = emptyExtent();
    for (const c of this.spec.curves) if (c.visible || !plane) extendByX(extent, c, this.logX);
    return padded(extent, this.logX, plane ? 0.04 : 0);
  }

  private autoY(x: Range): Omit<Ranges, 'x'> {
    const shown = this.spec.curves.filter((c) => c.visible);
    const extent = emptyExtent();
    const magnitude = this.spec.magnitude === true;
    const window = this.spec.kind === 'time' && this.xZoom ? x : null;
    for (const c of shown) extendByY(extent, c, window, this.logY, magnitude);
    let message = '';
    if (this.spec.curves.length === 0) message = 'There are no data to draw.';
    else if (shown.length === 0) message = 'All curves are hidden. Choose some in the legend.';
    else if (extent.seen === 0) message = window ? 'There are no data in this interval.' : 'There are no finite values to draw.';
    else if (extent.max < extent.min) {
      message = magnitude
        ? 'All values are exactly zero, so a logarithmic axis has nothing to show.'
        : 'All values are zero or negative, so a logarithmic axis has nothing to show.';
    }
    const below = this.logY ? liftOutliers(extent) : 0;
    return { y: padded(extent, this.logY, 0.06), message, dropped: extent.dropped, below };
  }

  private hasPositiveX(): boolean {
    return this.spec.curves.some((c) => c.visible && c.x.some((v) => v > 0));
  }

  ranges(width: number, height: number): Ranges {
    const x = this.xZoom ?? this.fullX();
    const auto = this.autoY(x);
    if (this.logX && !auto.message && !this.hasPositiveX()) {
      auto.message = `All values of ${this.spec.x.label || 'x'} are zero or negative, so a logarithmic axis has nothing to show.`;
    }
    const ranges = { ...auto, x, y: this.yZoom ?? auto.y };
    if (this.equalAspect && !this.logX && !this.logY && width > 0 && height > 0) {
      const perPixel = Math.max((ranges.x[1] - ranges.x[0]) / width, (ranges.y[1] - ranges.y[0]) / height);
      ranges.x = grown(ranges.x, perPixel * width);
      ranges.y = grown(ranges.y, perPixel * height);
    }
    return ranges;
  }

  // A factor below one zooms in. The centre is given as a fraction of the axis.
  scaleX(current: Range, factor: number, centre: number, shift = 0): void {
    const full = this.fullX();
    this.xZoom = within(scaled(current, factor, centre, shift, this.logX), full, this.logX);
  }

  scaleY(current: Range, factor: number, centre: number, shift = 0): void {
    this.yZoom = scaled(current, factor, centre, shift, this.logY);
  }

  setZoom(x: Range | null, y: Range | null): void {
    if (x) this.xZoom = this.logX ? x : widened(x);
    if (y) this.yZoom = this.logY ? y : widened(y);
  }

  reset(): void {
    this.xZoom = this.yZoom = null;
  }
}

function grown(range: Range, span: number): Range {
  const middle = (range[0] + range[1]) / 2;
  return [middle - span / 2, middle + span / 2];
}

function scaled(range: Range, factor: number, centre: number, shift: number, log: boolean): Range {
  const low = at(range, centre * (1 - factor) + shift, log);
  const high = at(range, centre + (1 - centre) * factor + shift, log);
  return log ? [low, high] : widened([low, high]);
}

// Shifts a window back inside the full range. Returns null if it covers the full range.
function within(window: Range, full: Range, log: boolean): Range | null {
  let a = fractionOf(full, window[0], log);
  let b = fractionOf(full, window[1], log);
  const width = b - a;
  if (width >= 1 - 1e-9) return null;
  if (a < 0) [a, b] = [0, width];
  if (b > 1) [a, b] = [1 - width, 1];
  return [at(full, a, log), at(full, b, log)];
}
