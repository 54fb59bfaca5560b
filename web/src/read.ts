// SPDX-License-Identifier: BSD-3-Clause
// Turns the embedded JSON into a Report. Missing fields get defaults. Damage is reported and never raises an
// exception.

import { decodeFloat32, decodeFloat64, decodeInt16 } from './decode';
import { bandMeanings, shapeKinds, type Cycles, type Figure, type FigureAxis, type Notice, type Phase, type Picture, type Report, type Run, type Samples, type Series, type Table, type Trust, type Verdict, type Work } from './model';

type Fields = Record<string, unknown>;

export interface Reading {
  report: Report | null;
  fatal: string;
  problems: string[];
}

const isFields = (v: unknown): v is Fields => typeof v === 'object' && v !== null && !Array.isArray(v);
const fields = (v: unknown): Fields => (isFields(v) ? v : {});
const list = (v: unknown): unknown[] => (Array.isArray(v) ? v : []);
const text = (v: unknown, other = ''): string =>
  typeof v === 'string' ? v : typeof v === 'number' || typeof v === 'boolean' ? String(v) : other;
const numberOr = <T>(v: unknown, other: T): number | T => (typeof v === 'number' && Number.isFinite(v) ? v : other);
const oneOf = <T extends string>(v: unknown, allowed: readonly T[], other: T): T =>
  allowed.includes(v as T) ? (v as T) : other;
const textRows = (v: unknown): string[][] => list(v).map((row) => list(row).map((cell) => text(cell)));

const verdicts: readonly Verdict[] = ['green', 'amber', 'red', 'none'];

function readWork(v: unknown): Work {
  const f = fields(v);
  return { name: text(f.name), title: text(f.title), reference: text(f.reference), delivers: text(f.delivers) };
}

function readTrust(v: unknown): Trust | null {
  if (!isFields(v)) return null;
  return {
    verdict: oneOf(v.verdict, verdicts, 'none'),
    headline: text(v.headline),
    how: text(v.how),
    components: list(v.components).map(fields).map((c) => ({
      name: text(c.name, '?'),
      unit: text(c.unit),
      deviation: numberOr(c.deviation, NaN),
      scale: numberOr(c.scale, NaN),
      relative: numberOr(c.relative, NaN),
      verdict: oneOf(c.verdict, verdicts, 'none'),
    })),
  };
}

function readNotice(v: unknown): Notice {
  const f = fields(v);
  return {
    t: numberOr(f.t, null),
    code: text(f.code),
    severity: oneOf(f.severity, ['info', 'warning', 'error'] as const, 'warning'),
    text: text(f.text),
    value: numberOr(f.value, null),
    threshold: numberOr(f.threshold, null),
  };
}

// Charts search the time by bisection, so it must increase. The rows of a backward integration are reversed.
function ascendingOrder(time: Float64Array): Uint32Array | null {
  let ascends = true;
  for (let i = 0; i < time.length && ascends; ++i) {
    ascends = Number.isFinite(time[i]) && (i === 0 || time[i] >= time[i - 1]);
  }
  if (ascends) return null;
  const order = Array.from(time.keys()).filter((i) => Number.isFinite(time[i]));
  return Uint32Array.from(order.sort((a, b) => time[a] - time[b] || a - b));
}

function reorder<T extends Samples>(values: T, order: Uint32Array | null): T {
  if (!order) return values;
  const out = new (values.constructor as new (n: number) => T)(order.length);
  order.forEach((from, to) => (out[to] = from < values.length ? values[from] : NaN));
  return out;
}

function readPhase(v: unknown, label: string, problems: string[]): Phase | null {
  if (!isFields(v)) return null;
  const names = list(v.names).map((n) => text(n, '?'));
  const units = names.map((_, i) => text(list(v.units)[i]));
  const flat = decodeFloat32(v.data, (what) => problems.push(`${label}: the phase data ${what}.`));
  if (names.length < 2 || flat.length < names.length) return null;
  const n = Math.floor(flat.length / names.length);
  if (numberOr(v.n, n) !== n) problems.push(`${label}: the phase data hold ${n} points, not ${text(v.n)}.`);
  const columns = names.map((_, c) => Float32Array.from({ length: n }, (_unused, r) => flat[r * names.length + c]));
  return { names, units, columns, style: oneOf(v.style, ['line', 'points'] as const, 'line') };
}

