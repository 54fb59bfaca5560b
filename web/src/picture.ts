// SPDX-License-Identifier: BSD-3-Clause
// The positions of the points of a moving picture at a given time, and the drawing of its shapes.

import type { Picture, PictureShape } from './model';
import { colours, dashOf } from './theme';

const range = 32767;
const noPlace = -32768;
const longestTrail = 400; // in frames
const named: Record<string, number> = { blue: 0, orange: 1, green: 2, purple: 3, brown: 4, pink: 5, grey: 7 };

// The frame at a given time, as a number that may have a fraction.
export function frameAt(picture: Picture, t: number): number {
  const share = (t - picture.t0) / (picture.t1 - picture.t0);
  return Math.min(1, Math.max(0, share)) * (picture.frames - 1);
}

export const timeOf = (picture: Picture, frame: number): number =>
  picture.t0 + ((picture.t1 - picture.t0) * frame) / (picture.frames - 1);

// Gives the canvas the width of its container and a height that suits the picture. Returns null if it is not laid out
// yet.
export function fitCanvas(canvas: HTMLCanvasElement, picture: Picture): { width: number; height: number; ratio: number } | null {
  const width = Math.floor(canvas.parentElement?.clientWidth ?? 0);
  if (width < 40) return null;
  const [hx, hy] = picture.half;
  const wanted = picture.equal ? (width * hy) / hx : 0.3 * width;
  const height = Math.round(Math.min(420, Math.max(170, wanted)));
  const ratio = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  return { width, height, ratio };
}

type Place = [number, number];

// Maps the numbers of a picture to a canvas of this size.
export class Stage {
  private readonly scale: [number, number];
  constructor(
    private readonly picture: Picture,
    readonly width: number,
    readonly height: number,
    margin = 26,
  ) {
    const [hx, hy] = picture.half;
    const sx = Math.max(1, width / 2 - margin) / hx;
    const sy = Math.max(1, height / 2 - margin) / hy;
    const both = Math.min(sx, sy);
    this.scale = picture.equal ? [both, both] : [sx, sy];
  }

  // How far a fast oscillation moves a point to both sides, in pixels.
  spread(index: number, frame: number): Place {
    const { blur, numbers, half } = this.picture;
    const first = Math.round(frame) * numbers + index;
    const along = (k: number): number => (Math.max(0, blur[first + k]) / range) * 2 * half[k] * this.scale[k];
    return blur.length > 0 ? [along(0), along(1)] : [0, 0];
  }

  // The numbers cover twice the size of the picture.
  at(index: number, frame: number): Place | null {
    const { data, numbers, frames, half } = this.picture;
    const first = Math.floor(frame);
    const next = Math.min(frames - 1, first + 1);
    const share = frame - first;
    const place: Place = [0, 0];
    for (let k = 0; k < 2; ++k) {
      const a = data[first * numbers + index + k];
      const b = data[next * numbers + index + k];
      if (a === noPlace || b === noPlace) return null;
      place[k] = ((a + share * (b - a)) / range) * 2 * half[k] * this.scale[k];
    }
    return [this.width / 2 + place[0], this.height / 2 - place[1]];
  }
}

function path(ctx: CanvasRenderingContext2D, places: (Place | null)[], closed = false): void {
  ctx.beginPath();
  let pen = false;
  for (const place of places) {
    if (place && pen) ctx.lineTo(...place);
    else if (place) ctx.moveTo(...place);
    pen = place !== null;
  }
  if (closed) ctx.closePath();
}

