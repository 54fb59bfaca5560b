// SPDX-License-Identifier: BSD-3-Clause
// The page for everybody: axe-core looks at names, roles, order and contrast; every control can be reached and used
// with the keyboard.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { figures, makeRun, millionSteps, report, slowRun, table } from './data.mjs';
import { heatChart, movingBars, swingingPoint } from './parts.mjs';
import { settle } from './probe.mjs';
import { session } from './session.mjs';

const withPage = session();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'];

async function violations(page) {
  await page.evaluate(() => document.querySelectorAll('details').forEach((details) => details.setAttribute('open', '')));
  await settle(page);
  await page.evaluate(axe);
  const found = await page.evaluate((values) => window.axe.run(document, { runOnly: { type: 'tag', values } }), rules);
  return found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join('; ')}`);
}

const pages = {
  'a run with a picture': () => report({ runs: [makeRun('r0', 0.01, { picture: movingBars() })] }),
  'a slow run': () => report({ runs: [slowRun()] }),
  'two runs': () => report({ runs: [makeRun('r0', 0.01), makeRun('r1', 0.02)] }),
  'charts, shapes and a table': () =>
    report({ runs: [], charts: [...figures(), heatChart()], tables: [table()], shapes: [swingingPoint('Mode 1')] }),
  'a run with many components': () => millionSteps(72, 200),
};

for (const [what, data] of Object.entries(pages)) {
  for (const [look, options] of Object.entries({
    light: {},
    dark: { media: { colorScheme: 'dark' } },
    narrow: { width: 420 },
    paper: { paper: true },
  })) {
    test(`${what}, ${look}: axe-core finds nothing`, () =>
      withPage(data(), async (page) => assert.deepEqual(await violations(page), []), options));
  }
}

test('every control can be reached with the Tab key, and shows that it has been', () =>
  withPage(pages['a run with a picture'](), async (page) => {
    await page.evaluate(() => document.querySelectorAll('details').forEach((d) => d.setAttribute('open', '')));
    await settle(page);
    const wanted = await page.evaluate(() => {
      const shown = (e) => e.checkVisibility({ checkVisibilityCSS: true }) && !e.disabled && e.tabIndex >= 0;
      const all = [...document.querySelectorAll('button, input, select, a[href], summary, [tabindex]')].filter(shown);
      all.forEach((e, i) => (e.dataset.probe = String(i)));
      return all.length;
    });
    assert.ok(wanted > 10, `${wanted} controls`);
    const seen = new Set();
    const unmarked = [];
    for (let i = 0; i < 2 * wanted && seen.size < wanted; ++i) {
      await page.keyboard.press('Tab');
      const here = await page.evaluate(() => {
        const e = document.activeElement;
        const style = getComputedStyle(e);
        const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
        return { probe: e.dataset.probe, marked: ring || style.boxShadow !== 'none', name: e.outerHTML.slice(0, 80) };
      });
      if (here.probe === undefined) continue;
      seen.add(here.probe);
      if (!here.marked) unmarked.push(here.name);
    }
    const missed = await page.evaluate((found) => [...document.querySelectorAll('[data-probe]')]
      .filter((e) => !found.includes(e.dataset.probe)).map((e) => e.outerHTML.slice(0, 80)), [...seen]);
    assert.deepEqual(missed, []);
    assert.deepEqual(unmarked, []);
  }));

test('the script of the page has at most 200 kB', () => {
  const html = readFileSync(new URL('../dist/report.html', import.meta.url), 'utf8');
  const scripts = [...html.matchAll(/<script(?![^>]*application\/json)[^>]*>([\s\S]*?)<\/script>/g)].map((m) => m[1].length);
  assert.ok(scripts.length > 0);
  assert.ok(scripts.reduce((a, b) => a + b) <= 200_000, `${scripts} bytes`);
});
