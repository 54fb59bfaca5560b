// SPDX-License-Identifier: BSD-3-Clause
// Dense curves: if there are many samples per pixel column, they are drawn as a filled band from their lowest to their
// highest value. It looks like the stroked line and takes a fraction of the time.

import type { Curve } from './curve';
import { lineWidth, type AxisMap, type Frame } from './draw';

interface Band {
  x: number[];
  low: number[];
  high: number[];
  samples: number;
  linked: boolean; // a line connects it with the samples before or after it
}

const emptyBand = (linked: boolean): Band => ({ x: [], low: [], high: [], samples: 0, linked });
const farAway = 1e5; // further away canvas coordinates lose precision

function tracePolygon(ctx: CanvasRenderingContext2D, band: Band, half: number): void {
  const n = band.x.length;
  if (n === 1) {
    ctx.rect(band.x[0] - half, band.low[0] - half, 2 * half, band.high[0] - band.low[0] + 2 * half);
    return;
  }
  ctx.moveTo(band.x[0], band.low[0] - half);
  for (let i = 1; i < n; ++i) ctx.lineTo(band.x[i], band.low[i] - half);
  for (let i = n - 1; i >= 0; --i) ctx.lineTo(band.x[i], band.high[i] + half);
  ctx.closePath();
}

export function fillEnvelope(
  ctx: CanvasRenderingContext2D,
  c: Curve,
  from: number,
  to: number,
  toX: AxisMap,
  toY: AxisMap,
  f: Frame,
  dots: [number, number][],
): void {
  const half = (lineWidth * f.ratio) / 2;
  const [top, bottom] = [f.top - 20, f.top + f.height + 20];
  const links = new Path2D();
  let band = emptyBand(false);
  let last = NaN;

  const flush = (linked: boolean): void => {
    if (band.samples > 1) tracePolygon(ctx, band, half);
    else if (band.samples === 1 && !band.linked && !linked) dots.push([band.x[0], band.low[0]]);
    band = emptyBand(linked);
  };

  ctx.beginPath();
  for (let i = from; i < to; ++i) {
    const exact = toY(c.offset + c.y[i]);
    if (!Number.isFinite(exact)) {
      flush(false);
      last = NaN;
      continue;
    }
    const y = Math.min(farAway, Math.max(-farAway, exact));
    const shown = Math.min(bottom, Math.max(top, y));
    const x = Math.floor(toX(c.x[i])) + 0.5;
    let k = band.x.length - 1;
    if (k >= 0 && x - band.x[k] > 1.5) {
      // After large steps samples may be sparse, and there the curve is a line again.
      links.moveTo(band.x[k], last);
      links.lineTo(x, y);
      flush(true);
      last = NaN;
      k = -1;
    }
    ++band.samples;
    if (k >= 0 && band.x[k] === x) {
      if (shown < band.low[k]) band.low[k] = shown;
      if (shown > band.high[k]) band.high[k] = shown;
    } else {
      // Including the last value of the column before joins neighbouring columns where the curve is steep.
      const joined = Number.isNaN(last) ? shown : Math.min(bottom, Math.max(top, last));
      band.x.push(x);
      band.low.push(Math.min(shown, joined));
      band.high.push(Math.max(shown, joined));
    }
    last = y;
  }
  flush(false);
  ctx.fill();
  ctx.lineWidth = 2 * half;
  ctx.stroke(links);
}