// The convex hull of the points. With it the order in which a body lists its points does not matter (Andrew 1979).
export function hull(places: Place[]): Place[] {
  const sorted = [...places].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const half = (list: Place[]): Place[] => {
    const kept: Place[] = [];
    for (const p of list) {
      while (kept.length > 1) {
        const [a, b] = kept.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        kept.pop();
      }
      kept.push(p);
    }
    return kept.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function springPlaces(a: Place, b: Place): Place[] {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy);
  if (length < 6) return [a, b];
  const turns = 8;
  const width = Math.min(7, length / 6);
  const places: Place[] = [a];
  for (let i = 0; i <= 2 * turns; ++i) {
    const share = 0.15 + (0.7 * i) / (2 * turns);
    const side = i === 0 || i === 2 * turns ? 0 : i % 2 === 0 ? -width : width;
    places.push([a[0] + share * dx - (side * dy) / length, a[1] + share * dy + (side * dx) / length]);
  }
  return [...places, b];
}

export class PicturePainter {
  constructor(
    private readonly ctx: CanvasRenderingContext2D,
    private readonly picture: Picture,
    private readonly stage: Stage,
  ) {}

  paint(frame: number): void {
    this.clear();
    this.picture.shapes.forEach((shape, i) => shape.trail && this.trail(shape, i, frame));
    if (this.picture.blur.length > 0) this.picture.shapes.forEach((shape, i) => this.blur(shape, i, frame));
    this.picture.shapes.forEach((shape, i) => this.shape(shape, i, frame));
  }

  private clear(): void {
    this.ctx.clearRect(0, 0, this.stage.width, this.stage.height);
    this.ctx.lineJoin = this.ctx.lineCap = 'round';
  }

  // Paints a frame over a pale picture of another frame.
  paintOver(frame: number, behind: number): void {
    const { ctx } = this;
    this.clear();
    this.picture.shapes.forEach((shape, i) => this.shape(shape, i, behind));
    ctx.globalAlpha = 0.75;
    ctx.fillStyle = colours().surface;
    ctx.fillRect(0, 0, this.stage.width, this.stage.height);
    ctx.globalAlpha = 1;
    this.picture.shapes.forEach((shape, i) => this.shape(shape, i, frame));
  }

  // A slow run does not follow the fast oscillation. The range of the points is drawn as clouds, denser in the middle.
  private blur(shape: PictureShape, index: number, frame: number): void {
    const { ctx } = this;
    ctx.fillStyle = this.colour(shape, index);
    for (let p = 0; p < shape.elements * shape.points; ++p) {
      const at = shape.first + 2 * p;
      const place = this.stage.at(at, frame);
      const [x, y] = this.stage.spread(at, frame);
      if (!place || Math.max(x, y) < 1) continue;
      ctx.globalAlpha = 0.1;
      for (const share of [1, 0.75, 0.5]) {
        ctx.beginPath();
        ctx.ellipse(...place, share * x + 4, share * y + 4, 0, 0, 2 * Math.PI);
        ctx.fill();
      }
    }
    ctx.globalAlpha = 1;
  }

  private colour(shape: PictureShape, index: number): string {
    const palette = colours();
    if (shape.colour === 'red') return getComputedStyle(document.documentElement).getPropertyValue('--red').trim();
    return palette.curves[(named[shape.colour] ?? index) % palette.curves.length];
  }

  private places(shape: PictureShape, element: number, frame: number): (Place | null)[] {
    const first = shape.first + 2 * element * shape.points;
    return Array.from({ length: shape.points }, (_, p) => this.stage.at(first + 2 * p, frame));
  }

  private trail(shape: PictureShape, index: number, frame: number): void {
    const { ctx } = this;
    const begin = Math.max(0, Math.floor(frame) - longestTrail);
    for (let e = 0; e < shape.elements; ++e) {
      const at = shape.first + 2 * e * shape.points;
      const places: (Place | null)[] = [];
      for (let f = begin; f <= frame; ++f) places.push(this.stage.at(at, f));
      places.push(this.stage.at(at, frame));
      ctx.strokeStyle = this.colour(shape, index);
      ctx.globalAlpha = 0.4;
      ctx.lineWidth = 1.3;
      path(ctx, places);
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  }

  private shape(shape: PictureShape, index: number, frame: number): void {
    const { ctx } = this;
    const colour = this.colour(shape, index);
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
    if (shape.kind === 'curve') {
      this.curve(shape, frame, colour);
      return;
    }
    for (let e = 0; e < shape.elements; ++e) {
      const places = this.places(shape, e, frame);
      const known = places.filter((p): p is Place => p !== null);
      if (known.length < places.length || known.length === 0) continue;
      this.element(shape, known, shape.elements, colour);
    }
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
  }

  private curve(shape: PictureShape, frame: number, colour: string): void {
    const { ctx } = this;
    const places = Array.from({ length: shape.elements }, (_, e) => this.stage.at(shape.first + 2 * e, frame));
    ctx.strokeStyle = ctx.fillStyle = colour;
    ctx.lineWidth = 1.8;
    path(ctx, places);
    ctx.stroke();
    if (shape.elements > 80) return;
    for (const place of places) if (place) this.disc(place, 3, colour);
  }

  private disc(place: Place, radius: number, fill: string, edge = ''): void {
    const { ctx } = this;
    ctx.beginPath();
    ctx.arc(place[0], place[1], radius, 0, 2 * Math.PI);
    ctx.fillStyle = fill;
    ctx.fill();
    if (!edge) return;
    ctx.strokeStyle = edge;
    ctx.lineWidth = 1.6;
    ctx.stroke();
  }

  private element(shape: PictureShape, places: Place[], count: number, colour: string): void {
    const { ctx } = this;
    const palette = colours();
    const crowded = count > 60;
    ctx.strokeStyle = colour;
    switch (shape.kind) {
      case 'point':
        this.disc(places[0], count > 300 ? 1.6 : crowded ? 3 : 6, colour);
        return;
      case 'body':
        this.body(places, colour, crowded);
        return;
      case 'joint':
        this.disc(places[0], crowded ? 2 : 3.6, palette.surface, palette.text);
        return;
      case 'pin':
        this.pin(places[0]);
        return;
      case 'rail':
        this.rail(places);
        return;
      case 'spring':
        ctx.lineWidth = crowded ? 1 : 1.6;
        path(ctx, crowded ? places : springPlaces(places[0], places[1]));
        ctx.strokeStyle = palette.text;
        ctx.stroke();
        return;
      case 'damper':
        ctx.setLineDash(dashOf(8));
        break;
      default:
        break;
    }
    ctx.lineWidth = crowded ? 1 : 2.4;
    path(ctx, places);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  private body(places: Place[], colour: string, crowded: boolean): void {
    const { ctx } = this;
    const outline = hull(places);
    path(ctx, outline, outline.length > 2);
    ctx.fillStyle = colour;
    ctx.globalAlpha = 0.32;
    if (outline.length > 2) ctx.fill();
    ctx.lineWidth = crowded ? 3 : 9;
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.lineWidth = crowded ? 1 : 1.8;
    path(ctx, outline, outline.length > 2);
    ctx.stroke();
  }

  // A joint that is fixed to the ground is drawn on a hatched triangle.
  private pin([x, y]: Place): void {
    const { ctx } = this;
    const palette = colours();
    ctx.strokeStyle = palette.text;
    ctx.lineWidth = 1.4;
    path(ctx, [[x, y], [x - 8, y + 13], [x + 8, y + 13]], true);
    ctx.stroke();
    for (let k = -8; k <= 8; k += 5.3) {
      path(ctx, [[x + k, y + 13], [x + k - 4, y + 18]]);
      ctx.stroke();
    }
    this.disc([x, y], 3.6, palette.surface, palette.text);
  }

  private rail([slider, from, to]: Place[]): void {
    const { ctx } = this;
    const palette = colours();
    ctx.strokeStyle = palette.text;
    ctx.lineWidth = 1.2;
    ctx.setLineDash([6, 4]);
    path(ctx, [from, to]);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.save();
    ctx.translate(...slider);
    ctx.rotate(Math.atan2(to[1] - from[1], to[0] - from[0]));
    ctx.fillStyle = palette.surface;
    ctx.lineWidth = 1.6;
    ctx.beginPath();
    ctx.rect(-11, -7, 22, 14);
    ctx.fill();
    ctx.stroke();
    ctx.restore();
  }
}
