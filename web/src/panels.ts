// SPDX-License-Identifier: BSD-3-Clause
// The panel of one run, the overlay of several, and the figures that belong to no run.

import { answerCard } from './answer';
import { curveOf, deviationFromStart, groupRank, groupTitle, showsMagnitude, startsLog, timeCharts } from './groups';
import { CyclePanel } from './cyclepanel';
import { el } from './dom';
import { definitions, noticeList, statusBox, tableCard, workBox } from './facts';
import { grouped } from './format';
import { HeatCard } from './heat';
import { XLink } from './link';
import type { Figure, Report, Run, Series } from './model';
import { phaseCard } from './phase';
import { PictureCard } from './picturecard';
import { PlotCard } from './plotcard';
import { searchCard } from './search';
import { ShapeCard } from './shapecard';
import { trustBanner, verdictMark } from './trust';

const heading = (text: string): HTMLElement => el('h2', {}, text);

// Groups that describe how a run was computed, not its result.
const ofComputing = new Set(['step', 'newton']);
const ofTime = (charts: HTMLElement[]): HTMLElement => el('div', { class: 'charts' }, ...charts);

function howComputed(run: Run, charts: HTMLElement[]): HTMLElement {
  const numbers = definitions(run);
  return el(
    'details',
    { class: 'computed' },
    el('summary', {}, 'How it was computed'),
    run.status.ok ? statusBox(run) : null,
    workBox(run),
    noticeList(run, ['info']),
    charts.length > 0 ? ofTime(charts) : null,
    numbers ? heading('Numbers') : null,
    numbers,
  );
}

export function runPanel(run: Run): (HTMLElement | null)[] {
  const link = new XLink();
  const picture = run.picture ? new PictureCard(run, run.picture, link).element : null;
  const specs = timeCharts(run, link);
  const cards = specs.map((spec) => new PlotCard(spec));
  const elements = (computing: boolean): HTMLElement[] =>
    cards.filter((_, i) => ofComputing.has(specs[i].group ?? '') === computing).map((card) => card.element);
  const charts = elements(false);
  const cycles = run.cycles ? new CyclePanel(run, run.cycles, cards).element : null;
  const phase = phaseCard([run], run.id);
  const remarks = [
    run.others.series.length > 0 ? `The plots show what the measures name and what moves most; ${grouped(run.others.series.length)} others can be searched for below.` : '',
    run.hiddenComponents > 0 ? `${grouped(run.hiddenComponents)} further components are only in the file of the run.` : '',
    run.events.length > 0 ? `Dashed vertical lines mark events: ${eventSummary(run)}.` : '',
  ].filter(Boolean);
  return [
    run.status.ok ? null : statusBox(run),
    answerCard(run),
    trustBanner(run.trust),
    noticeList(run, ['error', 'warning']),
    picture,
    heading('Over time'),
    remarks.length > 0 ? el('p', { class: 'remark' }, remarks.join(' ')) : null,
    charts.length > 0 ? ofTime(charts) : el('p', { class: 'empty' }, 'This run holds no series to draw.'),
    searchCard(run, link),
    cycles ? heading('Cycle by cycle') : null,
    cycles,
    run.spectrum.length > 0 ? heading('Spectrum') : null,
    run.spectrum.length > 0 ? el('div', { class: 'charts' }, ...run.spectrum.map((f, i) => figureCard(f, `${run.id}-spectrum-${i}`, run.spectrum.length === 1))) : null,
    phase ? heading('Phase plane') : null,
    phase,
    howComputed(run, elements(true)),
  ];
}

function eventSummary(run: Run): string {
  const counts = new Map<string, number>();
  for (const e of run.events) counts.set(e.name, (counts.get(e.name) ?? 0) + 1);
  return [...counts].map(([name, n]) => (n > 1 ? `${name} (${grouped(n)})` : name)).join(', ');
}

function comparison(runs: Run[]): HTMLElement {
  const keys = [...new Set(runs.flatMap((run) => run.counters.map((row) => row[0] ?? '')))];
  return el(
    'section',
    { class: 'card', 'aria-label': 'The runs side by side' },
    el('h3', {}, 'The runs side by side'),
    el(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'The runs side by side' },
      el(
        'table',
        { class: 'data' },
        el('thead', {}, el('tr', {}, ...['Run', 'Trust', 'Status'].map((h) => el('th', { scope: 'col' }, h)), ...keys.map((k) => el('th', { scope: 'col', class: 'number' }, k)))),
        el(
          'tbody',
          {},
          ...runs.map((run) =>
            el(
              'tr',
              {},
              el('th', { scope: 'row' }, run.label),
              el('td', {}, verdictMark(run.trust?.verdict ?? 'none')),
              el('td', {}, run.status.code.replace(/_/g, ' ') || (run.status.ok ? 'ok' : 'failed')),
              ...keys.map((k) => el('td', { class: 'number' }, run.counters.find((row) => row[0] === k)?.[1] ?? '')),
            ),
          ),
        ),
      ),
    ),
  );
}

