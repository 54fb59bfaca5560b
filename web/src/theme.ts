// SPDX-License-Identifier: BSD-3-Clause
// Light and dark: follows the system until the reader chooses; print is always light.

type Theme = 'light' | 'dark';

const storageKey = 'trill-theme';
const listeners = new Set<() => void>();
let chosen: Theme | null = null;
let printing = false;

// Some browsers refuse storage to pages from files.
function stored(): Theme | null {
  try {
    const value = localStorage.getItem(storageKey);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

const systemDark = matchMedia('(prefers-color-scheme: dark)');

// A page for paper is black on white, also on the screen.
export const isForPaper = (): boolean => document.documentElement.hasAttribute('data-print');

export function currentTheme(): Theme {
  if (printing || isForPaper()) return 'light';
  return chosen ?? (systemDark.matches ? 'dark' : 'light');
}

function apply(): void {
  document.documentElement.dataset.theme = currentTheme();
  palette = null;
  listeners.forEach((listener) => listener());
}

export function startTheme(): void {
  chosen = stored();
  systemDark.addEventListener('change', apply);
  apply();
}

export function toggleTheme(): void {
  const other = currentTheme() === 'dark' ? 'light' : 'dark';
  chosen = (other === 'dark') === systemDark.matches ? null : other;
  try {
    if (chosen) localStorage.setItem(storageKey, chosen);
    else localStorage.removeItem(storageKey);
  } catch {
    // Then the choice lasts only as long as the page is open.
  }
  apply();
}

export function setPrinting(on: boolean): void {
  printing = on;
  document.documentElement.classList.toggle('printing', on);
  apply();
}

export const onThemeChange = (listener: () => void): void => void listeners.add(listener);

export interface Palette {
  curves: string[];
  text: string;
  grid: string;
  axis: string;
  event: string;
  surface: string;
}

let palette: Palette | null = null;
export const curveColours = 8;

export function colours(): Palette {
  if (palette) return palette;
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(name).trim();
  palette = {
    curves: Array.from({ length: curveColours }, (_, i) => read(`--curve-${i}`)),
    text: read('--muted'),
    grid: read('--grid'),
    axis: read('--axis'),
    event: read('--event'),
    surface: read('--surface'),
  };
  return palette;
}

// After the last colour of the palette the colours are repeated, first dashed, then dotted. Without colours only the
// dashes distinguish curves.
export const dashes: number[][] = [[], [7, 3], [2, 2.5]];
const paperDashes: number[][] = [[], [7, 3], [2, 2.5], [9, 3, 2, 3], [14, 4], [9, 3, 2, 3, 2, 3], [4, 4], [1, 4]];
export const dashOf = (colour: number): number[] =>
  isForPaper() ? paperDashes[colour % paperDashes.length] : dashes[Math.min(dashes.length - 1, Math.floor(colour / curveColours))];
