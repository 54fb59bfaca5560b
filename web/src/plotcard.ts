// SPDX-License-Identifier: BSD-3-Clause
// One plot in its card: title, tools, axes, curves, legend, notes. It is drawn only when it comes near the screen.

import uPlot from 'uplot';
import type { Curve, Range } from './curve';
import { Crosshair, type Pointed } from './crosshair';
import { el, freshId, iconButton } from './dom';
import { drawBand } from './band';
import { drawCurve, drawEvents, drawMarks, drawSpans, type Frame } from './draw';
import { describePlot, logHint } from './captions';
import { withUnit } from './format';
import { unitChart, type TickMarks } from './axes';
import { attachGestures, type GestureTarget } from './gestures';
import { Legend } from './legend';
import type { Linked, XLink } from './link';
import type { Mark } from './model';
import { registerPlot, type LazyPlot } from './registry';
import { plotCsv, plotSvg, type SavedPlot } from './save';
import { saveMenu } from './savemenu';
import { colours, dashOf } from './theme';
import { axisLabels, type AxisLabels } from './ticks';
import { at, fractionOf, View, type Ranges, type ViewSpec } from './view';

export interface PlotSpec extends ViewSpec {
  id: string;
  title: string;
  group?: string; // group of the series that are shown
  note?: string;
  style?: 'line' | 'points' | 'both';
  events?: number[];
  marks?: Mark[]; // named positions on the x axis
  spans?: Range[]; // parts of the x axis that are marked
  pick?: (x: number) => void; // called when the reader clicks at x
  link?: XLink;
  wide?: boolean;
  controls?: HTMLElement;
  equalAspect?: boolean;
}

const wideEnough = 720;

export class PlotCard implements Linked, LazyPlot, GestureTarget {
  readonly element: HTMLElement;
  readonly view: View;
  private readonly mount = el('div', { class: 'mount' });
  private readonly message = el('p', { class: 'plot-message', hidden: true });
  private readonly caption = el('div', { class: 'axis-caption y' });
  private readonly foot = el('div', { class: 'axis-caption x' });
  private readonly notes = el('p', { class: 'plot-note' });
  private readonly legend = new Legend(() => this.refresh());
  private readonly crosshair = new Crosshair();
  private readonly resetTool = iconButton('reset', 'Reset zoom', () => this.reset());
  private readonly boxTool = iconButton('box', 'Drag zooms x and y (else only x; Shift switches)', () => this.flipBox());
  private readonly logTool: HTMLButtonElement;
  private readonly logXTool: HTMLButtonElement | null = null;
  private readonly aspectTool: HTMLButtonElement | null = null;
  private readonly title = el('figcaption', { id: freshId('plot') });
  private chart: uPlot | null = null;
  private ranges: Ranges = { x: [0, 1], y: [0, 1], message: '', dropped: 0, below: 0 };
  private labels: { x: AxisLabels; y: AxisLabels } | null = null;
  private boxMode: boolean;
  private near = false;
  private stale = true;
  private cursor: number | null = null;

