// SPDX-License-Identifier: BSD-3-Clause
// The translucent band around a curve. It covers the range of a fast oscillation that the curve leaves out.

import { lowerBound, sampleCount, type Curve } from './curve';
import { mapX, mapY, type Frame } from './draw';

export const bandOpacity = 0.25;
const farAway = 1e5; // further away canvas coordinates lose precision

interface Cut {
  x: number;
  high: number; // in pixels, so this is the smaller number
  low: number;
}

const between = (a: Cut, b: Cut, x: number): Cut => {
  const part = (x - a.x) / (b.x - a.x);
  return { x, high: a.high + part * (b.high - a.high), low: a.low + part * (b.low - a.low) };
};

// Traces only the part within the frame. If a pixel column contains many samples, they become one cut from their
// lowest to their highest value.
function trace(ctx: CanvasRenderingContext2D, cuts: Cut[], f: Frame): void {
  const [left, right] = [f.left - 2, f.left + f.width + 2];
  const inside: Cut[] = [];
  cuts.forEach((cut, i) => {
    const next = cuts[i + 1];
    if (cut.x >= left && cut.x <= right) {
      const last = inside[inside.length - 1];
      if (last && Math.floor(last.x) === Math.floor(cut.x)) {
        last.high = Math.min(last.high, cut.high);
        last.low = Math.max(last.low, cut.low);
      } else inside.push({ ...cut });
    }
    if (!next) return;
    for (const edge of [left, right]) if (cut.x < edge && next.x > edge) inside.push(between(cut, next, edge));
  });
  if (inside.length < 2) return;
  const clamped = (y: number): number => Math.min(farAway, Math.max(-farAway, y));
  inside.forEach((cut, i) => (i === 0 ? ctx.moveTo(cut.x, clamped(cut.high)) : ctx.lineTo(cut.x, clamped(cut.high))));
  for (const cut of inside.reverse()) ctx.lineTo(cut.x, clamped(cut.low));
  ctx.closePath();
}

export function drawBand(ctx: CanvasRenderingContext2D, c: Curve, f: Frame, colour: string): void {
  const { band } = c;
  if (!band || !c.sorted) return;
  const toX = mapX(f);
  const toY = mapY(f);
  const n = Math.min(sampleCount(c), band.length);
  const from = Math.max(0, lowerBound(c.x, f.x[0], n) - 1);
  const to = Math.min(n, lowerBound(c.x, f.x[1], n) + 2);
  const bottom = f.top + f.height + 20;
  let cuts: Cut[] = [];
  ctx.save();
  ctx.fillStyle = colour;
  ctx.globalAlpha = bandOpacity;
  ctx.beginPath();
  for (let i = from; i < to; ++i) {
    const middle = c.offset + c.y[i];
    const [x, high, low] = [toX(c.x[i]), toY(middle + band[i]), toY(middle - band[i])];
    if (Number.isFinite(x) && Number.isFinite(high)) {
      // On a logarithmic axis the lower end may be below zero.
      cuts.push({ x, high, low: Number.isFinite(low) ? low : bottom });
    } else {
      trace(ctx, cuts, f);
      cuts = [];
    }
  }
  trace(ctx, cuts, f);
  ctx.fill();
  ctx.restore();
}