function readCycles(v: unknown, label: string, problems: string[]): Cycles | null {
  if (!isFields(v)) return null;
  const complain = (what: string) => problems.push(`${label}: the cycles: ${what}.`);
  const [numbers, starts, periods, phases] = [v.numbers, v.starts, v.periods, v.phases].map((data) => decodeFloat64(data, complain));
  const series = list(v.series).map(fields).map((s) => ({ name: text(s.name, '?'), unit: text(s.unit), values: decodeFloat32(s.data, complain) }));
  const n = numbers.length;
  const fits = starts.length === n && periods.length === n && series.every((s) => s.values.length === n * phases.length);
  if (!fits) complain('their lengths do not fit together');
  if (!fits || n < 2 || phases.length < 2 || series.length === 0) return null;
  return { numbers, starts, periods, phases, series, command: text(v.command) };
}

function readOthers(v: unknown, label: string, problems: string[]): Run['others'] {
  const f = fields(v);
  const complain = (what: string) => problems.push(`${label}: the other components: ${what}.`);
  const time = decodeFloat64(f.time, complain);
  const order = ascendingOrder(time);
  const series = list(f.series).map(fields).map((s) => ({
    name: text(s.name, '?'),
    unit: text(s.unit),
    offset: numberOr(s.offset, 0),
    values: reorder(decodeFloat32(s.data, complain), order),
  }));
  const fits = series.every((s) => s.values.length === (order ?? time).length);
  if (!fits) complain('their lengths do not fit together');
  return fits ? { time: reorder(time, order), series } : { time: new Float64Array(0), series: [] };
}

const whole = (v: unknown): number => Math.max(0, Math.floor(numberOr(v, 0)));

function readPicture(v: unknown, label: string, problems: string[]): Picture | null {
  if (!isFields(v)) return null;
  const data = decodeInt16(v.data, (what) => problems.push(`${label}: the picture ${what}.`));
  const blur = decodeInt16(v.blur, (what) => problems.push(`${label}: the blur of the picture ${what}.`));
  const [t0, t1] = [numberOr(v.t0, 0), numberOr(v.t1, 0)];
  const [frames, numbers] = [whole(v.frames), whole(v.numbers)];
  const shapes = list(v.shapes).map(fields).map((s) => ({
    kind: oneOf(s.kind, shapeKinds, 'line'),
    first: whole(s.first),
    points: whole(s.points),
    elements: whole(s.elements),
    colour: text(s.colour),
    trail: s.trail === true,
  }));
  const fits = shapes.every((s) => s.first + 2 * s.points * s.elements <= numbers);
  if (frames < 2 || !(t1 > t0) || data.length !== frames * numbers || !fits) {
    problems.push(`${label}: the picture holds ${data.length} numbers, which do not fit its ${frames} frames.`);
    return null;
  }
  const half = list(v.half).map((h) => Math.abs(numberOr(h, 1)) || 1);
  return { t0, t1, frames, numbers, equal: v.equal !== false, note: text(v.note), half: [half[0] ?? 1, half[1] ?? 1], shapes, data, blur: blur.length === data.length ? blur : new Int16Array(0) };
}

function readRun(v: unknown, index: number, problems: string[]): Run {
  const f = fields(v);
  const label = text(f.label) || text(f.id) || `run ${index + 1}`;
  if (!isFields(v)) problems.push(`Run ${index + 1} is not an object.`);
  const time = fields(f.time);
  const status = fields(f.status);
  const rawTime = decodeFloat64(time.data, (what) => problems.push(`${label}: the time data ${what}.`));
  const declared = numberOr(time.n, rawTime.length);
  if (declared !== rawTime.length) {
    problems.push(`${label}: time holds ${rawTime.length} values, not ${declared}.`);
  }
  const order = ascendingOrder(rawTime);

  const series = list(f.series).map((raw, i): Series => {
    const s = fields(raw);
    const name = text(s.name) || `series ${i + 1}`;
    const values = decodeFloat32(s.data, (what) => problems.push(`${label}: ${name} ${what}.`));
    if (values.length !== rawTime.length) {
      problems.push(`${label}: ${name} has ${values.length} values for ${rawTime.length} times.`);
    }
    const band = decodeFloat32(s.band, (what) => problems.push(`${label}: the band of ${name} ${what}.`));
    if (band.length > 0 && band.length !== values.length) {
      problems.push(`${label}: the band of ${name} has ${band.length} values for ${values.length}.`);
    }
    return {
      name,
      unit: text(s.unit),
      group: text(s.group, 'quantity') || 'quantity',
      whole: s.whole === true,
      balance: s.balance === true,
      log: s.log === true,
      offset: numberOr(s.offset, 0),
      values: reorder(values, order),
      band: band.length > 0 ? reorder(band, order) : null,
      bandOf: oneOf(s.band_of, bandMeanings, 'oscillation'),
    };
  });

  const decimation = fields(f.decimation);
  const rows = numberOr(decimation.rows, 0);
  return {
    id: text(f.id) || `r${index}`,
    label,
    question: text(f.question),
    random: f.random === true,
    problem: readWork(f.problem),
    method: readWork(f.method),
    status: { code: text(status.code), ok: status.ok !== false, message: text(status.message) },
    facts: textRows(f.facts),
    settings: textRows(f.settings),
    parameters: textRows(f.parameters),
    counters: textRows(f.counters),
    notices: list(f.notices).map(readNotice),
    trust: readTrust(f.trust),
    timeName: text(time.name, 't') || 't',
    timeUnit: text(time.unit),
    time: reorder(rawTime, order),
    series,
    decimation: rows > 0 ? { rows, kept: numberOr(decimation.kept, rawTime.length) } : null,
    phase: readPhase(f.phase, label, problems),
    events: list(f.events).map(fields).flatMap((e) => {
      const t = numberOr(e.t, null);
      return t === null ? [] : [{ name: text(e.name, 'event'), t }];
    }),
    spectrum: list(f.spectrum).map((figure, i) => readFigure(figure, i, problems)),
    cycles: readCycles(f.cycles, label, problems),
    picture: readPicture(f.picture, label, problems),
    others: readOthers(f.others, label, problems),
    hiddenComponents: numberOr(f.hidden_components, 0),
  };
}

