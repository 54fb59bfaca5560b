// SPDX-License-Identifier: BSD-3-Clause
// Cycles of an envelope that the reader looks at by a click.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { f32, f64, report, series, slowRun } from './data.mjs';
import { button, chart, countPixels, plotBox, settle, show } from './probe.mjs';
import { session } from './session.mjs';

const withPage = session();
const envelope = 'slow-coordinate-0';
const window = 'slow-window-cycle-0';
const period = 0.01;
const numbers = [0, 1, 2, 5, 10, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200];
const phases = Array.from({ length: 41 }, (_, i) => i / 40);
// The middle and the amplitude of the oscillation change slowly from cycle to cycle.
const shape = (n, phase) => Math.cos(n / 60) + (0.5 + n / 400) * Math.sin(2 * Math.PI * phase);

function envelopeRun(more = {}) {
  const t = numbers.map((n) => n * period);
  return slowRun({
    more: {
      time: { name: 't', unit: 's', n: t.length, data: f64(t) },
      series: [{ ...series('x', 'V', 'coordinate', numbers.map((n) => Math.cos(n / 60))), band: f32(numbers.map((n) => 0.5 + n / 400)) }],
      cycles: {
        numbers: f64(numbers),
        starts: f64(t),
        periods: f64(numbers.map(() => period)),
        phases: f64(phases),
        series: [{ name: 'x', unit: 'V', data: f32(numbers.flatMap((n) => phases.map((p) => shape(n, p)))) }],
        command: 'trill run model.cir --want envelope --window WINDOW',
        ...more,
      },
    },
  });
}

const withEnvelope = (use, more = {}, options = {}) => withPage(report({ runs: [envelopeRun(more)] }), use, options);
const story = (page) => page.locator('.cycles .remark').first().innerText();
const plain = (text) => text.replace(/\u202f/g, '');

// The envelope's axis covers 0 to 2 s.
async function clickAt(page, t) {
  await show(page, envelope);
  const { x } = await chart(page, envelope);
  const box = await plotBox(page, envelope);
  await page.mouse.click(box.x + (box.width * (t - x[0])) / (x[1] - x[0]), box.y + box.height / 2);
  await settle(page);
}

async function largestError(page) {
  const [curve] = await page.evaluate((id) => window.trill.values(id), window);
  return Math.max(...curve.x.map((t, i) => {
    const n = Math.min(Math.floor(i / phases.length), 1e9);
    const first = Math.round(curve.x[0] / period);
    return Math.abs(curve.y[i] - shape(first + n, t / period - (first + n)));
  }));
}

test('the last cycles are shown at first, and none beyond the end', () =>
  withEnvelope(async (page) => {
    await show(page, window);
    const { x, curves } = await chart(page, window);
    assert.equal(curves[0].points, 3 * phases.length);
    assert.ok(Math.abs(x[0] - 1.97) < 0.002 && Math.abs(x[1] - 2) < 0.002, JSON.stringify(x));
    assert.match(plain(await story(page)), /^Cycles 198 to 200 of 200, from 1\.97 to 2 s\. Interpolated; .* are 181 and 201\./);
    assert.ok(await button(page, 'slow-cycles', 'Later cycles').isDisabled());
  }));

test('a click shows the cycles there, and those in between are interpolated', () =>
  withEnvelope(async (page) => {
    await clickAt(page, 1.105);
    assert.match(plain(await story(page)), /^Cycles 110 to 112 of 200, .*are 101 and 121\. Estimated error: at most [\d.e-]+ % of the range, in x\.$/);
    assert.ok((await largestError(page)) < 1e-3, 'the interpolation is wrong');
    const { spans } = await chart(page, envelope);
    assert.equal(spans.length, 1);
    assert.ok(Math.abs(spans[0][0] - 1.09) < 1e-9 && Math.abs(spans[0][1] - 1.12) < 1e-9, JSON.stringify(spans));
    assert.deepEqual((await chart(page, window)).spans, []);
    assert.equal(await page.locator('.command').innerText(), 'trill run model.cir --want envelope --window 1.09:1.12');
  }));

test('computed cycles are shaded', () =>
  withEnvelope(async (page) => {
    await clickAt(page, 1.005);
    assert.match(plain(await story(page)), /1 of them computed, the others interpolated\./);
    assert.equal((await chart(page, window)).spans.length, 1);
    await show(page, window);
    const shaded = (part) => countPixels(page, window, '--curve-0', part, [0.1, 0.2]);
    assert.ok((await shaded([0.4, 0.05, 0.6, 0.95])) > 2000, 'the computed cycle is not shaded');
    assert.ok((await shaded([0.05, 0.05, 0.25, 0.95])) < 300, 'an interpolated cycle is shaded'); // the edge of the curve is pale too
    await clickAt(page, 0.001);
    assert.match(plain(await story(page)), /^Cycles 1 to 3 of 200, .*All of them were computed in full\./);
    assert.ok(await button(page, 'slow-cycles', 'Earlier cycles').isDisabled());
  }));

test('the window moves and grows by buttons, and a drag does not move it', () =>
  withEnvelope(async (page) => {
    await clickAt(page, 1.105);
    await button(page, 'slow-cycles', 'Later cycles').click();
    await settle(page);
    assert.match(plain(await story(page)), /^Cycles 113 to 115 of 200/);
    await button(page, 'slow-cycles', 'More cycles').click();
    await settle(page);
    assert.equal((await chart(page, window)).curves[0].points, 10 * phases.length);
    for (let i = 0; i < 2; ++i) await button(page, 'slow-cycles', 'Fewer cycles').click();
    await settle(page);
    const before = await story(page);
    assert.match(plain(before), /^Cycle \d+ of 200/);
    assert.ok(await button(page, 'slow-cycles', 'Fewer cycles').isDisabled());
    const box = await plotBox(page, envelope);
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 120, box.y + 40);
    await page.mouse.up();
    await settle(page);
    assert.equal(await story(page), before);
  }));

test('the cursor key and Enter choose cycles too', () =>
  withEnvelope(async (page) => {
    await show(page, envelope);
    await page.locator(`[id="${envelope}"] .mount`).focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await settle(page);
    assert.match(plain(await story(page)), /^Cycles (9|10)\d to /);
  }));

test('edges that move are called smeared', () => {
  const step = (n, phase) => (phase < 0.3 + n / 1000 ? 1 : 0);
  const data = f32(numbers.flatMap((n) => phases.map((p) => step(n, p))));
  return withEnvelope(async (page) => {
    await clickAt(page, 1.105);
    assert.match(await story(page), /Edges that move from cycle to cycle are smeared here\./);
  }, { series: [{ name: 'v(sw)', unit: 'V', data }] });
});

test('cycles whose lengths do not fit are named, and the rest is shown', () =>
  withEnvelope(async (page) => {
    assert.match(await page.locator('.status.bad').innerText(), /the cycles: their lengths do not fit together/);
    assert.equal(await page.locator('.cycles').count(), 0);
    assert.ok((await chart(page, envelope)).curves[0].points > 0);
  }, { starts: f64([0, 1]) }));

test('on a narrow screen nothing is wider than the page', () =>
  withEnvelope(async (page) => {
    await clickAt(page, 1.105);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${overflow} pixels too wide`);
  }, {}, { width: 420 }));
