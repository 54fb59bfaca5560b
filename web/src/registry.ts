// SPDX-License-Identifier: BSD-3-Clause
// Keeps a list of all plots of the page. Draws those near the screen, and all of them before printing.

import { isForPaper, onThemeChange, setPrinting } from './theme';

export interface LazyPlot {
  setNear(near: boolean): void;
  refresh(): void;
  draw(): void;
  state(): { id: string };
}

const plots = new Map<Element, LazyPlot>();

const sight = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) plots.get(entry.target)?.setNear(entry.isIntersecting);
  },
  { rootMargin: '300px 0px' },
);

const widths = new WeakMap<Element, number>();
const size = new ResizeObserver((entries) => {
  for (const entry of entries) {
    const width = Math.round(entry.contentRect.width);
    if (widths.get(entry.target) === width) continue;
    widths.set(entry.target, width);
    plots.get(entry.target)?.refresh();
  }
});

export function registerPlot(plot: LazyPlot, element: Element): void {
  plots.set(element, plot);
  if (isForPaper()) plot.setNear(true);
  else sight.observe(element);
  size.observe(element);
}

export function forgetPlot(element: Element): void {
  plots.delete(element);
  sight.unobserve(element);
  size.unobserve(element);
}

export const allPlots = (): LazyPlot[] => [...plots.values()];

export function drawAll(): void {
  for (const plot of plots.values()) plot.draw();
}

function forPrint(on: boolean): void {
  setPrinting(on);
  document.querySelectorAll('details').forEach((details) => {
    if (on && !details.open) details.dataset.opened = details.toggleAttribute('open', true) ? 'yes' : '';
    else if (!on && !isForPaper() && details.dataset.opened) {
      delete details.dataset.opened;
      details.open = false;
    }
  });
  if (on || isForPaper()) drawAll();
  else for (const plot of plots.values()) plot.refresh();
}

// Shows the page as it would be printed, from the start.
export const showAsPrinted = (): void => forPrint(true);

export function startRegistry(): void {
  onThemeChange(() => plots.forEach((plot) => plot.refresh()));
  addEventListener('beforeprint', () => forPrint(true));
  addEventListener('afterprint', () => forPrint(false));
  matchMedia('print').addEventListener('change', (event) => forPrint(event.matches));
}
