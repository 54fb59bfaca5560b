// SPDX-License-Identifier: BSD-3-Clause
// What a reader can save: a plot as SVG, PNG or CSV, and the numbers of the page as JSON.

import type { Curve } from './curve';
import { escapeXml } from './dom';
import { mapX, mapY, markLabels, type Frame } from './draw';
import { withUnit } from './format';
import type { FigureAxis, Mark } from './model';
import { colours, dashOf } from './theme';

export interface SavedPlot {
  title: string;
  x: FigureAxis;
  y: FigureAxis;
  curves: Curve[]; // the visible curves
  frame: Frame; // the visible range, with its logarithmic axes
  style: 'line' | 'points' | 'both';
  marks: Mark[];
  ticks: { x: { at: number[]; labels: string[]; factor: string }; y: { at: number[]; labels: string[]; factor: string } };
}

// A spreadsheet would take a cell that begins like a formula for a formula.
export const csvCell = (text: string): string => {
  const plain = /^[=+\-@\t\r]/.test(text) ? ` ${text}` : text;
  return /[",\n\r]/.test(plain) ? `"${plain.replace(/"/g, '""')}"` : plain;
};

const numberText = (value: number): string => (Number.isFinite(value) ? String(value) : '');
const valueOf = (c: Curve, i: number): number => c.offset + c.y[i];

export function plotCsv(plot: SavedPlot): string {
  const name = (label: string, unit: string): string => csvCell(withUnit(label, unit));
  const { curves } = plot;
  const shared = curves.length > 0 && curves.every((c) => c.x === curves[0].x);
  const lines: string[] = [];
  if (shared) {
    lines.push([name(plot.x.label, plot.x.unit), ...curves.map((c) => name(c.label, c.unit))].join(','));
    for (let i = 0; i < curves[0].x.length; ++i) {
      lines.push([numberText(curves[0].x[i]), ...curves.map((c) => numberText(valueOf(c, i)))].join(','));
    }
  } else {
    lines.push(['curve', name(plot.x.label || 'x', plot.x.unit), name(plot.y.label || 'y', plot.y.unit)].join(','));
    for (const c of curves) {
      for (let i = 0; i < Math.min(c.x.length, c.y.length); ++i) {
        lines.push([csvCell(c.label), numberText(c.x[i]), numberText(valueOf(c, i))].join(','));
      }
    }
  }
  return lines.join('\r\n') + '\r\n';
}

function curvePath(c: Curve, frame: Frame): { line: string; dots: [number, number][] } {
  const [toX, toY] = [mapX(frame), mapY(frame)];
  const parts: string[] = [];
  const dots: [number, number][] = [];
  let pen = false;
  for (let i = 0; i < Math.min(c.x.length, c.y.length); ++i) {
    const [x, y] = [toX(c.x[i]), toY(valueOf(c, i))];
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      pen = false;
      continue;
    }
    parts.push(`${pen ? 'L' : 'M'}${x.toFixed(2)} ${y.toFixed(2)}`);
    dots.push([x, y]);
    pen = true;
  }
  return { line: parts.join(''), dots };
}

export function plotSvg(plot: SavedPlot): string {
  const [left, top, width, height] = [64, 44, 640, 320];
  const frame: Frame = { ...plot.frame, left, top, width, height, ratio: 1 };
  const palette = colours();
  const legendTop = top + height + 56;
  const total = legendTop + 18 * plot.curves.length;
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 20} ${total}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(plot.title)}</title>`,
    `<rect width="100%" height="100%" fill="${palette.surface}"/>`,
    `<clipPath id="box"><rect x="${left}" y="${top}" width="${width}" height="${height}"/></clipPath>`,
  ];
  const text = (x: number, y: number, content: string, anchor = 'start', more = ''): void => {
    out.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${palette.text}"${more}>${escapeXml(content)}</text>`);
  };
  text(left, 20, plot.title, 'start', ' font-size="15" font-weight="600"');
  text(left - 44, top - 8, [withUnit(plot.y.label, plot.y.unit), plot.ticks.y.factor].filter(Boolean).join('  '));
  text(left + width, top + height + 38, [withUnit(plot.x.label, plot.x.unit), plot.ticks.x.factor].filter(Boolean).join('  '), 'end');
  plot.ticks.x.at.forEach((share, i) => {
    const x = left + share * width;
    out.push(`<path d="M${x.toFixed(1)} ${top}V${top + height}" stroke="${palette.grid}"/>`);
    text(x, top + height + 18, plot.ticks.x.labels[i], 'middle');
  });
  plot.ticks.y.at.forEach((share, i) => {
    const y = top + (1 - share) * height;
    out.push(`<path d="M${left} ${y.toFixed(1)}H${left + width}" stroke="${palette.grid}"/>`);
    text(left - 8, y + 4, plot.ticks.y.labels[i], 'end');
  });
  for (const { x, label } of markLabels(plot.marks, frame, (name) => 6.5 * name.length)) {
    out.push(`<path d="M${x.toFixed(1)} ${top}v${height}" stroke="${palette.event}" stroke-dasharray="3 3"/>`);
    if (label) text(x + 4, top + 13, label, 'start', ' font-size="11"');
  }
  out.push('<g clip-path="url(#box)" fill="none" stroke-width="1.5">');
  plot.curves.forEach((c) => {
    const colour = palette.curves[c.colour % palette.curves.length];
    const { line, dots } = curvePath(c, frame);
    if (plot.style !== 'points') out.push(`<path d="${line}" stroke="${colour}" stroke-dasharray="${dashOf(c.colour).join(' ')}"/>`);
    if (plot.style !== 'line') for (const [x, y] of dots) out.push(`<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="2.5" fill="${colour}"/>`);
  });
  out.push('</g>');
  out.push(`<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="none" stroke="${palette.axis}"/>`);
  plot.curves.forEach((c, i) => {
    const y = legendTop + 18 * i;
    const colour = palette.curves[c.colour % palette.curves.length];
    out.push(`<path d="M${left} ${y}h22" stroke="${colour}" stroke-width="2" stroke-dasharray="${dashOf(c.colour).join(' ')}"/>`);
    text(left + 30, y + 4, withUnit(c.label, c.unit));
  });
  return [...out, '</svg>', ''].join('\n');
}

export const fileName = (title: string, ending: string): string =>
  `${title.normalize('NFKD').replace(/[^A-Za-z0-9]+/g, '_').replace(/^_+|_+$/g, '').slice(0, 60) || 'plot'}.${ending}`;

export function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// To draw the SVG of a plot as a picture, the browser would have to load an image, which the page forbids. So the
// canvas of the plot is used as it is, on the background of the page and below its title.
export function savePng(title: string, canvas: HTMLCanvasElement): void {
  const ratio = devicePixelRatio || 1;
  const head = Math.round(34 * ratio);
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [canvas.width, canvas.height + head];
  const ctx = copy.getContext('2d');
  if (!ctx) return;
  const palette = colours();
  ctx.fillStyle = palette.surface;
  ctx.fillRect(0, 0, copy.width, copy.height);
  ctx.fillStyle = palette.text;
  ctx.font = `600 ${15 * ratio}px sans-serif`;
  ctx.fillText(title, 10 * ratio, 22 * ratio, copy.width - 20 * ratio);
  ctx.drawImage(canvas, 0, head);
  copy.toBlob((blob) => blob && download(fileName(title, 'png'), blob));
}
