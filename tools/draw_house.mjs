#!/usr/bin/env node
// SPDX-License-Identifier: BSD-3-Clause
// Draws the rooms of the house and the path of the data, from the #include lines of include/trill, src and apps:
//   tools/draw_house.mjs            writes docs/images/house.svg
//   tools/draw_house.mjs --check    exit code 1 if the picture is not the one that the sources give
//   tools/draw_house.mjs --table    prints files, lines and what each room includes, as a table for docs/design/house.md
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const picture = join(root, 'docs/images/house.svg');
const rooms = readFileSync(join(root, 'tools/check_layers'), 'utf8').match(/^order="([^"]+)"/m)[1].split(' ');
// The floors of the picture, from rooms that include nothing to rooms that include all. tools/check_layers has the
// exact order.
const floors = [['base', 'linalg'], ['problem', 'model'], ['formulation', 'method', 'multiscale'],
                ['solution', 'control', 'driver'], ['analysis', 'papers', 'report'], ['apps']];
const words = {
  base: 'types, options, archive', linalg: 'solvers, Newton, eigenvalues', problem: 'what is to be solved',
  model: 'text, bodies, expressions', formulation: 'one problem into another', method: 'one step',
  multiscale: 'steps around fast motion', solution: 'rows, files, counters', control: 'accept or retry',
  driver: 'plan, run, events, check', analysis: 'stability, order, inspection', report: 'charts and the page',
  papers: 'recomputed figures', apps: 'the command line',
};

const isSource = (name) => /\.(cpp|hpp)$/.test(name);
const filesBelow = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? filesBelow(join(folder, entry.name)) : isSource(entry.name) ? [join(folder, entry.name)] : []);

function roomOf(file) {
  const [top, second, third] = relative(root, file).split('/');
  return top === 'include' ? third : top === 'src' ? second : 'apps';
}
function roomIncluded(target) {
  const parts = target.replace(/^trill\//, '').split('/');
  return parts.length > 1 && rooms.includes(parts[0]) ? parts[0] : undefined;
}

const facts = new Map(rooms.map((room) => [room, { files: 0, lines: 0, uses: new Set() }]));
for (const file of ['include/trill', 'src', 'apps'].flatMap((top) => filesBelow(join(root, top)))) {
  const fact = facts.get(roomOf(file));
  const text = readFileSync(file, 'utf8');
  fact.files += 1;
  fact.lines += text.split('\n').length - 1;
  for (const [, target] of text.matchAll(/^#include "([^"]+)"/gm)) {
    const room = roomIncluded(target);
    if (room && room !== roomOf(file)) fact.uses.add(room);
  }
}

const box = { width: 200, height: 62, gap: 60, rise: 62 };
const width = 3 * box.width + 2 * box.gap + 40;
const height = floors.length * (box.height + box.rise) - box.rise + 110;
const places = new Map();
floors.forEach((floor, level) => floor.forEach((room, k) => {
  const used = floor.length * box.width + (floor.length - 1) * box.gap;
  places.set(room, {
    x: (width - used) / 2 + k * (box.width + box.gap),
    y: height - 70 - box.height - level * (box.height + box.rise),
    level,
  });
}));

// Includes are drawn as curves from the room that includes to the room that is included.
function way(from, to) {
  const a = places.get(from), b = places.get(to);
  const beside = a.level === b.level;
  const x1 = a.x + (beside ? (a.x < b.x ? box.width : 0) : box.width / 2), y1 = a.y + (beside ? box.height / 2 : box.height);
  const x2 = b.x + (beside ? (a.x < b.x ? 0 : box.width) : box.width / 2), y2 = b.y + (beside ? box.height / 2 : 0);
  const bend = beside ? 0 : (y2 - y1) / 2;
  return `<path d="M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}" class="way">` +
    `<title>${from} includes ${to}</title></path>`;
}
function room(name) {
  const { x, y } = places.get(name);
  const middle = x + box.width / 2;
  return `<g><rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="8" class="room"/>` +
    `<text x="${middle}" y="${y + 27}" class="name">${name === 'apps' ? 'apps/trill' : name}</text>` +
    `<text x="${middle}" y="${y + 46}">${words[name]}</text></g>`;
}

// If an include follows from two others, it is left out of the picture, but not of the table.
function reaches(from, to, steps = 0) {
  return [...facts.get(from).uses].some((next) => (steps > 0 && next === to) || (next !== to && reaches(next, to, steps + 1)));
}

const dataWay = ['model', 'problem', 'formulation', 'method', 'control', 'driver', 'solution', 'report'];
function badge(name, k) {
  const { x, y } = places.get(name);
  return `<circle cx="${x}" cy="${y}" r="11" class="badge"/><text x="${x}" y="${y + 4}" class="number">${k + 1}</text>`;
}

function draw() {
  const ways = rooms.flatMap((from) => [...facts.get(from).uses].sort().filter((to) => !reaches(from, to))
    .map((to) => way(from, to)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" ` +
    `aria-label="The rooms of trill and what each includes">\n<style>` +
    'svg{background:#fff}text{font:12px system-ui,sans-serif;text-anchor:middle;fill:#333}' +
    '.name{font-weight:600;font-size:15px;fill:#111}' +
    '.badge{fill:#c2571a}.number{fill:#fff;font-weight:600}' +
    '.room{fill:#f3f6fb;stroke:#4a6fa5}.way{fill:none;stroke:#4a6fa5;stroke-opacity:.6}' +
    `</style>\n<text x="${width / 2}" y="24" class="name">Each room includes only rooms below or beside it</text>\n` +
    `${ways.join('\n')}\n${rooms.map(room).join('\n')}\n${dataWay.map(badge).join('\n')}\n` +
    `<text x="${width / 2}" y="${height - 24}">Numbers: the way of the data, from model to report. Lines: what a room ` +
    'includes, unless a room between does it already.</text>\n</svg>\n';
}

function table() {
  const rows = rooms.map((name) => {
    const { files, lines, uses } = facts.get(name);
    return `| ${name} | ${files} | ${lines} | ${[...uses].sort((a, b) => rooms.indexOf(a) - rooms.indexOf(b)).join(', ')} |`;
  });
  return ['| room | files | lines | includes |', '|---|---:|---:|---|', ...rows].join('\n');
}

const [mode] = process.argv.slice(2);
if (mode === '--table') console.log(table());
else if (mode === '--check') {
  let shown = '';
  try { shown = readFileSync(picture, 'utf8'); } catch { /* reported below */ }
  if (shown !== draw()) {
    console.error('docs/images/house.svg is not what the sources give; run tools/draw_house.mjs');
    process.exit(1);
  }
} else if (mode) {
  console.error('usage: tools/draw_house.mjs [--check | --table]');
  process.exit(2);
} else writeFileSync(picture, draw());