  constructor(public spec: PlotSpec) {
    this.view = new View(spec);
    this.view.equalAspect = spec.equalAspect === true;
    this.boxMode = spec.kind === 'plane';
    this.title.textContent = spec.title;
    const plane = spec.kind === 'plane';
    this.logTool = this.textTool(plane ? 'log y' : 'log', 'Logarithmic y axis', () => this.setLog(!this.view.logY));
    const tools = el('div', { class: 'tools', role: 'group', 'aria-label': `Tools of ${spec.title}` });
    if (plane) {
      this.logXTool = this.textTool('log x', 'Logarithmic x axis', () => this.setLogX(!this.view.logX));
      tools.append(this.logXTool);
    }
    tools.append(this.logTool);
    if (plane) {
      this.aspectTool = this.textTool('1:1', 'Equal scales on both axes', () => this.setEqualAspect(!this.view.equalAspect));
      tools.append(this.aspectTool);
    }
    tools.append(
      this.boxTool,
      iconButton('minus', 'Zoom out', () => this.zoomBy(2)),
      iconButton('plus', 'Zoom in', () => this.zoomBy(0.5)),
      this.resetTool,
    );
    const written = (write: (plot: SavedPlot) => string): string | null => {
      const plot = this.saved();
      return plot ? write(plot) : null;
    };
    tools.append(saveMenu(() => this.spec.title, { svg: () => written(plotSvg), csv: () => written(plotCsv), canvas: () => this.mount.querySelector('canvas') }));
    const enlarge = iconButton('expand', 'Full width', () => this.enlarge(enlarge));
    enlarge.classList.add('enlarge');
    this.boxTool.classList.add('box');
    tools.append(enlarge);

    this.element = el(
      'figure',
      { class: `card plot ${spec.kind}${spec.wide ? ' wide' : ''}`, id: spec.id, 'aria-labelledby': this.title.id },
      el('header', {}, this.title, tools),
      spec.controls,
      el('div', { class: 'stage' }, this.caption, this.mount, this.message, el('div', { class: 'axis-row' }, this.legend.position, this.foot)),
      this.legend.element,
      this.notes,
    );
    this.mount.tabIndex = 0;
    this.mount.setAttribute('role', 'group');
    this.mount.addEventListener('keydown', (event) => this.key(event));
    this.mount.addEventListener('blur', () => this.leave());
    this.legend.setCurves(spec.curves);
    if (spec.link) {
      spec.link.join(this);
      this.view.xZoom = spec.link.range;
    }
    this.showTools();
    registerPlot(this, this.element);
  }

  private textTool(text: string, label: string, press: () => void): HTMLButtonElement {
    return el('button', { type: 'button', class: 'tool text', title: label, 'aria-label': label, click: press }, text);
  }

  // --- drawing -------------------------------------------------------------------------------

  setNear(near: boolean): void {
    this.near = near;
    if (near && this.stale) this.draw();
  }

  refresh(): void {
    this.stale = true;
    if (this.near) this.draw();
  }

  get drawn(): boolean {
    return this.chart !== null && !this.stale;
  }

  draw(): void {
    const width = Math.floor(this.mount.clientWidth);
    if (width < 40) return;
    const height = this.heightFor(width);
    this.mount.style.height = `${height}px`;
    this.stale = false;
    if (!this.chart) {
      this.measure(width - 70, height - 40);
      this.chart = this.create(width, height);
    } else if (this.chart.width !== width || this.chart.height !== height) {
      this.chart.setSize({ width, height });
    }
    this.redraw(this.chart, 3);
    this.showTools();
  }

  // uPlot does its layout in a microtask. The width of the labels, known only then, determines how much room is left
  // for the plot, so drawing may have to be repeated.
  private redraw(chart: uPlot, tries: number): void {
    const { clientWidth, clientHeight } = chart.over;
    this.measure(clientWidth, clientHeight);
    chart.redraw(false, true);
    queueMicrotask(() => {
      const moved = chart.over.clientWidth !== clientWidth || chart.over.clientHeight !== clientHeight;
      if (moved && tries > 0) this.redraw(chart, tries - 1);
      else this.showCursor();
    });
  }

  private heightFor(width: number): number {
    if (this.spec.kind === 'plane') return Math.round(Math.max(240, Math.min(480, width * 0.72)));
    return width > wideEnough ? 300 : 240;
  }

  private measure(width: number, height: number): void {
    this.ranges = this.view.ranges(width, height);
    const { x, y } = this.ranges;
    this.labels = {
      x: axisLabels(x[0], x[1], this.view.logX, Math.max(3, width / 76)),
      y: axisLabels(y[0], y[1], this.view.logY, Math.max(2, height / 44)),
    };
    const magnitude = this.view.logY && this.spec.magnitude;
    const yName = withUnit(magnitude ? `|${this.spec.y.label}|` : this.spec.y.label, this.spec.y.unit);
    this.caption.textContent = [yName, this.labels.y.factor].filter(Boolean).join('  ');
    this.foot.textContent = [withUnit(this.spec.x.label, this.spec.x.unit), this.labels.x.factor].filter(Boolean).join('  ');
    this.message.textContent = this.ranges.message;
    this.message.hidden = this.ranges.message === '';
    this.mount.setAttribute('aria-label', describePlot(this.spec, this.ranges));
    this.notes.textContent = [this.spec.note, logHint(this.ranges, this.view.yZoom !== null)].filter(Boolean).join(' ');
    this.notes.hidden = this.notes.textContent === '';
  }

