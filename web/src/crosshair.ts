// SPDX-License-Identifier: BSD-3-Clause
// The hover cursor: a line (or a cross) and a dot on each curve, and the values that go to the legend.

import { nearestIndex, sampleCount, type Curve } from './curve';
import { el } from './dom';
import { mapX, mapY, type Frame } from './draw';
import { digitsFor, formatNumber } from './format';
import { curveColours } from './theme';

export interface Pointed {
  position: string;
  values: (string | null)[];
}

const nothing: Pointed = { position: '', values: [] };

export class Crosshair {
  private readonly line = el('div', { class: 'cursor-line', hidden: true });
  private dots: HTMLElement[] = [];

  attach(box: HTMLElement): void {
    this.dots = [];
    this.line.hidden = true;
    box.append(this.line);
  }

  hide(): Pointed {
    this.line.hidden = true;
    for (const dot of this.dots) dot.hidden = true;
    return nothing;
  }

  private dot(i: number): HTMLElement {
    while (this.dots.length <= i) {
      const dot = el('div', { class: 'cursor-dot', hidden: true });
      this.line.parentNode?.append(dot);
      this.dots.push(dot);
    }
    return this.dots[i];
  }

  private place(i: number, curve: Curve, px: number, py: number, f: Frame): void {
    const dot = this.dot(i);
    const inside = px >= -1 && px <= f.width + 1 && py >= -1 && py <= f.height + 1;
    dot.hidden = !inside;
    if (!inside) return;
    dot.style.transform = `translate(${px.toFixed(1)}px,${py.toFixed(1)}px)`;
    dot.style.setProperty('--dot', `var(--curve-${curve.colour % curveColours})`);
  }

  // In time charts every curve shows its sample that is nearest in time.
  atTime(curves: Curve[], x: number, f: Frame, name: string, unit: string): Pointed {
    const toX = mapX(f);
    const toY = mapY(f);
    const span = f.logY ? 0 : f.y[1] - f.y[0];
    let where = x;
    let shared = true;
    let owner: Curve | null = null;
    const values = curves.map((curve, i) => {
      const index = curve.visible ? nearestIndex(curve, x) : -1;
      if (index < 0) {
        this.dot(i).hidden = true;
        return null;
      }
      if (owner && owner.x !== curve.x) shared = false;
      if (!owner) where = curve.x[index];
      owner = curve;
      const value = curve.offset + curve.y[index];
      this.place(i, curve, toX(curve.x[index]), toY(value), f);
      const width = curve.band?.[index] ?? NaN;
      const band = Number.isFinite(width) ? ` \u00b1 ${formatNumber(width, 2)}` : '';
      return formatNumber(value, digitsFor(value, span)) + band;
    });
    for (let i = curves.length; i < this.dots.length; ++i) this.dots[i].hidden = true;
    if (!owner) return this.hide();
    if (!shared) where = x;
    const px = toX(where);
    this.line.hidden = !(px >= -1 && px <= f.width + 1);
    this.line.style.transform = `translateX(${px.toFixed(1)}px)`;
    const digits = Math.max(5, digitsFor(where, f.x[1] - f.x[0]));
    return { position: `${name} = ${formatNumber(where, digits)}${unit ? ' ' + unit : ''}`, values };
  }

  // In planes only the point that is nearest on the screen is shown.
  atPoint(curves: Curve[], px: number, py: number, f: Frame, names: { x: string; y: string; t: string }): Pointed {
    const toX = mapX(f);
    const toY = mapY(f);
    let best = 60 * 60;
    let found: { curve: number; index: number; x: number; y: number } | null = null;
    curves.forEach((curve, c) => {
      if (!curve.visible) return;
      const n = sampleCount(curve);
      for (let i = 0; i < n; ++i) {
        const dx = toX(curve.x[i]) - px;
        const dy = toY(curve.offset + curve.y[i]) - py;
        const distance = dx * dx + dy * dy;
        if (distance < best) {
          best = distance;
          found = { curve: c, index: i, x: px + dx, y: py + dy };
        }
      }
    });
    const pointed = this.hide();
    if (!found) return pointed;
    const hit: { curve: number; index: number; x: number; y: number } = found;
    const curve = curves[hit.curve];
    this.place(0, curve, hit.x, hit.y, f);
    const x = curve.x[hit.index];
    const y = curve.offset + curve.y[hit.index];
    const time = curve.t ? `${names.t} = ${formatNumber(curve.t[hit.index])}, ` : '';
    const position = `${time}${names.x || 'x'} = ${formatNumber(x)}, ${names.y || 'y'} = ${formatNumber(y)}`;
    return { position, values: curves.map((_, c) => (c === hit.curve && curves.length > 1 ? '●' : null)) };
  }
}
