// SPDX-License-Identifier: BSD-3-Clause
// Positions and labels of ticks. uPlot's own are not used, because zooms of oscillating runs reach ranges far below
// 1e-9 of the value, where labels need an offset and a power of ten.

import { powerOfTen } from './format';

export interface AxisLabels {
  ticks: number[];
  labels: string[];
  factor: string; // the factor and the offset that apply to every label, '' if there are none
}

const typographic = (text: string): string => text.replace(/-/g, '\u2212');

export function niceStep(span: number, count: number): number {
  const raw = span / Math.max(1, count);
  const base = 10 ** Math.floor(Math.log10(raw));
  const lead = raw / base;
  return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * base;
}

function linearTicks(min: number, max: number, count: number): { ticks: number[]; step: number } {
  const step = niceStep(max - min, count);
  const first = Math.ceil(min / step - 1e-9);
  const ticks: number[] = [];
  for (let i = 0; i < 60; ++i) {
    const tick = (first + i) * step;
    if (tick > max + step * 1e-9) break;
    ticks.push(tick);
  }
  return { ticks, step };
}

function labelLinear(ticks: number[], step: number): AxisLabels {
  if (ticks.length === 0) return { ticks, labels: [], factor: '' };
  const size = Math.max(...ticks.map(Math.abs));
  const span = ticks[ticks.length - 1] - ticks[0];
  const offset = span > 0 && span / size < 2e-4 ? ticks[Math.floor(ticks.length / 2)] : 0;
  // Rounding to integer multiples of the step keeps the rounding errors of the subtraction out of the labels.
  const relative = offset === 0 ? ticks : ticks.map((t) => Math.round((t - offset) / step) * step);
  const largest = Math.max(...relative.map(Math.abs));
  const exponent = largest > 0 ? Math.floor(Math.log10(largest) + 1e-9) : 0;
  const shift = offset !== 0 || exponent < -3 || exponent > 4 ? exponent : 0;
  const unit = 10 ** shift;
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9)));
  const labels = relative.map((t) => typographic((Math.abs(t) < step / 2 ? 0 : t / unit).toFixed(decimals)));
  const parts: string[] = [];
  if (shift !== 0) parts.push(`× ${powerOfTen(shift)}`);
  if (offset !== 0) {
    const places = Math.min(15, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
    const plain = places > 0 ? Math.abs(offset).toFixed(places).replace(/\.?0+$/, '') : String(Math.abs(offset));
    parts.push(`${offset < 0 ? '\u2212' : '+'} ${plain}`);
  }
  return { ticks, labels, factor: parts.join(' ') };
}

function logTicks(min: number, max: number, count: number): AxisLabels {
  const low = Math.log10(min);
  const high = Math.log10(max);
  if (high - low < 1.2) {
    const { ticks, step } = linearTicks(min, max, count);
    return labelLinear(ticks.filter((t) => t > 0), step);
  }
  const stride = Math.max(1, Math.ceil((high - low) / Math.max(2, count)));
  const first = Math.ceil(low / stride - 1e-9) * stride;
  const ticks: number[] = [];
  const labels: string[] = [];
  for (let e = first; e <= high + 1e-9; e += stride) {
    ticks.push(10 ** e);
    labels.push(powerOfTen(e));
  }
  return { ticks, labels, factor: '' };
}

export function axisLabels(min: number, max: number, log: boolean, count: number): AxisLabels {
  if (!(max > min)) return { ticks: [], labels: [], factor: '' };
  if (log) return logTicks(min, max, count);
  const { ticks, step } = linearTicks(min, max, count);
  return labelLinear(ticks, step);
}
