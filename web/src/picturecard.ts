// SPDX-License-Identifier: BSD-3-Clause
// The moving picture in its card. It can be played, and it shares its time with the crosshair of the plots.

import { el, freshId, icon } from './dom';
import { digitsFor, formatNumber } from './format';
import type { Linked, XLink } from './link';
import type { Picture, Run } from './model';
import { fitCanvas, frameAt, PicturePainter, Stage, timeOf } from './picture';
import { registerPlot, type LazyPlot } from './registry';

const durations = [3, 10, 30, 100]; // seconds for the whole run

export class PictureCard implements Linked, LazyPlot {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', { role: 'img' });
  private readonly playTool = el('button', { type: 'button', class: 'tool play', click: () => this.toggle() });
  private readonly slider: HTMLInputElement;
  private readonly readout = el('output', { class: 'picture-time' });
  private readonly speed: HTMLSelectElement;
  private frame = 0;
  private playing = false;
  private lastTick = 0;
  private ticks = 0;

  constructor(
    private readonly run: Run,
    private readonly picture: Picture,
    private readonly link: XLink,
  ) {
    const title = el('figcaption', { id: freshId('picture') }, 'The motion');
    const slider = el('input', { type: 'range', min: 0, max: picture.frames - 1, step: 'any', value: 0, 'aria-label': 'Time' });
    slider.addEventListener('input', () => {
      this.stop();
      this.show(Number(slider.value), true);
    });
    this.slider = slider;
    this.speed = el('select', { 'aria-label': 'Speed' }, ...durations.map((seconds) => this.speedOption(seconds)));
    this.speed.selectedIndex = 1;
    this.element = el(
      'figure',
      { class: 'card plot picture', id: `${run.id}-picture`, 'aria-labelledby': title.id },
      el('header', {}, title, this.readout),
      el('div', { class: 'picture-stage' }, this.canvas),
      el('div', { class: 'picture-controls' }, this.playTool, slider, this.speed),
      picture.note ? el('p', { class: 'plot-note' }, picture.note) : null,
    );
    this.link.join(this);
    this.setPlaying(false);
    registerPlot(this, this.element);
  }

  private speedOption(seconds: number): HTMLOptionElement {
    const perSecond = (this.picture.t1 - this.picture.t0) / seconds;
    const unit = this.run.timeUnit ? ` ${this.run.timeUnit}` : '';
    return el('option', { value: perSecond }, `${formatNumber(perSecond, 2)}${unit} per second`);
  }

  get time(): number {
    return timeOf(this.picture, this.frame);
  }

  // --- playing -----------------------------------------------------------------------------------

  toggle(): void {
    if (this.playing) {
      this.stop();
      return;
    }
    if (this.frame >= this.picture.frames - 1) this.show(0, true);
    this.setPlaying(true);
    this.lastTick = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  private stop(): void {
    if (this.playing) this.setPlaying(false);
  }

  private setPlaying(playing: boolean): void {
    this.playing = playing;
    const label = playing ? 'Pause' : 'Play';
    this.playTool.replaceChildren(icon(playing ? 'pause' : 'play'));
    this.playTool.title = label;
    this.playTool.setAttribute('aria-label', label);
  }

  private tick(now: number): void {
    if (!this.playing || !this.element.isConnected) return;
    const t = this.time + (Number(this.speed.value) * (now - this.lastTick)) / 1000;
    this.lastTick = now;
    ++this.ticks;
    this.show(frameAt(this.picture, t), true);
    if (this.frame >= this.picture.frames - 1) this.stop();
    else requestAnimationFrame((next) => this.tick(next));
  }

  // --- showing -----------------------------------------------------------------------------------

  show(frame: number, tell: boolean): void {
    this.frame = Math.min(this.picture.frames - 1, Math.max(0, frame));
    this.slider.value = String(this.frame);
    this.draw();
    if (tell) this.link.point(this.time, this);
  }

  adoptRange(): void {
    // The picture shows a single moment, whatever range the plots show.
  }

  adoptCursor(x: number | null): void {
    if (x === null || this.playing) return;
    this.show(frameAt(this.picture, x), false);
  }

  setNear(near: boolean): void {
    if (near) this.draw();
  }

  refresh(): void {
    this.draw();
  }

  draw(): void {
    const size = fitCanvas(this.canvas, this.picture);
    const ctx = this.canvas.getContext('2d');
    if (!size || !ctx) return;
    ctx.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    new PicturePainter(ctx, this.picture, new Stage(this.picture, size.width, size.height)).paint(this.frame);
    this.tellTime();
  }

  private tellTime(): void {
    const unit = this.run.timeUnit ? ` ${this.run.timeUnit}` : '';
    const digits = Math.min(6, digitsFor(this.time, this.picture.t1 - this.picture.t0));
    const text = `${this.run.timeName} = ${formatNumber(this.time, digits)}${unit}`;
    this.readout.textContent = text;
    this.slider.setAttribute('aria-valuetext', text);
    this.canvas.setAttribute('aria-label', `The model at ${text}`);
  }

  state() {
    return { id: this.element.id, t: this.time, playing: this.playing, ticks: this.ticks };
  }
}
