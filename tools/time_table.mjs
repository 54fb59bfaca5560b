#!/usr/bin/env node
// SPDX-License-Identifier: BSD-3-Clause
// Prints Markdown tables of the time that compilations in a build folder took, by room and by source, and of the time
// that tests took, by kind and by suite. `make time-table` builds and tests in a fresh folder, one job after the
// other, and writes docs/design/time.md.
// Usage: tools/time_table.mjs BUILD [CTEST_LOG]
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [build, log] = process.argv.slice(2);
if (!build || !existsSync(join(build, '.ninja_log'))) {
  console.error('usage: tools/time_table.mjs BUILD [CTEST_LOG]; BUILD must hold a finished build by ninja');
  process.exit(2);
}

const seconds = (value) => value.toFixed(value < 10 ? 1 : 0);
const sum = (rows) => rows.reduce((total, row) => total + row.seconds, 0);
function grouped(rows, key) {
  const groups = new Map();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return [...groups].map(([name, members]) => ({ name, count: members.length, seconds: sum(members) }))
    .sort((a, b) => b.seconds - a.seconds);
}
function table(heads, rows) {
  const lines = [`| ${heads.join(' | ')} |`, `|---${'|---:'.repeat(heads.length - 1)}|`];
  return [...lines, ...rows.map((row) => `| ${row.join(' | ')} |`), ''].join('\n');
}

// The last entry of each output counts. In a fresh folder there is only one.
const outputs = new Map();
for (const line of readFileSync(join(build, '.ninja_log'), 'utf8').split('\n')) {
  const [begin, end, , output] = line.split('\t');
  if (output) outputs.set(output, { name: output, seconds: (end - begin) / 1000 });
}
function roomOf(output) {
  const object = output.match(/^(.*?)\/?CMakeFiles\/(.+)\.dir\/(.*)\.(o|gch)$/);
  if (!object) return 'links, generated files, the page';
  const [, folder, target, path] = object;
  if (target.endsWith('_tests') || target === 'trill_test_support') return `tests: ${target.replace(/^trill_|_tests$/g, '')}`;
  if (target === 'trill_tool') return 'apps';
  if (path.includes('cmake_pch')) return 'precompiled headers';
  const unit = path.match(/unity_trill_[a-z]+_(.*?)_?\d*_cxx/);
  if (/unity_(model_texts|toml)|text_of_|shipped_code|text_models|all_models/.test(path)) return 'model';
  if (/page_template/.test(path)) return 'report';
  if (/catalogue/.test(path)) return 'method';
  const room = unit ? unit[1].replace(/_.*/, '') : path.split('/')[0];
  return target === 'trill_papers' ? 'papers' : /^(toml|model)/.test(room) ? 'model' : room.replace(/\.cpp$|\.c$/, '') || folder;
}
const compiled = [...outputs.values()];
console.log(`\nMeasured on ${new Date().toISOString().slice(0, 10)}.\n`);
console.log(`## Build: ${seconds(sum(compiled))} s of one core\n`);
console.log(table(['room', 'units', 's'], grouped(compiled, (row) => roomOf(row.name)).map((r) => [r.name, r.count, seconds(r.seconds)])));
console.log('The ten longest units:\n');
const longest = compiled.sort((a, b) => b.seconds - a.seconds).slice(0, 10);
console.log(table(['unit', 's'], longest.map((r) => [r.name.replace(/^.*\.dir\//, '').replace(/Unity\/unity_trill_|_cxx\.cxx\.o$|\.o$/g, ''), seconds(r.seconds)])));

if (log) {
  const tests = [...readFileSync(log, 'utf8').matchAll(/Test +#\d+: (\S+) \.+ *\**(?:Passed|Failed|Skipped)\S* +([\d.]+) sec/g)]
    .map(([, name, time]) => ({ name, seconds: Number(time) }));
  console.log(`## Tests: ${seconds(sum(tests))} s of one core\n`);
  console.log(table(['kind', 'entries', 's'], grouped(tests, (row) => row.name.split('/')[0]).map((r) => [r.name, r.count, seconds(r.seconds)])));
  console.log('The twenty longest suites:\n');
  const suites = grouped(tests, (row) => row.name.replace(/\/\d+$/, '')).slice(0, 20);
  console.log(table(['suite', 's'], suites.map((r) => [r.name, seconds(r.seconds)])));
}
