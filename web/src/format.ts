// SPDX-License-Identifier: BSD-3-Clause
// Numbers and names as people read them.

// Removes zeros before an exponent but not those in it: 1.70e-10 becomes 1.7e-10.
function trimZeros(text: string): string {
  const [mantissa, exponent] = text.split('e');
  const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  return exponent === undefined ? short : `${short}e${exponent}`;
}

export function formatNumber(value: number | null, digits = 6): string {
  if (value === null || Number.isNaN(value)) return 'n/a';
  if (!Number.isFinite(value)) return value > 0 ? 'infinite' : '-infinite';
  if (value === 0) return '0';
  const precision = Math.min(17, Math.max(1, digits));
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return trimZeros(value.toExponential(precision - 1)).replace('e+', 'e');
  return trimZeros(value.toPrecision(precision)).replace('e+', 'e');
}

// Enough digits to distinguish values that differ by a small part of the visible range.
export function digitsFor(value: number, span: number): number {
  if (!(span > 0) || value === 0 || !Number.isFinite(value)) return 6;
  return Math.min(15, Math.max(4, Math.ceil(Math.log10(Math.abs(value) / span)) + 4));
}

export const withUnit = (name: string, unit: string): string => (unit ? `${name} [${unit}]` : name);

export const grouped = (count: number): string => Math.round(count).toLocaleString('en-US').replace(/,/g, '\u202f');

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
export function powerOfTen(exponent: number): string {
  const digits = String(Math.abs(exponent)).replace(/\d/g, (d) => superscripts[Number(d)]);
  return `10${exponent < 0 ? '⁻' : ''}${digits}`;
}

export const humanise = (code: string): string => code.replace(/_/g, ' ');
