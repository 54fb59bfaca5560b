// SPDX-License-Identifier: BSD-3-Clause
// Tabs that build their panel when it is first used.

import { el, freshId, type Child } from './dom';

export interface TabSpec {
  label: string;
  mark?: HTMLElement;
  build: () => (HTMLElement | null)[];
}

export function tabs(specs: TabSpec[], title: string): HTMLElement {
  const bar = el('div', { class: 'tabs', role: 'tablist', 'aria-label': title });
  const holder = el('div', {});
  const built = new Set<number>();
  const buttons: HTMLButtonElement[] = [];
  const panels: HTMLElement[] = [];

  const open = (index: number, focus: boolean): void => {
    buttons.forEach((button, i) => {
      button.setAttribute('aria-selected', String(i === index));
      button.tabIndex = i === index ? 0 : -1;
      panels[i].hidden = i !== index;
    });
    if (focus) {
      buttons[index].focus();
      buttons[index].scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
    if (!built.has(index)) {
      built.add(index);
      panels[index].append(...(specs[index].build().filter(Boolean) as HTMLElement[]));
    }
  };

  specs.forEach((spec, i) => {
    const panelId = freshId('panel');
    const tabId = freshId('tab');
    const content: Child[] = [spec.mark, el('span', {}, spec.label)];
    buttons.push(
      el('button', { type: 'button', role: 'tab', id: tabId, 'aria-controls': panelId, click: () => open(i, false) }, content),
    );
    panels.push(
      el('div', { class: 'panel', role: 'tabpanel', id: panelId, 'aria-labelledby': tabId, hidden: true }, el('p', { class: 'print-label' }, spec.label)),
    );
  });
  bar.append(...buttons);
  bar.addEventListener('keydown', (event) => {
    const now = buttons.findIndex((b) => b === document.activeElement);
    const last = buttons.length - 1;
    const next = { ArrowRight: now === last ? 0 : now + 1, ArrowLeft: now <= 0 ? last : now - 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    open(next, true);
  });
  holder.append(bar, ...panels);
  open(0, false);
  return holder;
}
