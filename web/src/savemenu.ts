// SPDX-License-Identifier: BSD-3-Clause
// The menu of a plot with the file formats in which it can be saved.

import { el, icon } from './dom';
import { download, fileName, savePng } from './save';

// The formats of a picture. Functions return null if there is nothing to save yet.
export interface Forms {
  svg: () => string | null;
  csv: () => string | null;
  canvas: () => HTMLCanvasElement | null;
}

export function saveMenu(title: () => string, forms: Forms): HTMLElement {
  const menu = el('details', { class: 'save' });
  const entry = (name: string, save: () => void): HTMLElement =>
    el('button', { type: 'button', class: 'tool text', 'aria-label': `Save as ${name}`, click: () => { save(); menu.open = false; } }, name);
  const text = (ending: string, kind: string, content: string | null): void => {
    if (content !== null) download(fileName(title(), ending), new Blob([content], { type: kind }));
  };
  menu.append(
    el('summary', { class: 'tool', title: 'Save this plot', 'aria-label': 'Save this plot' }, icon('save')),
    el(
      'div',
      { class: 'save-forms', role: 'group', 'aria-label': 'Save this plot as' },
      entry('SVG', () => text('svg', 'image/svg+xml', forms.svg())),
      entry('PNG', () => {
        const drawn = forms.canvas();
        if (drawn) savePng(title(), drawn);
      }),
      entry('CSV', () => text('csv', 'text/csv', forms.csv())),
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
