// SPDX-License-Identifier: BSD-3-Clause
// Draws curves onto a canvas. uPlot draws the axes only, because each of our curves has its own x, gaps are NaN, and
// dense oscillations need an envelope of minimum and maximum for each pixel column.

import { fillEnvelope } from './envelope';
import { lowerBound, sampleCount, type Curve, type Range } from './curve';
import type { Mark } from './model';

export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
  x: Range;
  y: Range;
  logX: boolean;
  logY: boolean;
  magnitude: boolean; // a logarithmic y axis shows |y|
  ratio: number; // device pixels per CSS pixel
}

export interface Stroke {
  colour: string;
  dash: number[];
  style: 'line' | 'points' | 'both';
}

export type AxisMap = (v: number) => number;

export const lineWidth = 1.4; // CSS pixels

const log10 = Math.log10;

export function mapX(f: Frame): AxisMap {
  if (f.logX) {
    const low = log10(f.x[0]);
    const k = f.width / (log10(f.x[1]) - low);
    return (v) => (v > 0 ? f.left + (log10(v) - low) * k : NaN);
  }
  const k = f.width / (f.x[1] - f.x[0]);
  return (v) => f.left + (v - f.x[0]) * k;
}

export function mapY(f: Frame): AxisMap {
  const bottom = f.top + f.height;
  if (f.logY) {
    const low = log10(f.y[0]);
    const k = f.height / (log10(f.y[1]) - low);
    if (f.magnitude) return (v) => (v !== 0 ? bottom - (log10(Math.abs(v)) - low) * k : NaN);
    return (v) => (v > 0 ? bottom - (log10(v) - low) * k : NaN);
  }
  const k = f.height / (f.y[1] - f.y[0]);
  return (v) => bottom - (v - f.y[0]) * k;
}

// Canvas coordinates have single precision. Ends of a segment that are far away are cut off exactly (Liang-Barsky), so
// that deep zooms keep the true slope.
class Pen {
  private px = NaN;
  private py = NaN;
  private strokes = 0;
  private readonly x0: number;
  private readonly x1: number;
  private readonly y0: number;
  private readonly y1: number;

  constructor(
    private readonly ctx: CanvasRenderingContext2D,
    frame: Frame,
    private readonly dots: [number, number][],
  ) {
    const margin = 2000;
    this.x0 = frame.left - margin;
    this.x1 = frame.left + frame.width + margin;
    this.y0 = frame.top - margin;
    this.y1 = frame.top + frame.height + margin;
  }

  private inside(x: number, y: number): boolean {
    return x >= this.x0 && x <= this.x1 && y >= this.y0 && y <= this.y1;
  }

  to(x: number, y: number): void {
    if (Number.isNaN(this.px)) {
      if (this.inside(x, y)) this.ctx.moveTo(x, y);
    } else {
      this.segment(this.px, this.py, x, y);
    }
    ++this.strokes;
    this.px = x;
    this.py = y;
  }

  up(): void {
    if (this.strokes === 1) this.dots.push([this.px, this.py]);
    this.px = NaN;
    this.strokes = 0;
  }

  private segment(ax: number, ay: number, bx: number, by: number): void {
    const aIn = this.inside(ax, ay);
    const bIn = this.inside(bx, by);
    if (aIn && bIn) {
      this.ctx.lineTo(bx, by);
      return;
    }
    const dx = bx - ax;
    const dy = by - ay;
    let enter = 0;
    let leave = 1;
    for (const [p, q] of [[-dx, ax - this.x0], [dx, this.x1 - ax], [-dy, ay - this.y0], [dy, this.y1 - ay]]) {
      if (p === 0 && q < 0) return;
      if (p < 0) enter = Math.max(enter, q / p);
      else if (p > 0) leave = Math.min(leave, q / p);
    }
    if (enter > leave) return;
    if (!aIn) this.ctx.moveTo(ax + enter * dx, ay + enter * dy);
    this.ctx.lineTo(ax + leave * dx, ay + leave * dy);
  }
}

function tracePoints(pen: Pen, c: Curve, from: number, to: number, toX: AxisMap, toY: AxisMap): void {
  for (let i = from; i < to; ++i) {
    const x = toX(c.x[i]);
    const y = toY(c.offset + c.y[i]);
    if (Number.isFinite(x) && Number.isFinite(y)) pen.to(x, y);
    else pen.up();
  }
  pen.up();
}