  private tickMarks(which: 'x' | 'y'): TickMarks {
    if (!this.labels) return { at: [], labels: [] };
    const log = which === 'x' ? this.view.logX : this.view.logY;
    const { ticks, labels } = this.labels[which];
    return { at: ticks.map((t) => fractionOf(this.ranges[which], t, log)), labels };
  }

  private create(width: number, height: number): uPlot {
    const chart = unitChart(this.mount, width, height, (which) => this.tickMarks(which), (u) => this.paint(u));
    attachGestures(chart.over, this);
    this.crosshair.attach(chart.over);
    return chart;
  }

  private frame(u: uPlot, css: boolean): Frame {
    const { x, y } = this.ranges;
    const box = css
      ? { left: 0, top: 0, width: u.over.clientWidth, height: u.over.clientHeight }
      : { left: u.bbox.left, top: u.bbox.top, width: u.bbox.width, height: u.bbox.height };
    return {
      ...box,
      x,
      y,
      logX: this.view.logX,
      logY: this.view.logY,
      magnitude: this.spec.magnitude === true,
      ratio: css ? 1 : uPlot.pxRatio,
    };
  }

  private paint(u: uPlot): void {
    if (this.ranges.message) return;
    const palette = colours();
    const frame = this.frame(u, false);
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(frame.left, frame.top, frame.width, frame.height);
    u.ctx.clip();
    if (this.spec.spans?.length) drawSpans(u.ctx, this.spec.spans, frame, palette.curves[0]);
    if (this.spec.events?.length) drawEvents(u.ctx, this.spec.events, frame, palette.event);
    if (this.spec.marks?.length) drawMarks(u.ctx, this.spec.marks, frame, palette.event, palette.text);
    const colourOf = (c: Curve): string => palette.curves[c.colour % palette.curves.length];
    const shown = this.spec.curves.filter((c) => c.visible);
    for (const c of shown) drawBand(u.ctx, c, frame, colourOf(c));
    for (const c of shown) {
      drawCurve(u.ctx, c, frame, { colour: colourOf(c), dash: dashOf(c.colour), style: this.spec.style ?? 'line' });
    }
    u.ctx.restore();
  }

  private saved(): SavedPlot | null {
    if (!this.chart || !this.labels) return null;
    const { title, x, y, curves, style = 'line', marks = [] } = this.spec;
    const ticks = (which: 'x' | 'y') => ({ ...this.tickMarks(which), factor: this.labels?.[which].factor ?? '' });
    const frame = this.frame(this.chart, true);
    return { title, x, y, style, frame, marks, curves: curves.filter((c) => c.visible), ticks: { x: ticks('x'), y: ticks('y') } };
  }

  // --- what tools and gestures ask for ---------------------------------------------------------

  private changed(): void {
    this.refresh();
    this.spec.link?.share(this.view.xZoom, this);
  }

  private showTools(): void {
    this.resetTool.disabled = !this.view.zoomed;
    this.boxTool.setAttribute('aria-pressed', String(this.boxMode));
    this.logTool.setAttribute('aria-pressed', String(this.view.logY));
    this.logXTool?.setAttribute('aria-pressed', String(this.view.logX));
    this.aspectTool?.setAttribute('aria-pressed', String(this.view.equalAspect));
  }

  private flipBox(): void {
    this.boxMode = !this.boxMode;
    this.showTools();
  }

  private enlarge(button: HTMLButtonElement): void {
    const wide = this.element.classList.toggle('wide');
    button.setAttribute('aria-pressed', String(wide));
    this.refresh();
  }

  setLog(log: boolean): void {
    this.view.logY = log;
    this.view.yZoom = null;
    this.refresh();
    this.showTools();
  }

  setLogX(log: boolean): void {
    this.view.logX = log;
    this.view.reset();
    this.refresh();
    this.showTools();
  }

  setEqualAspect(on: boolean): void {
    this.view.equalAspect = on;
    this.refresh();
    this.showTools();
  }

  setContent(change: Partial<PlotSpec> & { curves: Curve[] }): void {
    this.spec = { ...this.spec, ...change };
    this.view.spec = this.spec;
    this.view.reset();
    this.title.textContent = this.spec.title;
    this.cursor = null;
    this.legend.setCurves(this.spec.curves);
    this.refresh();
  }

