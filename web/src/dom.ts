// SPDX-License-Identifier: BSD-3-Clause
// Small functions that build elements. Text is always inserted as text nodes, so no name can become markup.

export type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Child | Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child) element.append(child);
  }
  return element;
}

const iconPaths: Record<string, string> = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  alert: 'M12 4.5l8.5 15h-17zM12 10v4.2M12 17v.1',
  cross: 'M7 7l10 10M17 7L7 17',
  question: 'M9.2 9.3a2.9 2.9 0 1 1 4.2 2.6c-1 .5-1.4 1-1.4 2.1M12 17v.1',
  info: 'M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 1 0 0-17zM12 11v5.2M12 7.8v.1',
  plus: 'M12 6v12M6 12h12',
  minus: 'M6 12h12',
  reset: 'M5 5v5h5M5.6 10a7.2 7.2 0 1 1-.6 4.6',
  box: 'M5 8V5h3M16 5h3v3M19 16v3h-3M8 19H5v-3M9 9h6v6H9z',
  expand: 'M4 9V4h5M20 15v5h-5M4 4l6 6M20 20l-6-6',
  sun: 'M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8zM12 2.8v2M12 19.2v2M2.8 12h2M19.2 12h2M5.5 5.5l1.4 1.4M17.1 17.1l1.4 1.4M5.5 18.5l1.4-1.4M17.1 6.9l1.4-1.4',
  moon: 'M19.5 14.2A8 8 0 1 1 9.8 4.5a6.4 6.4 0 0 0 9.7 9.7z',
  play: 'M8 5.5v13l11-6.5z',
  pause: 'M8.5 5.5v13M15.5 5.5v13',
  save: 'M12 4v11M7.5 11l4.5 4.5L16.5 11M5 19.5h14',
  print: 'M7 9V4h10v5M7 17H4v-7h16v7h-3M7 14h10v6H7z',
  trill: 'M2 12c1.2-6 2.4-6 3.4 0s2.2 6 3.3 0 2.2-6 3.3 0 2.2 6 3.3 0 2.2-6 3.3 0 2.2 6 3.4 0',
};

export function icon(name: keyof typeof iconPaths | string): SVGSVGElement {
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(ns, 'path');
  path.setAttribute('d', iconPaths[name] ?? iconPaths.info);
  svg.append(path);
  return svg;
}

export function iconButton(name: string, label: string, press: () => void): HTMLButtonElement {
  return el('button', { type: 'button', class: 'tool', title: label, 'aria-label': label, click: press }, icon(name));
}

let counter = 0;
export const freshId = (stem: string): string => `${stem}-${++counter}`;

const xmlNames: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
// Control characters are not allowed in XML at all.
export const escapeXml = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '').replace(/[&<>"']/g, (c) => xmlNames[c]);
