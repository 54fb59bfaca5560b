// SPDX-License-Identifier: BSD-3-Clause
// Runs that deliver a slow motion: bands of the fast oscillation, and the panels of what is known of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { f32, f64, report, series, slowRun } from './data.mjs';
import { bandPixels, button, chart, charts, curvePixels, hoverAt, settle, show } from './probe.mjs';
import { session } from './session.mjs';

const withPage = session();
const coordinates = 'slow-coordinate-0';

async function withBand(run, use) {
  await withPage(report({ runs: [run] }), async (page) => {
    await show(page, coordinates);
    await use(page, (part) => bandPixels(page, coordinates, part));
  });
}

// One coordinate x = values(t) on [0, 10] with a band of the given half-width.
function oneBand(values, widths, t = Array.from({ length: 101 }, (_, i) => i / 10)) {
  return slowRun({
    more: {
      time: { name: 't', unit: 's', n: t.length, data: f64(t) },
      series: [{ ...series('x', 'm', 'coordinate', t.map(values)), band: f32(t.map(widths)) }],
    },
  });
}

test('a band lies around its curve and nowhere else', () =>
  // From -1 to 3, padded by 6 %: the band takes the middle half of the left side and nearly all of the right one.
  withBand(oneBand(() => 1, (t) => (t < 5 ? 1 : 2)), async (page, pixels) => {
    const { y } = await chart(page, coordinates);
    assert.ok(y[0] < -1 && y[0] > -1.5 && y[1] > 3 && y[1] < 3.5, JSON.stringify(y));
    assert.ok((await pixels([0.1, 0.3, 0.4, 0.45])) > 2000, 'no band above the curve');
    assert.ok((await pixels([0.1, 0.55, 0.4, 0.7])) > 2000, 'no band below the curve');
    assert.equal(await pixels([0.1, 0, 0.4, 0.2]), 0, 'a band where none is');
    assert.ok((await pixels([0.6, 0.1, 0.9, 0.2])) > 2000, 'the band does not grow');
    assert.ok((await curvePixels(page, coordinates)) > 300, 'the curve is missing');
  }));

test('bands of thinned series keep their width', () => {
  // As the program thins a run: many samples per pixel, the curve at its lowest and highest value in turn.
  const t = Array.from({ length: 20000 }, (_, i) => i / 2000);
  const wide = (s) => (Math.abs(s - 5) < 0.002 ? 3 : 0.5);
  return withBand(oneBand((s) => (Math.round(s * 2000) % 2 ? 0.2 : -0.2), wide, t), async (page, pixels) => {
    const { y } = await chart(page, coordinates);
    assert.ok(y[1] > 3.2, JSON.stringify(y));
    assert.ok((await pixels([0.49, 0.06, 0.51, 0.3])) > 20, 'a short widening is lost');
    assert.ok((await pixels([0.1, 0.41, 0.4, 0.45])) > 500, 'the band is missing');
    assert.equal(await pixels([0.1, 0.06, 0.4, 0.3]), 0);
  });
});

test('a zoom between two samples shows the band, and a gap has none', () =>
  withBand(oneBand((t) => t, (t) => (t > 7 && t < 9 ? NaN : 0.5)), async (page, pixels) => {
    await page.evaluate(() => window.trill.zoom('slow-coordinate-0', [5.01, 5.02]));
    await settle(page);
    const { y } = await chart(page, coordinates);
    assert.ok(y[0] < 4.52 && y[1] > 5.51 && y[1] < 5.7, JSON.stringify(y));
    assert.ok((await pixels([0.02, 0.2, 0.98, 0.4])) > 5000);
    await page.evaluate(() => window.trill.zoom('slow-coordinate-0', [7.5, 8.5]));
    await settle(page);
    assert.equal(await pixels([0, 0, 0.4, 0.4]), 0); // away from the curve, whose edge is pale too
    assert.ok((await curvePixels(page, coordinates)) > 300);
  }));

test('a band that reaches below zero ends at the foot of a logarithmic axis', () =>
  withBand(oneBand((t) => 1 + t, (t) => (t < 5 ? 0.5 : 50)), async (page, pixels) => {
    await button(page, coordinates, 'Logarithmic y axis').click();
    await settle(page);
    assert.ok((await pixels([0.6, 0.85, 0.9, 1])) > 1000);
    assert.equal(await pixels([0.1, 0.05, 0.4, 0.2]), 0);
  }));

test('the legend explains the band; it goes with its curve and shows in the value', () =>
  withBand(slowRun(), async (page, pixels) => {
    const card = page.locator(`[id="${coordinates}"]`);
    assert.equal(await card.locator('.band-key').innerText(), 'band: fast oscillation');
    assert.equal(await card.locator('.entry').count(), 2);
    assert.match(await card.locator('.plot-note').innerText(), /Fast oscillation up to 0\.3 m to either side\./);
    const { values } = await hoverAt(page, coordinates, 0);
    assert.match(values[1], /^1\.5 \u00b1 0\.05$/);
    assert.ok((await pixels()) > 2000);
    await card.locator('.entry').first().click();
    await settle(page);
    assert.equal(await pixels(), 0);
    await show(page, 'slow-velocity-1');
    assert.equal(await page.locator('#slow-velocity-1 .band-key').count(), 0);
  }));

test('frequencies, actions and errors have one panel each', () =>
  withPage(report({ runs: [slowRun()] }), async (page) => {
    const all = await charts(page);
    const labels = (title) => all.find((c) => c.title.startsWith(title))?.curves.map((c) => c.label);
    assert.deepEqual(labels('Fast frequencies'), ['frequency_1', 'frequency_2']);
    assert.deepEqual(labels('Fast actions'), ['action_1', 'action_2']);
    assert.deepEqual(labels('Step size and error: error'), ['error', 'model_error']);
    const errors = all.find((c) => c.curves.some((curve) => curve.label === 'model_error'));
    await show(page, errors.id);
    assert.equal((await chart(page, errors.id)).logY, true);
    for (const colour of [0, 1]) assert.ok((await curvePixels(page, errors.id, colour)) > 150);
  }));

test('a damaged band is named and the curve is still drawn', () => {
  const run = slowRun();
  run.series[0].band = f32([1, 2, 3]);
  return withPage(report({ runs: [run] }), async (page) => {
    await page.getByText('the band of x has 3 values for 400').waitFor();
    await show(page, coordinates);
    assert.ok((await curvePixels(page, coordinates)) > 150);
  }, { clean: false });
});

for (const [meaning, legend, head] of [['bound', 'band: bound of the error', 'Bound'], ['estimate', 'band: estimate of the error', 'Estimated error']]) {
  test(`a band that is a ${meaning} says so in legend, note and answer`, () => {
    const run = oneBand((t) => t, () => 0.5);
    run.series[0].band_of = meaning;
    return withBand(run, async (page, pixels) => {
      const card = page.locator(`[id="${coordinates}"]`);
      assert.equal(await card.locator('.band-key').innerText(), legend);
      assert.match(await card.locator('.plot-note').innerText(), new RegExp(`Within 0\\.5 m of the whole structure \\(${meaning}\\)\\.`));
      assert.ok((await page.locator('.answer-table th').allInnerTexts()).includes(head));
      assert.ok((await pixels([0.1, 0.5, 0.9, 1])) > 2000, 'the band is missing');
    });
  });
}