  setSpans(spans: Range[]): void {
    this.spec.spans = spans;
    this.refresh();
  }

  zoomTo(x: Range | null, y: Range | null): void {
    this.view.setZoom(x, y);
    this.changed();
  }

  zoomBy(factor: number): void {
    this.pinch(factor, 0.5, 0.5, 0, 0);
  }

  reset(): void {
    this.view.reset();
    this.changed();
  }

  pick(x: number): void {
    this.spec.pick?.(at(this.ranges.x, x, this.view.logX));
  }

  dragAxes(shift: boolean): 'x' | 'xy' {
    return this.boxMode !== shift ? 'xy' : 'x';
  }

  select(x: Range | null, y: Range | null): void {
    const { logX, logY } = this.view;
    this.zoomTo(
      x && [at(this.ranges.x, x[0], logX), at(this.ranges.x, x[1], logX)],
      y && [at(this.ranges.y, y[0], logY), at(this.ranges.y, y[1], logY)],
    );
  }

  pinch(factor: number, x: number, y: number, shiftX: number, shiftY: number): void {
    this.view.scaleX(this.ranges.x, factor, x, shiftX);
    if (this.spec.kind === 'plane') {
      if (this.view.xZoom) this.view.scaleY(this.ranges.y, factor, y, shiftY);
      else this.view.yZoom = null;
    }
    this.changed();
  }

  hover(x: number, y: number): void {
    if (!this.chart) return;
    if (this.spec.kind === 'time') {
      this.cursor = at(this.ranges.x, x, this.view.logX);
      this.showCursor();
      this.spec.link?.point(this.cursor, this);
    } else {
      const frame = this.frame(this.chart, true);
      const names = { x: this.spec.x.label, y: this.spec.y.label, t: 't' };
      this.publish(this.crosshair.atPoint(this.spec.curves, x * frame.width, (1 - y) * frame.height, frame, names));
    }
  }

  leave(): void {
    this.cursor = null;
    this.showCursor();
    this.spec.link?.point(null, this);
  }

  adoptRange(range: Range | null): void {
    this.view.xZoom = range;
    if (range === null) this.view.yZoom = null;
    this.refresh();
  }

  adoptCursor(x: number | null): void {
    this.cursor = x;
    if (this.near) this.showCursor();
  }

  private showCursor(): void {
    if (!this.chart) return;
    if (this.cursor === null || this.ranges.message) {
      this.publish(this.crosshair.hide());
      return;
    }
    const frame = this.frame(this.chart, true);
    this.publish(this.crosshair.atTime(this.spec.curves, this.cursor, frame, this.spec.x.label, this.spec.x.unit));
  }

  private publish(pointed: Pointed): void {
    this.legend.show(pointed.position, pointed.values);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const side = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (side !== 0 && event.shiftKey) this.pinch(1, 0.5, 0.5, side * 0.2, 0);
    else if (side !== 0 && this.spec.kind === 'time') {
      const here = this.cursor === null ? 0.5 - side * 0.01 : fractionOf(this.ranges.x, this.cursor, this.view.logX);
      this.hover(Math.min(1, Math.max(0, here + side * 0.01)), 0.5);
    } else if (event.key === '+' || event.key === '=') this.zoomBy(0.5);
    else if (event.key === '-') this.zoomBy(2);
    else if (event.key === '0' || event.key === 'Escape') this.reset();
    else if (event.key === 'Enter' && this.cursor !== null && this.spec.pick) this.spec.pick(this.cursor);
    else if (event.key === 'l') this.setLog(!this.view.logY);
    else return;
    event.preventDefault();
  }

  // --- for tests and print -----------------------------------------------------------------------

  state() {
    return {
      id: this.spec.id,
      title: this.spec.title,
      kind: this.spec.kind,
      drawn: this.drawn,
      zoomed: this.view.zoomed,
      x: this.ranges.x,
      y: this.ranges.y,
      logX: this.view.logX,
      logY: this.view.logY,
      message: this.ranges.message,
      spans: this.spec.spans ?? [],
      curves: this.spec.curves.map((c) => ({ label: c.label, visible: c.visible, points: c.x.length, band: Boolean(c.band) })),
    };
  }
}