export function overlayPanel(runs: Run[]): (HTMLElement | null)[] {
  const link = new XLink();
  const components = new Map<string, { series: Series; holders: [Run, Series, number][] }>();
  runs.forEach((run, i) => {
    for (const s of run.series) {
      const key = JSON.stringify([s.group, s.name, s.unit]);
      const entry = components.get(key) ?? { series: s, holders: [] };
      entry.holders.push([run, s, i]);
      components.set(key, entry);
    }
  });
  const ordered = [...components.values()].sort((a, b) => groupRank(a.series.group) - groupRank(b.series.group));
  const cards = ordered.flatMap(({ series, holders }, index) => {
    const base = {
      kind: 'time' as const,
      x: { label: runs[0].timeName, unit: runs[0].timeUnit, log: false },
      link,
    };
    const label = (run: Run, i: number): string => run.label || `run ${i + 1}`;
    const specs = [
      {
        ...base,
        id: `overlay-${index}`,
        title: `${groupTitle(series.group)}: ${series.name}`,
        y: { label: series.name, unit: series.unit, log: startsLog(series) },
        curves: holders.map(([run, s, i]) => ({ ...curveOf(run, s, i), label: label(run, i) })),
        magnitude: showsMagnitude(series.group),
      },
    ];
    if (series.group === 'energy') {
      specs.push({
        ...specs[0],
        id: `overlay-${index}-deviation`,
        title: `${series.name}, deviation from its start`,
        y: { label: `${series.name} \u2212 start`, unit: series.unit, log: false },
        curves: holders.map(([run, s, i]) => ({ ...curveOf(run, s, i), y: deviationFromStart(s.values), offset: 0, label: label(run, i) })),
        magnitude: true,
      });
    }
    return specs.map((spec) => new PlotCard(spec).element);
  });
  const phase = phaseCard(runs, 'overlay');
  return [
    comparison(runs),
    heading('Over time, all runs'),
    cards.length > 0
      ? el('div', { class: 'charts' }, ...cards)
      : el('p', { class: 'empty' }, 'These runs hold no series to draw.'),
    phase ? heading('Phase plane') : null,
    phase,
  ];
}

// Circles in the complex plane must look like circles, so both axes have the same scale.
const complexPlane = (figure: Figure): boolean => /^re(al)?\b/i.test(figure.x.label) && /^im(ag\w*)?\b/i.test(figure.y.label);

function figureCard(figure: Figure, id: string, wide = false): HTMLElement {
  const { style } = figure;
  if (style === 'heat') return new HeatCard(figure, id).element;
  return new PlotCard({
    id,
    wide,
    marks: figure.marks,
    title: figure.title,
    note: figure.note,
    kind: 'plane',
    x: figure.x,
    y: figure.y,
    style,
    equalAspect: complexPlane(figure),
    curves: figure.series.map((s, i) => ({ label: s.label, unit: '', x: s.x, y: s.y, offset: 0, sorted: false, colour: i, visible: true })),
  }).element;
}

export function figuresSection(report: Report): HTMLElement | null {
  if (report.figures.length === 0) return null;
  return el('section', {}, heading('Charts'), el('div', { class: 'charts' }, ...report.figures.map((figure, i) => figureCard(figure, `figure-${i}`))));
}

export function shapesSection(report: Report): HTMLElement | null {
  if (report.shapes.length === 0) return null;
  const remark = 'Each shape is drawn where it is farthest from rest, over the model at rest, which is pale. Its size has no meaning.';
  return el(
    'section',
    {},
    heading('Shapes'),
    el('p', { class: 'remark' }, remark),
    el('div', { class: 'charts' }, ...report.shapes.map((shape, i) => new ShapeCard(shape, `shape-${i}`).element)),
  );
}

export function tablesSection(report: Report): HTMLElement | null {
  if (report.tables.length === 0) return null;
  return el('section', {}, heading('Tables'), el('div', { class: 'stack' }, ...report.tables.map(tableCard)));
}
