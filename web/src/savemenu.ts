// SPDX-License-Identifier: BSD-3-Clause
// The menu of a plot with the forms in which it can be saved.

import { el, icon } from './dom';
import { download, fileName, plotCsv, plotSvg, savePng, type SavedPlot } from './save';

export function saveMenu(title: () => string, plot: () => SavedPlot | null, canvas: () => HTMLCanvasElement | null): HTMLElement {
  const menu = el('details', { class: 'save' });
  const entry = (name: string, save: () => void): HTMLElement =>
    el('button', { type: 'button', class: 'tool text', 'aria-label': `Save as ${name}`, click: () => { save(); menu.open = false; } }, name);
  const text = (ending: string, kind: string, write: (p: SavedPlot) => string): void => {
    const shown = plot();
    if (shown) download(fileName(title(), ending), new Blob([write(shown)], { type: kind }));
  };
  menu.append(
    el('summary', { class: 'tool', title: 'Save this plot', 'aria-label': 'Save this plot' }, icon('save')),
    el(
      'div',
      { class: 'save-forms', role: 'group', 'aria-label': 'Save this plot as' },
      entry('SVG', () => text('svg', 'image/svg+xml', plotSvg)),
      entry('PNG', () => {
        const drawn = canvas();
        if (drawn) savePng(title(), drawn);
      }),
      entry('CSV', () => text('csv', 'text/csv', plotCsv)),
    ),
  );
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
    event.stopPropagation();
  });
  menu.addEventListener('focusout', (event) => {
    if (!menu.contains(event.relatedTarget as Node | null)) menu.open = false;
  });
  return menu;
}
