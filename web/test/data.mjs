// SPDX-License-Identifier: BSD-3-Clause
// Report data as the program writes them: a stiff spring pendulum, and pages made from any data.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

const base64 = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');
export const f64 = (values) => base64(Float64Array.from(values));
export const f32 = (values) => base64(Float32Array.from(values));

export function series(name, unit, group, values, more = {}) {
  const offset = more.offset ?? 0;
  return { name, unit, group, log: false, offset, ...more, data: f32(values.map((v) => v - offset)) };
}

// A mass on a stiff spring (k = 1 / epsilon^2), slow swing and fast radial oscillation, by Stoermer-Verlet.
export function springPendulum({ h = 0.001, end = 10, epsilon = 0.0316, every = 5 } = {}) {
  const k = 1 / epsilon ** 2;
  const g = 9.81;
  const force = (x, y) => {
    const r = Math.hypot(x, y);
    const pull = (-k * (r - 1)) / r;
    return [pull * x, pull * y - g];
  };
  let [x, y, u, v] = [Math.sin(0.9), -Math.cos(0.9), 0, 0];
  const rows = { t: [], x: [], y: [], u: [], v: [], kinetic: [], potential: [], total: [] };
  const record = (t) => {
    const kinetic = (u * u + v * v) / 2;
    const potential = (k / 2) * (Math.hypot(x, y) - 1) ** 2 + g * y;
    const now = { t, x, y, u, v, kinetic, potential, total: kinetic + potential };
    for (const name of Object.keys(rows)) rows[name].push(now[name]);
  };
  const steps = Math.round(end / h);
  let [fx, fy] = force(x, y);
  for (let n = 0; n <= steps; ++n) {
    if (n % every === 0) record(n * h);
    u += (h / 2) * fx;
    v += (h / 2) * fy;
    x += h * u;
    y += h * v;
    [fx, fy] = force(x, y);
    u += (h / 2) * fx;
    v += (h / 2) * fy;
  }
  return rows;
}

export function makeRun(id, h, more = {}) {
  const rows = springPendulum({ h, every: Math.max(1, Math.round(0.005 / h)) });
  const n = rows.t.length;
  const crossings = rows.t.filter((_, i) => i > 0 && rows.x[i - 1] > 0 !== rows.x[i] > 0);
  const phase = new Float32Array(n * 4);
  for (let i = 0; i < n; ++i) phase.set([rows.x[i], rows.y[i], rows.u[i], rows.v[i]], 4 * i);
  return {
    id,
    label: `verlet, h = ${h}`,
    problem: { name: 'stiff_spring', title: 'Stiff spring pendulum', reference: 'Hairer, Lubich, Wanner: Geometric Numerical Integration, section XIII.1' },
    method: { name: 'verlet', title: 'Störmer–Verlet', reference: 'Verlet 1967', delivers: 'positions and velocities at every step, second order' },
    status: { code: 'reached_end', ok: true, message: '' },
    facts: [['interval', '0 to 10 s'], ['step size', `${h} s`], ['wall time', '18 ms'], ['fast frequency', '31.6 rad/s']],
    settings: [['h', String(h)], ['output every', '5 steps'], ['seed', '1']],
    parameters: [['epsilon', '0.0316', '', 'spring softness'], ['g', '9.81', 'm/s²', 'gravity'], ['m', '1', 'kg', 'mass']],
    counters: [['accepted steps', String(Math.round(10 / h))], ['rejected steps', '0'], ['force evaluations', String(Math.round(10 / h) + 1)], ['Newton iterations', '0']],
    notices: [
      { t: 1.2, code: 'step_floor', severity: 'warning', text: 'The step was held at its lower limit.', value: 3.1, threshold: 2.0 },
      { t: null, code: 'resonance', severity: 'info', text: 'h times the fast frequency is 0.03, far from a numerical resonance.', value: 0.0316, threshold: 3.14159 },
    ],
    trust: {
      verdict: 'green',
      headline: 'Halving the step changes no component by more than 2 parts in 100 000.',
      how: 'the run was repeated with h/2',
      components: [
        { name: 'x', unit: 'm', deviation: 1.1e-5, scale: 0.78, relative: 1.4e-5, verdict: 'green' },
        { name: 'y', unit: 'm', deviation: 8.3e-6, scale: 1, relative: 8.3e-6, verdict: 'green' },
        { name: 'u', unit: 'm/s', deviation: 2.4e-4, scale: 2.7, relative: 8.9e-5, verdict: 'amber' },
        { name: 'v', unit: 'm/s', deviation: 6e-13, scale: 1.6, relative: 3.7e-13, verdict: 'green' },
      ],
    },
    time: { name: 't', unit: 's', n, data: f64(rows.t) },
    series: [
      series('x', 'm', 'coordinate', rows.x),
      series('y', 'm', 'coordinate', rows.y),
      series('u', 'm/s', 'velocity', rows.u),
      series('v', 'm/s', 'velocity', rows.v),
      series('total energy', 'J', 'energy', rows.total, { whole: true, offset: rows.total[0] }),
      series('kinetic energy', 'J', 'energy', rows.kinetic),
      series('potential energy', 'J', 'energy', rows.potential),
      series('length error', 'm', 'constraint', rows.x.map((x, i) => Math.hypot(x, rows.y[i]) - 1), { log: true }),
      series('h', 's', 'step', rows.t.map((t) => h * (1 + 0.5 * Math.sin(t) ** 2)), { log: true }),
      series('iterations per step', '', 'newton', rows.t.map((_, i) => 2 + (i % 17 === 0 ? 1 : 0))),
    ],
    phase: { names: ['x', 'y', 'u', 'v'], units: ['m', 'm', 'm/s', 'm/s'], n, data: base64(phase) },
    events: crossings.map((t) => ({ name: 'crossing', t })),
    ...more,
  };
}