function readFigureAxis(v: unknown): FigureAxis {
  const f = fields(v);
  return { label: text(f.label), unit: text(f.unit), log: f.log === true };
}

function readFigure(v: unknown, index: number, problems: string[]): Figure {
  const f = fields(v);
  const title = text(f.title) || `Chart ${index + 1}`;
  return {
    title,
    note: text(f.note),
    x: readFigureAxis(f.x),
    y: readFigureAxis(f.y),
    z: readFigureAxis(f.z),
    style: oneOf(f.style, ['line', 'points', 'both', 'heat'] as const, 'line'),
    series: list(f.series).map((raw, i) => {
      const s = fields(raw);
      const label = text(s.label) || `series ${i + 1}`;
      const complain = (what: string) => problems.push(`${title}, ${label}: the data ${what}.`);
      const x = decodeFloat64(s.x, complain);
      const y = decodeFloat64(s.y, complain);
      if (x.length !== y.length) problems.push(`${title}, ${label}: ${x.length} x values but ${y.length} y values.`);
      const n = Math.min(x.length, y.length);
      return { label, x: x.subarray(0, n), y: y.subarray(0, n), z: decodeFloat64(s.z, complain).subarray(0, n) };
    }),
    marks: list(f.marks).map(fields).flatMap((m) => {
      const x = numberOr(m.x, null);
      return x === null ? [] : [{ x, label: text(m.label) }];
    }),
  };
}

function readTable(v: unknown): Table {
  const f = fields(v);
  return {
    title: text(f.title),
    note: text(f.note),
    columns: list(f.columns).map((c) => text(c)),
    rows: textRows(f.rows),
    marks: list(f.marks).map((m) => text(m)),
    links: list(f.links).map((l) => (/^\.\.?\//.test(text(l)) ? text(l) : '')), // only links to files near the page
  };
}

const failed = (fatal: string): Reading => ({ report: null, fatal, problems: [] });

export function readReport(json: string): Reading {
  const trimmed = json.trim();
  if (trimmed === '' || trimmed.startsWith('/*')) {
    return failed('This page is the empty template: no run has been written into it yet.');
  }
  let raw: unknown;
  try {
    raw = JSON.parse(trimmed);
  } catch (error) {
    return failed(`The data in this page are not valid JSON. ${error instanceof Error ? error.message : ''}`);
  }
  if (!isFields(raw)) return failed('The data in this page are not a JSON object.');
  if (raw.schema !== 1) {
    return failed(`The data in this page follow schema ${text(raw.schema, '(none)')}; this page reads schema 1.`);
  }
  const problems: string[] = [];
  const report: Report = {
    title: text(raw.title, 'Simulation report') || 'Simulation report',
    generated: text(raw.generated),
    version: text(raw.version),
    summary: list(raw.summary).map((s) => text(s)).filter(Boolean),
    runs: list(raw.runs).map((run, i) => readRun(run, i, problems)),
    figures: list(raw.charts).map((figure, i) => readFigure(figure, i, problems)),
    tables: list(raw.tables).map(readTable),
    shapes: list(raw.shapes).map(fields).flatMap((shape, i) => {
      const title = text(shape.title) || `shape ${i + 1}`;
      const picture = readPicture(shape.picture, title, problems);
      return picture ? [{ title, picture }] : [];
    }),
  };
  return { report, fatal: '', problems };
}
