// SPDX-License-Identifier: BSD-3-Clause
// The report in the form in which the page uses it: every field is present and all numbers are decoded.

export type Verdict = 'green' | 'amber' | 'red' | 'none';
export type Severity = 'info' | 'warning' | 'error';
export type Samples = Float32Array | Float64Array;
export const bandMeanings = ['oscillation', 'bound', 'estimate'] as const;
// Range of the fast motion; bound of the error; estimate of the error.
export type BandMeaning = (typeof bandMeanings)[number];

export interface Series {
  name: string;
  unit: string;
  group: string;
  whole: boolean; // for energies: the total and not a part
  balance: boolean; // for energies: including the work done and the energy lost, so zero up to errors
  log: boolean;
  offset: number;
  values: Samples;
  band: Samples | null; // half the width of a band around the values
  bandOf: BandMeaning;
}

export interface Notice {
  t: number | null;
  code: string;
  severity: Severity;
  text: string;
  value: number | null;
  threshold: number | null;
}

export interface TrustComponent {
  name: string;
  unit: string;
  deviation: number;
  scale: number;
  relative: number;
  verdict: Verdict;
}

export interface Trust {
  verdict: Verdict;
  headline: string;
  how: string;
  components: TrustComponent[];
}

export interface Phase {
  names: string[];
  units: string[];
  columns: Float32Array[];
  style: 'line' | 'points'; // points if neighbours are too far apart to be joined by lines
}

export interface Work {
  name: string;
  title: string;
  reference: string;
  delivers: string;
}

export interface RunEvent {
  name: string;
  t: number;
}

// Cycles of an envelope that were computed in full, all sampled at the same phases.
export interface Cycles {
  numbers: Float64Array; // the number of each cycle in the run
  starts: Float64Array;
  periods: Float64Array;
  phases: Float64Array; // from 0 to 1
  series: { name: string; unit: string; values: Float32Array }[]; // one value for each phase of each cycle
  command: string; // computes a window exactly, with WINDOW in place of its times
}

export const shapeKinds = ['point', 'line', 'curve', 'spring', 'damper', 'rod', 'body', 'joint', 'pin', 'rail'] as const;

// Something that is drawn once for each of its elements. Its points are pairs of numbers, beginning with number
// `first`.
export interface PictureShape {
  kind: (typeof shapeKinds)[number];
  first: number;
  points: number;
  elements: number;
  colour: string;
  trail: boolean;
}

// The points of the model at equally spaced times. A number k means centre + 2 half k/32767; -32768 means that there
// is no point.
export interface Picture {
  t0: number;
  t1: number;
  frames: number;
  numbers: number; // in one frame
  equal: boolean; // whether both axes have the same scale
  note: string;
  half: [number, number];
  shapes: PictureShape[];
  data: Int16Array;
  blur: Int16Array; // how far a fast oscillation moves each number to both sides; empty if there is none
}

// A component with fewer samples than the others, which readers can find by the search.
export interface Other {
  name: string;
  unit: string;
  offset: number;
  values: Float32Array;
}

export interface Run {
  id: string;
  label: string;
  question: string; // what the user asked for, in words
  random: boolean; // a path in a heat bath, whose energy is not conserved
  problem: Work;
  method: Work;
  status: { code: string; ok: boolean; message: string };
  facts: string[][];
  settings: string[][];
  parameters: string[][];
  counters: string[][];
  notices: Notice[];
  trust: Trust | null;
  timeName: string;
  timeUnit: string;
  time: Float64Array;
  series: Series[];
  decimation: { rows: number; kept: number } | null;
  phase: Phase | null;
  events: RunEvent[];
  spectrum: Figure[];
  cycles: Cycles | null;
  picture: Picture | null;
  others: { time: Float64Array; series: Other[] };
  hiddenComponents: number; // number of components that are not on the page at all
}

export interface FigureAxis {
  label: string;
  unit: string;
  log: boolean;
}

// A named position on the x axis.
export interface Mark {
  x: number;
  label: string;
}

export interface Figure {
  title: string;
  note: string;
  x: FigureAxis;
  y: FigureAxis;
  z: FigureAxis; // for heat maps
  style: 'line' | 'points' | 'both' | 'heat';
  series: { label: string; x: Float64Array; y: Float64Array; z: Float64Array }[];
  marks: Mark[];
}

export interface Table {
  title: string;
  note: string;
  columns: string[];
  rows: string[][];
  marks: string[];
  links: string[]; // one for each row, or empty
}

// A possible motion of the model, such as a mode, as a picture of its two extreme positions.
export interface Shape {
  title: string;
  picture: Picture;
}

export interface Report {
  title: string;
  generated: string;
  version: string;
  summary: string[];
  runs: Run[];
  figures: Figure[];
  tables: Table[];
  shapes: Shape[];
}