// A run that delivers the slow motion: a slow swing, what the fast oscillation covers around it, and what is known of that.
export function slowRun({ rows = 400, more = {} } = {}) {
  const t = Array.from({ length: rows }, (_, i) => (10 * i) / (rows - 1));
  const around = (values, widths) => ({ ...values, band: f32(widths) });
  return {
    ...makeRun('slow', 0.05),
    time: { name: 't', unit: 's', n: t.length, data: f64(t) },
    series: [
      around(series('x', 'm', 'coordinate', t.map((s) => Math.sin(s))), t.map((s) => 0.2 + 0.1 * Math.cos(s))),
      around(series('y', 'm', 'coordinate', t.map((s) => 1 + 0.5 * Math.cos(s))), t.map((s) => 0.05 + 0.005 * s)),
      series('vx', 'm/s', 'velocity', t.map((s) => Math.cos(s))),
      series('energy', 'J', 'energy', t.map(() => 1), { whole: true }),
      series('fast_energy', 'J', 'energy', t.map((s) => 0.5 + 0.1 * Math.cos(s))),
      series('frequency_1', '1/s', 'frequency', t.map((s) => 1000 + 200 * Math.cos(s))),
      series('frequency_2', '1/s', 'frequency', t.map((s) => 1500 + 100 * Math.sin(s))),
      series('action_1', 'J s', 'action', t.map(() => 5e-4)),
      series('action_2', 'J s', 'action', t.map(() => 3e-4)),
      series('h', 's', 'step', t.map((s) => 0.02 + 0.001 * s), { log: true }),
      series('error', '', 'step', t.map((s) => 0.5 + 0.4 * Math.sin(3 * s)), { log: true }),
      series('model_error', '', 'step', t.map((s) => 1e-4 * (1.1 + Math.sin(s))), { log: true }),
    ],
    phase: undefined,
    events: [],
    ...more,
  };
}

export function figures() {
  const n = 60;
  const angle = Array.from({ length: n }, (_, i) => (2 * Math.PI * i) / n);
  const hs = [0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];
  return [
    {
      title: 'Eigenvalues of one step', note: 'Inside the unit circle: stable.', style: 'points',
      x: { label: 'Re', unit: '', log: false }, y: { label: 'Im', unit: '', log: false },
      series: [
        { label: 'slow', x: f64(angle.map((a) => 0.4 + 0.4 * Math.cos(a))), y: f64(angle.map((a) => 0.4 * Math.sin(a))) },
        { label: 'fast', x: f64(angle.map((a) => 0.95 * Math.cos(a))), y: f64(angle.map((a) => 0.95 * Math.sin(a))) },
      ],
    },
    {
      title: 'Error against work', note: '', style: 'both',
      x: { label: 'force evaluations', unit: '', log: true }, y: { label: 'error', unit: 'm', log: true },
      series: [
        { label: 'verlet', x: f64(hs.map((h) => 10 / h)), y: f64(hs.map((h) => 3 * h * h)) },
        { label: 'yoshida4', x: f64(hs.map((h) => 30 / h)), y: f64(hs.map((h) => 40 * h ** 4)) },
      ],
    },
  ];
}

export const table = () => ({
  title: 'Checks', note: 'Order estimated from halved steps.', columns: ['check', 'expected', 'found'],
  rows: [['order in x', '2', '2.003'], ['order in energy', '2', '1.998'], ['reversibility', '0', '3.1e-2']], marks: ['ok', 'ok', 'bad'],
});

export const report = (more = {}) => ({
  schema: 1, title: 'stiff_spring, verlet', generated: '2026-11-15 06:00 UTC', version: '0.1.0',
  runs: [makeRun('r0', 0.001)], charts: [], tables: [], ...more,
});

export function sampleReport() {
  const failing = makeRun('r2', 0.01, {
    status: { code: 'newton_failed', ok: false, message: 'Newton did not converge at t = 7.31 after 12 step reductions.' },
  });
  failing.trust = { ...failing.trust, verdict: 'red', headline: 'The run stopped early and its components deviate by more than their size.' };
  const coarse = makeRun('r1', 0.005);
  coarse.trust = { ...coarse.trust, verdict: 'amber', headline: 'Component u deviates by 1 part in 10 000 when the step is halved.' };
  return report({ runs: [makeRun('r0', 0.001, { hidden_components: 180 }), coarse, failing], charts: figures(), tables: [table()] });
}

// A run of a million steps as the program keeps it: 8000 points of each of 24 components.
export function millionSteps(count = 24, points = 8000) {
  const t = Array.from({ length: points }, (_, i) => (i * 1000) / (points - 1));
  const run = makeRun('big', 0.001, { label: 'million steps', phase: undefined, events: [] });
  run.time = { name: 't', unit: 's', n: points, data: f64(t) };
  run.decimation = { rows: 1000000, kept: points };
  run.series = Array.from({ length: count }, (_, j) =>
    series(`q${j}`, 'm', j < count / 2 ? 'coordinate' : 'velocity', t.map((s, i) => Math.sin(s / 40 + j) + (i % 2 ? 0.1 : -0.1) * (1 + j / 20))));
  return report({ title: 'chain, one million steps', runs: [run] });
}

export function pageText(data) {
  const template = readFileSync(join(root, 'dist', 'report.html'), 'utf8');
  const json = typeof data === 'string' ? data : JSON.stringify(data);
  return template.replace('/*TRILL_DATA*/', () => json.replace(/</g, '\\u003c'));
}

export function writePage(path, data, paper = false) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, paper ? pageText(data).replace('<html ', '<html data-print ') : pageText(data));
  return path;
}
