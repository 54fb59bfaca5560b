// SPDX-License-Identifier: BSD-3-Clause
// Writes the drawing commands for a canvas as SVG, so that the same code paints and saves a picture.

import { escapeXml } from './dom';

export type Pen = Pick<
  CanvasRenderingContext2D,
  'fillStyle' | 'strokeStyle' | 'lineWidth' | 'font' | 'textAlign' | 'fillRect' | 'strokeRect' | 'fillText'
>;

const anchors: Partial<Record<CanvasTextAlign, string>> = { center: 'middle', right: 'end', end: 'end' };

export class SvgPen implements Pen {
  fillStyle: Pen['fillStyle'] = '#000';
  strokeStyle: Pen['strokeStyle'] = '#000';
  lineWidth = 1;
  font = '12px sans-serif';
  textAlign: CanvasTextAlign = 'left';
  private readonly parts: string[] = [];

  constructor(
    private readonly width: number,
    private readonly height: number,
    ground: string,
  ) {
    this.fillStyle = ground;
    this.fillRect(0, 0, width, height);
  }

  private box(x: number, y: number, width: number, height: number): string {
    return `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}"`;
  }
  fillRect(x: number, y: number, width: number, height: number): void {
    this.parts.push(`${this.box(x, y, width, height)} fill="${escapeXml(String(this.fillStyle))}"/>`);
  }
  strokeRect(x: number, y: number, width: number, height: number): void {
    const stroke = `fill="none" stroke="${escapeXml(String(this.strokeStyle))}" stroke-width="${this.lineWidth}"`;
    this.parts.push(`${this.box(x, y, width, height)} ${stroke}/>`);
  }
  fillText(text: string, x: number, y: number): void {
    const look = `style="font:${escapeXml(this.font)}" text-anchor="${anchors[this.textAlign] ?? 'start'}"`;
    const place = `x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="${escapeXml(String(this.fillStyle))}"`;
    this.parts.push(`<text ${place} ${look}>${escapeXml(text)}</text>`);
  }

  take(): string {
    const size = `width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}"`;
    return [`<svg xmlns="http://www.w3.org/2000/svg" ${size}>`, ...this.parts, '</svg>', ''].join('\n');
  }
}
