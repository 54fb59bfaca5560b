// SPDX-License-Identifier: BSD-3-Clause
// A mode in its card: in its extreme position, drawn over the shape at rest, and moving while it is played.

import { el, freshId, icon } from './dom';
import type { Shape } from './model';
import { fitCanvas, PicturePainter, Stage } from './picture';
import { registerPlot, type LazyPlot } from './registry';

const period = 2000; // in milliseconds
const atRest = 0.5; // half-way between the two frames of a shape

export class ShapeCard implements LazyPlot {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', { role: 'img' });
  private readonly playTool = el('button', { type: 'button', class: 'tool play', click: () => this.toggle() });
  private frame = 1;
  private playing = false;
  private began = 0;

  constructor(
    private readonly shape: Shape,
    id: string,
  ) {
    const title = el('figcaption', { id: freshId('shape') }, shape.title);
    this.canvas.setAttribute('aria-label', shape.title);
    this.element = el(
      'figure',
      { class: 'card plot shape', id, 'aria-labelledby': title.id },
      el('header', {}, title, this.playTool),
      el('div', { class: 'picture-stage' }, this.canvas),
      shape.picture.note ? el('p', { class: 'plot-note' }, shape.picture.note) : null,
    );
    this.setPlaying(false);
    registerPlot(this, this.element);
  }

  toggle(): void {
    this.setPlaying(!this.playing);
    this.began = performance.now();
    if (this.playing) requestAnimationFrame((now) => this.tick(now));
    else this.show(1);
  }

  private setPlaying(playing: boolean): void {
    this.playing = playing;
    const label = `${playing ? 'Stop' : 'Play'}: ${this.shape.title}`;
    this.playTool.replaceChildren(icon(playing ? 'pause' : 'play'));
    this.playTool.title = playing ? 'Stop' : 'Play';
    this.playTool.setAttribute('aria-label', label);
  }

  private tick(now: number): void {
    if (!this.playing || !this.element.isConnected) return;
    this.show(atRest + atRest * Math.cos((2 * Math.PI * (now - this.began)) / period));
    requestAnimationFrame((next) => this.tick(next));
  }

  private show(frame: number): void {
    this.frame = frame;
    this.draw();
  }

  setNear(near: boolean): void {
    if (near) this.draw();
  }

  refresh(): void {
    this.draw();
  }

  draw(): void {
    const { picture } = this.shape;
    const size = fitCanvas(this.canvas, picture);
    const ctx = this.canvas.getContext('2d');
    if (!size || !ctx) return;
    ctx.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    new PicturePainter(ctx, picture, new Stage(picture, size.width, size.height)).paintOver(this.frame, atRest);
  }

  state() {
    return { id: this.element.id, frame: this.frame, playing: this.playing };
  }
}