export function drawCurve(ctx: CanvasRenderingContext2D, c: Curve, f: Frame, stroke: Stroke): void {
  const toX = mapX(f);
  const toY = mapY(f);
  const n = sampleCount(c);
  const from = c.sorted ? Math.max(0, lowerBound(c.x, f.x[0], n) - 1) : 0;
  const to = c.sorted ? Math.min(n, lowerBound(c.x, f.x[1], n) + 2) : n;
  const dots: [number, number][] = [];
  ctx.strokeStyle = ctx.fillStyle = stroke.colour;

  const dense = c.sorted && to - from > 3 * f.width;
  if (stroke.style !== 'points' && dense) {
    fillEnvelope(ctx, c, from, to, toX, toY, f, dots);
  } else if (stroke.style !== 'points') {
    ctx.lineWidth = lineWidth * f.ratio;
    ctx.lineJoin = 'round';
    ctx.setLineDash(stroke.dash.map((d) => d * f.ratio));
    ctx.beginPath();
    tracePoints(new Pen(ctx, f, dots), c, from, to, toX, toY);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  const sparse = c.sorted && (to - from) * 14 * f.ratio < f.width;
  if (stroke.style !== 'line' || sparse) {
    for (let i = from; i < to; ++i) dots.push([toX(c.x[i]), toY(c.offset + c.y[i])]);
  }
  if (dots.length === 0) return;
  const radius = (stroke.style === 'line' ? 2.2 : 3.2) * f.ratio;
  ctx.beginPath();
  for (const [x, y] of dots) {
    if (!(x > f.left - 9 && x < f.left + f.width + 9 && y > f.top - 9 && y < f.top + f.height + 9)) continue;
    ctx.moveTo(x + radius, y);
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
  }
  ctx.fill();
}

export function drawEvents(ctx: CanvasRenderingContext2D, times: number[], f: Frame, colour: string): void {
  const toX = mapX(f);
  ctx.strokeStyle = colour;
  ctx.lineWidth = f.ratio;
  ctx.setLineDash([3 * f.ratio, 3 * f.ratio]);
  ctx.beginPath();
  let previous = NaN;
  for (const t of times) {
    const x = Math.round(toX(t)) + 0.5;
    if (!(x >= f.left && x <= f.left + f.width) || x === previous) continue;
    previous = x;
    ctx.moveTo(x, f.top);
    ctx.lineTo(x, f.top + f.height);
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

// Labels that would overlap an earlier one are left out.
export function markLabels(marks: Mark[], f: Frame, widthOf: (label: string) => number): { x: number; label: string }[] {
  const toX = mapX(f);
  let free = -Infinity;
  return [...marks].sort((a, b) => a.x - b.x).flatMap((mark) => {
    const x = toX(mark.x);
    if (!(x >= f.left && x <= f.left + f.width)) return [];
    const label = x >= free && x + widthOf(mark.label) <= f.left + f.width ? mark.label : '';
    if (label) free = x + widthOf(label) + 8 * f.ratio;
    return [{ x, label }];
  });
}

export function drawMarks(ctx: CanvasRenderingContext2D, marks: Mark[], f: Frame, colour: string, ink: string): void {
  drawEvents(ctx, marks.map((m) => m.x), f, colour);
  ctx.fillStyle = ink;
  ctx.font = `${11 * f.ratio}px sans-serif`;
  for (const { x, label } of markLabels(marks, f, (text) => ctx.measureText(text).width)) ctx.fillText(label, x + 4 * f.ratio, f.top + 13 * f.ratio);
}

// Parts of the x axis that are marked from top to bottom. Even the narrowest ones remain visible.
export function drawSpans(ctx: CanvasRenderingContext2D, spans: Range[], f: Frame, colour: string): void {
  const toX = mapX(f);
  ctx.save();
  ctx.fillStyle = colour;
  ctx.globalAlpha = 0.16;
  for (const [from, to] of spans) {
    const [left, right] = [Math.max(f.left, toX(from)), Math.min(f.left + f.width, toX(to))];
    const least = 2 * f.ratio;
    if (right >= left) ctx.fillRect(right - left < least ? (left + right - least) / 2 : left, f.top, Math.max(least, right - left), f.height);
  }
  ctx.restore();
}
