// SPDX-License-Identifier: BSD-3-Clause
// The legend under a plot: one switch for each curve, which also shows the value at the cursor.

import type { Curve } from './curve';
import { bandOpacity } from './band';
import { el } from './dom';
import type { BandMeaning } from './model';
import { curveColours, dashOf } from './theme';

interface Entry {
  button: HTMLButtonElement;
  value: HTMLElement;
}

function swatch(line: Record<string, string>): SVGSVGElement {
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  svg.setAttribute('viewBox', '0 0 20 8');
  svg.setAttribute('class', 'swatch');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(ns, 'path');
  path.setAttribute('d', 'M1 4H19');
  for (const [name, value] of Object.entries(line)) path.setAttribute(name, value);
  svg.append(path);
  return svg;
}

const curveSwatch = (colour: number): SVGSVGElement =>
  swatch({ style: `stroke:var(--curve-${colour % curveColours})`, 'stroke-dasharray': dashOf(colour).join(' ') });

const bandWords: Record<BandMeaning, string> = {
  oscillation: 'band: fast oscillation',
  bound: 'band: bound of the error',
  estimate: 'band: estimate of the error',
};

const bandKey = (meaning: BandMeaning): HTMLElement =>
  el(
    'span',
    { class: 'band-key' },
    swatch({ style: `stroke:var(--ink);stroke-width:8;stroke-opacity:${bandOpacity}` }),
    bandWords[meaning],
  );

export class Legend {
  readonly element = el('div', { class: 'legend' });
  readonly position = el('span', { class: 'position' });
  private entries: Entry[] = [];
  private curves: Curve[] = [];

  constructor(private readonly changed: () => void) {}

  setCurves(curves: Curve[]): void {
    this.curves = curves;
    this.entries = curves.map((curve) => {
      const value = el('span', { class: 'value' });
      const button = el(
        'button',
        {
          type: 'button',
          class: 'entry',
          title: 'Show or hide. With Alt: show only this one.',
          'aria-pressed': String(curve.visible),
          click: (event: MouseEvent) => (event.altKey ? this.solo(curve) : this.flip(curve)),
        },
        curveSwatch(curve.colour),
        el('span', { class: 'name' }, curve.label),
        value,
      );
      return { button, value };
    });
    const bulk =
      curves.length > 4 &&
      el(
        'span',
        { class: 'bulk' },
        el('button', { type: 'button', click: () => this.all(true) }, 'all'),
        el('button', { type: 'button', click: () => this.all(false) }, 'none'),
      );
    const banded = curves.find((curve) => curve.band);
    const key = banded !== undefined && bandKey(banded.bandOf ?? 'oscillation');
    this.element.replaceChildren(...this.entries.map((e) => e.button), ...[key, bulk].filter((part) => part !== false));
  }

  private flip(curve: Curve): void {
    curve.visible = !curve.visible;
    this.refresh();
  }

  private solo(curve: Curve): void {
    for (const other of this.curves) other.visible = other === curve;
    this.refresh();
  }

  private all(visible: boolean): void {
    for (const curve of this.curves) curve.visible = visible;
    this.refresh();
  }

  private refresh(): void {
    this.entries.forEach((entry, i) => entry.button.setAttribute('aria-pressed', String(this.curves[i].visible)));
    this.changed();
  }

  show(position: string, values: (string | null)[]): void {
    this.position.textContent = position;
    this.entries.forEach((entry, i) => (entry.value.textContent = values[i] ?? ''));
    this.element.classList.toggle('live', position !== '');
  }
}
