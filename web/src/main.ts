// SPDX-License-Identifier: BSD-3-Clause
// Builds the page from the embedded data.

import { el, icon, iconButton } from './dom';
import type { Report } from './model';
import { figuresSection, overlayPanel, runPanel, shapesSection, tablesSection } from './panels';
import { download, fileName } from './save';
import { PictureCard } from './picturecard';
import { PlotCard } from './plotcard';
import { readReport } from './read';
import { allPlots, drawAll, showAsPrinted, startRegistry } from './registry';
import { ShapeCard } from './shapecard';
import { tabs, type TabSpec } from './tabs';
import { currentTheme, isForPaper, onThemeChange, startTheme, toggleTheme } from './theme';
import { verdictMark } from './trust';

function themeTool(): HTMLButtonElement {
  const button = iconButton('moon', 'Switch between light and dark', toggleTheme);
  const show = (): void => button.replaceChildren(icon(currentTheme() === 'dark' ? 'sun' : 'moon'));
  onThemeChange(show);
  show();
  return button;
}

function saveData(title: string): void {
  const data = document.getElementById('trill-data')?.textContent ?? '';
  download(fileName(title, 'json'), new Blob([data], { type: 'application/json' }));
}

function masthead(title: string, report: Report | null): HTMLElement {
  const origin = [report?.version ? `trill ${report.version}` : 'trill', report?.generated].filter(Boolean).join(', ');
  return el(
    'header',
    { class: 'masthead' },
    el('div', { class: 'brand' }, icon('trill'), el('span', {}, origin)),
    el('div', { class: 'page-tools' }, report ? iconButton('save', 'Save the numbers of this page as JSON', () => saveData(title)) : null, iconButton('print', 'Print', () => print()), themeTool()),
    el('h1', {}, title),
  );
}

function problemBox(problems: string[]): HTMLElement | null {
  if (problems.length === 0) return null;
  return el(
    'div',
    { class: 'status bad', role: 'alert' },
    icon('alert'),
    el(
      'div',
      {},
      el('strong', {}, 'Parts of the data in this page are damaged.'),
      el('ul', {}, ...problems.slice(0, 12).map((p) => el('li', {}, p))),
      problems.length > 12 ? el('p', {}, `and ${problems.length - 12} more`) : null,
    ),
  );
}

function summaryBox(report: Report): HTMLElement | null {
  if (report.summary.length === 0) return null;
  return el('section', { class: 'card answer', 'aria-label': 'In short' }, ...report.summary.map((line) => el('p', { class: 'question' }, line)));
}

function runsSection(report: Report): HTMLElement | null {
  const { runs } = report;
  if (runs.length === 0) return null;
  if (runs.length === 1) {
    return el('div', { class: 'panel' }, ...(runPanel(runs[0]).filter(Boolean) as HTMLElement[]));
  }
  const specs: TabSpec[] = runs.map((run) => ({
    label: run.label,
    mark: verdictMark(run.trust?.verdict ?? 'none', false),
    build: () => runPanel(run),
  }));
  specs.push({ label: 'Overlay', build: () => overlayPanel(runs) });
  return tabs(specs, 'Runs');
}

function buildPage(page: HTMLElement): void {
  const { report, fatal, problems } = readReport(document.getElementById('trill-data')?.textContent ?? '');
  if (!report) {
    page.replaceChildren(
      masthead('Report', null),
      el('main', {}, el('div', { class: 'status bad', role: 'alert' }, icon('alert'), el('div', {}, el('strong', {}, 'There is nothing to show.'), el('p', {}, fatal)))),
    );
    return;
  }
  document.title = `${report.title} - trill`;
  const empty = report.runs.length + report.figures.length + report.tables.length + report.shapes.length === 0;
  const main = el('main', {});
  page.replaceChildren(
    masthead(report.title, report),
    main,
    el('footer', { class: 'colophon' }, 'Drag to zoom, Shift-drag for both axes, double-click to reset. On touch screens: pinch. With keys: arrows, plus, minus, 0.'),
  );
  const sections = [
    problemBox(problems),
    summaryBox(report),
    empty ? el('p', { class: 'empty' }, 'This report holds no runs, charts or tables.') : null,
    runsSection(report),
    shapesSection(report),
    figuresSection(report),
    tablesSection(report),
  ];
  main.append(...(sections.filter(Boolean) as HTMLElement[]));
}

function plotsShown(): PlotCard[] {
  return allPlots().filter((plot): plot is PlotCard => plot instanceof PlotCard);
}

function plotById(id: string): PlotCard {
  const plot = plotsShown().find((p) => p.spec.id === id);
  if (!plot) throw new Error(`no plot ${id}`);
  return plot;
}

// Lets tests find out what is shown without reading pixels.
const handle = {
  charts: () => plotsShown().map((plot) => plot.state()),
  pictures: () => allPlots().filter((plot): plot is PictureCard => plot instanceof PictureCard).map((plot) => plot.state()),
  shapes: () => allPlots().filter((plot): plot is ShapeCard => plot instanceof ShapeCard).map((plot) => plot.state()),
  drawAll,
  zoom: (id: string, x: [number, number]) => plotById(id).zoomTo(x, null),
  reset: (id: string) => plotById(id).reset(),
  values: (id: string) => plotById(id).spec.curves.map((c) => ({ x: [...c.x], y: Array.from(c.y, (v) => c.offset + v) })),
};
Object.assign(window, { trill: handle });

const page = document.getElementById('page') as HTMLElement;
try {
  startTheme();
  startRegistry();
  buildPage(page);
  if (isForPaper()) showAsPrinted();
} catch (error) {
  page.prepend(el('div', { class: 'status bad', role: 'alert' }, el('div', {}, el('strong', {}, 'This page could not be built.'), el('p', {}, String(error)))));
  throw error;
}
