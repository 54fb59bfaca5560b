// SPDX-License-Identifier: BSD-3-Clause
// Sentences about a plot for readers who cannot see it, and about values that it cannot show.

import { grouped } from './format';
import type { Ranges, ViewSpec } from './view';

export function describePlot(spec: ViewSpec, ranges: Ranges): string {
  const names = spec.curves.filter((c) => c.visible).map((c) => c.label);
  const shown = names.length > 6 ? `${names.slice(0, 6).join(', ')} and ${names.length - 6} more` : names.join(', ');
  const [from, to] = ranges.x.map((v) => v.toPrecision(5));
  const keys = 'Arrow keys move the cursor, plus and minus zoom, zero resets.';
  return `Plot of ${shown || 'nothing'}, ${spec.x.label || 'x'} from ${from} to ${to}. ${keys}`;
}

export function logHint(ranges: Ranges, yZoomed: boolean): string {
  const { dropped, below, message } = ranges;
  if (message) return '';
  const values = (n: number): string => (n === 1 ? '1 value' : `${grouped(n)} values`);
  const hints: string[] = [];
  if (dropped > 0) hints.push(`${values(dropped)} at or below zero cannot be shown on the logarithmic axis.`);
  if (below > 0 && !yZoomed) hints.push(`${values(below)} far below the axis.`);
  return hints.join(' ');
}
