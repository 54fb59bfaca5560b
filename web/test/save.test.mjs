// SPDX-License-Identifier: BSD-3-Clause
// Plots and numbers that the reader takes away.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { f64, makeRun, report, series } from './data.mjs';
import { show } from './probe.mjs';
import { session } from './session.mjs';

const withPage = session();
const plot = 'r0-coordinate-0';

async function saved(page, press) {
  const waiting = page.waitForEvent('download');
  await press();
  const file = await waiting;
  return { name: file.suggestedFilename(), data: readFileSync(await file.path()) };
}

async function savedAs(page, id, form) {
  await show(page, id);
  await page.locator(`[id="${id}"] .save > summary`).focus();
  await page.keyboard.press('Enter');
  return saved(page, () => page.locator(`[id="${id}"] button[aria-label="Save as ${form}"]`).click());
}

function run(names = ['x', 'y']) {
  const t = [0, 0.5, 1, 1.5];
  return makeRun('r0', 0.01, {
    time: { name: 't', unit: 's', n: 4, data: f64(t) },
    series: names.map((name, k) => series(name, 'm', 'coordinate', [0, 0.25 * (k + 1), NaN, 1], { offset: k })),
    trust: undefined, phase: undefined, events: [],
  });
}

test('a plot as CSV has the shown curves with their offsets, and empty cells for gaps', () =>
  withPage(report({ runs: [run()] }), async (page) => {
    const { name, data } = await savedAs(page, plot, 'CSV');
    assert.equal(name, 'Coordinates.csv');
    assert.equal(data.toString(), 't [s],x [m],y [m]\r\n0,0,0\r\n0.5,0.25,0.5\r\n1,,\r\n1.5,1,1\r\n');
  }));

test('a plot as SVG is valid, with one path for each curve, and no name breaks out of it', () => {
  const evil = '</svg><script>window.hacked = 1</script>"\'&';
  return withPage(report({ runs: [run([evil, 'y'])] }), async (page) => {
    const { name, data } = await savedAs(page, plot, 'SVG');
    assert.match(name, /^[A-Za-z0-9_]+\.svg$/);
    const found = await page.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
      return {
        broken: parsed.querySelectorAll('parsererror').length,
        scripts: parsed.querySelectorAll('script').length,
        curves: parsed.querySelectorAll('g path').length,
        texts: [...parsed.querySelectorAll('text')].map((e) => e.textContent),
      };
    }, data.toString());
    assert.deepEqual([found.broken, found.scripts, found.curves], [0, 0, 2]);
    assert.ok(found.texts.includes(`${evil} [m]`));
    const csv = await savedAs(page, plot, 'CSV');
    assert.ok(csv.data.toString().startsWith(`t [s],"${evil.replace(/"/g, '""')} [m]",y [m]\r\n`));
  });
});

test('names that a spreadsheet would compute are texts in CSV', () =>
  withPage(report({ runs: [run(['=1+1', 'y'])] }), async (page) => {
    assert.ok((await savedAs(page, plot, 'CSV')).data.toString().startsWith('t [s], =1+1 [m],y [m]'));
  }));

test('a plot as PNG is an image, and the page as JSON is its data', () =>
  withPage(report({ runs: [run()] }), async (page) => {
    const png = await savedAs(page, plot, 'PNG');
    assert.deepEqual([...png.data.subarray(1, 4)], [...Buffer.from('PNG')]);
    const all = await saved(page, () => page.locator('button[aria-label^="Save the numbers"]').click());
    assert.equal(JSON.parse(all.data.toString()).runs[0].series.length, 2);
  }));
