// SPDX-License-Identifier: BSD-3-Clause
// A heat map: a value over two parameters as colours, with the numbers at the pointer.

import { el, freshId } from './dom';
import { formatNumber, withUnit } from './format';
import type { Figure, FigureAxis } from './model';
import { registerPlot, type LazyPlot } from './registry';
import { csvCell } from './save';
import { saveMenu } from './savemenu';
import { SvgPen, type Pen } from './svgpen';
import { colours } from './theme';

// Viridis (Smith and van der Walt). Its lightness increases evenly, so it can be read without distinguishing hues.
const stops = ['#440154', '#482878', '#3e4a89', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#b5de2b', '#fde725'];
const channels = stops.map((hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));

export function heatColour(share: number): string {
  const at = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(at));
  const mix = channels[i].map((c, k) => Math.round(c + (at - i) * (channels[i + 1][k] - c)));
  return `rgb(${mix.join(',')})`;
}

const distinct = (values: Float64Array): number[] => [...new Set(values)].filter(Number.isFinite).sort((a, b) => a - b);

// Cells extend half-way to their neighbours, measured along the axis as it is drawn.
export function cellEdges(values: number[], log: boolean): number[] {
  const at = values.map((v) => (log ? Math.log10(v) : v));
  if (at.length === 1) return [at[0] - 0.5, at[0] + 0.5];
  const middles = at.slice(1).map((v, i) => (v + at[i]) / 2);
  const last = at.length - 1;
  return [2 * at[0] - middles[0], ...middles, 2 * at[last] - middles[last - 1]];
}

const margin = { left: 64, right: 84, top: 26, bottom: 40 };

export class HeatCard implements LazyPlot {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', { role: 'img', tabindex: 0 });
  private readonly readout = el('p', { class: 'plot-note heat-value', 'aria-live': 'polite' });
  private readonly which: HTMLSelectElement;
  private readonly xs: number[];
  private readonly ys: number[];
  private near = false;
  private pointed = -1; // index of the cell at the pointer

  constructor(
    private readonly figure: Figure,
    private readonly id: string,
  ) {
    const all = figure.series[0] ?? { x: new Float64Array(), y: new Float64Array() };
    this.xs = distinct(all.x);
    this.ys = distinct(all.y);
    const title = el('figcaption', { id: freshId('heat') }, figure.title);
    this.canvas.setAttribute('aria-label', figure.title); // until it is drawn
    this.which = el('select', { 'aria-label': 'Which value' }, ...figure.series.map((s, i) => el('option', { value: i }, s.label)));
    this.which.addEventListener('change', () => this.refresh());
    const save = saveMenu(() => `${figure.title}, ${this.series.label}`, { svg: () => this.svg(), csv: () => this.csv(), canvas: () => this.canvas });
    this.element = el(
      'figure',
      { class: 'card plot heat', id, 'aria-labelledby': title.id },
      el('header', {}, title, el('div', { class: 'tools', role: 'group', 'aria-label': `Tools of ${figure.title}` }, this.which, save)),
      el('div', { class: 'heat-stage' }, this.canvas),
      this.readout,
      figure.note ? el('p', { class: 'plot-note' }, figure.note) : null,
    );
    this.canvas.addEventListener('pointermove', (event) => this.pointAt(event.offsetX, event.offsetY));
    this.canvas.addEventListener('pointerleave', () => this.point(-1));
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    registerPlot(this, this.element);
  }

  private get series(): Figure['series'][number] {
    return this.figure.series[Number(this.which.value) || 0];
  }

  private range(): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    for (const z of this.series.z) {
      if (!Number.isFinite(z)) continue;
      if (z < low) low = z;
      if (z > high) high = z;
    }
    return [low, high];
  }

  setNear(near: boolean): void {
    this.near = near;
    if (near) this.draw();
  }

  refresh(): void {
    if (this.near) this.draw();
  }

  // Maps from the values of an axis, as used for its cells, to pixels.
  private maps(): { x: (v: number) => number; y: (v: number) => number; xEdges: number[]; yEdges: number[]; width: number; height: number } {
    const { x: ax, y: ay } = this.figure;
    const xEdges = cellEdges(this.xs, ax.log);
    const yEdges = cellEdges(this.ys, ay.log);
    const width = Math.max(60, this.canvas.clientWidth - margin.left - margin.right);
    const height = Math.max(60, this.canvas.clientHeight - margin.top - margin.bottom);
    const [x0, x1, y0, y1] = [xEdges[0], xEdges[xEdges.length - 1], yEdges[0], yEdges[yEdges.length - 1]];
    return {
      x: (v) => margin.left + ((v - x0) / (x1 - x0)) * width,
      y: (v) => margin.top + (1 - (v - y0) / (y1 - y0)) * height,
      xEdges, yEdges, width, height,
    };
  }

  draw(): void {
    const width = Math.floor(this.element.clientWidth) - 32;
    if (width < 120 || this.xs.length === 0 || this.ys.length === 0) return;
    const ratio = devicePixelRatio || 1;
    const height = Math.round(Math.max(220, Math.min(420, width * 0.6)));
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const ctx = this.canvas.getContext('2d');
    if (!ctx) return;
    ctx.scale(ratio, ratio);
    this.paint(ctx);
    const [low, high] = this.range();
    const { x, y, z } = this.figure;
    this.canvas.setAttribute('aria-label', `Heat map of ${z.label}, ${this.series.label}, over ${x.label} and ${y.label}: from ${formatNumber(low, 4)} to ${formatNumber(high, 4)}. Arrow keys move from value to value.`);
  }

  private paint(ctx: Pen): void {
    const palette = colours();
    const map = this.maps();
    const [low, high] = this.range();
    const s = this.series;
    s.z.forEach((z, i) => {
      const [column, row] = [this.xs.indexOf(s.x[i]), this.ys.indexOf(s.y[i])];
      if (!Number.isFinite(z) || column < 0 || row < 0) return;
      ctx.fillStyle = heatColour(high > low ? (z - low) / (high - low) : 0.5);
      const [left, right] = [map.x(map.xEdges[column]), map.x(map.xEdges[column + 1])];
      const [top, bottom] = [map.y(map.yEdges[row + 1]), map.y(map.yEdges[row])];
      ctx.fillRect(left, top, right - left + 0.5, bottom - top + 0.5);
      if (i !== this.pointed) return;
      ctx.strokeStyle = palette.text;
      ctx.lineWidth = 2;
      ctx.strokeRect(left + 1, top + 1, right - left - 2, bottom - top - 2);
    });
    ctx.font = '12px sans-serif';
    ctx.fillStyle = palette.text;
    this.paintAxis(this.figure.x, this.xs, (v, label) => {
      ctx.textAlign = 'center';
      ctx.fillText(label, map.x(v), margin.top + map.height + 16);
    }, map.width / 60);
    this.paintAxis(this.figure.y, this.ys, (v, label) => {
      ctx.textAlign = 'right';
      ctx.fillText(label, margin.left - 6, map.y(v) + 4);
    }, map.height / 26);
    ctx.textAlign = 'right';
    ctx.fillText(withUnit(this.figure.x.label, this.figure.x.unit), margin.left + map.width, margin.top + map.height + 34);
    ctx.textAlign = 'left';
    ctx.fillText(withUnit(this.figure.y.label, this.figure.y.unit), 4, 14);
    if (high >= low) this.paintScale(ctx, low, high, map.height, margin.left + map.width + 14);
  }

  // Writes as many values of the parameter as there is room for.
  private paintAxis(axis: FigureAxis, all: number[], put: (at: number, label: string) => void, room: number): void {
    const stride = Math.max(1, Math.ceil(all.length / Math.max(1, room)));
    for (let i = 0; i < all.length; i += stride) put(axis.log ? Math.log10(all[i]) : all[i], formatNumber(all[i], 4));
  }

  private paintScale(ctx: Pen, low: number, high: number, height: number, left: number): void {
    for (let y = 0; y < height; ++y) {
      ctx.fillStyle = heatColour(1 - y / height);
      ctx.fillRect(left, margin.top + y, 12, 1.5);
    }
    ctx.fillStyle = colours().text;
    ctx.textAlign = 'left';
    for (const share of [0, 0.5, 1]) {
      ctx.fillText(formatNumber(low + share * (high - low), 3), left + 16, margin.top + (1 - share) * (height - 8) + 8);
    }
  }

  // --- what the reader points at -------------------------------------------------------------------

  private cellAt(column: number, row: number): number {
    const s = this.series;
    return s.x.findIndex((x, i) => x === this.xs[column] && s.y[i] === this.ys[row]);
  }

  private pointAt(px: number, py: number): void {
    const map = this.maps();
    const column = map.xEdges.slice(1).findIndex((edge) => px < map.x(edge));
    const row = map.yEdges.slice(1).findIndex((edge) => py > map.y(edge));
    this.point(px < margin.left || column < 0 || row < 0 || py > margin.top + map.height ? -1 : this.cellAt(column, row));
  }

  private point(cell: number): void {
    if (cell === this.pointed) return;
    this.pointed = cell;
    const { x, y, z } = this.figure;
    const s = this.series;
    const value = Number.isFinite(s.z[cell]) ? withUnit(formatNumber(s.z[cell], 6), z.unit) : 'no value';
    this.readout.textContent = cell < 0 ? '' : `${x.label} = ${formatNumber(s.x[cell])}, ${y.label} = ${formatNumber(s.y[cell])}: ${z.label} ${s.label} ${value}`;
    this.refresh();
  }

  private key(event: KeyboardEvent): void {
    const step: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
    const move = step[event.key];
    if (!move) return;
    event.preventDefault();
    const s = this.series;
    const [column, row] = this.pointed < 0 ? [0, 0] : [this.xs.indexOf(s.x[this.pointed]) + move[0], this.ys.indexOf(s.y[this.pointed]) + move[1]];
    const within = (v: number, n: number): number => Math.min(n - 1, Math.max(0, v));
    this.point(this.cellAt(within(column, this.xs.length), within(row, this.ys.length)));
  }

  private svg(): string {
    const pen = new SvgPen(this.canvas.clientWidth, this.canvas.clientHeight, colours().surface);
    this.paint(pen);
    return pen.take();
  }

  private csv(): string {
    const { x, y, series } = this.figure;
    const lines = [[x.label, y.label, ...series.map((s) => s.label)].map(csvCell).join(',')];
    this.series.x.forEach((v, i) => lines.push([v, this.series.y[i], ...series.map((s) => (Number.isFinite(s.z[i]) ? s.z[i] : ''))].join(',')));
    return lines.join('\r\n') + '\r\n';
  }

  state() {
    return { id: this.id, columns: this.xs.length, rows: this.ys.length, value: this.readout.textContent ?? '' };
  }
}
