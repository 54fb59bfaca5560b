// SPDX-License-Identifier: BSD-3-Clause
// What a page says first: the question, the answer with its error, then the check; how it was computed is folded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRun, report, series } from './data.mjs';
import { session } from './session.mjs';

const withPage = session();
const asked = 'The full motion from t = 0 to 10 s, to an accuracy of 1e-06 of r';

test('the question, the answer and the check come first, in this order', () =>
  withPage(report({ runs: [makeRun('r0', 0.01, { question: asked })] }), async (page) => {
    const labels = await page.evaluate(() => [...document.querySelectorAll('.panel > section')].map((s) => s.getAttribute('aria-label')));
    assert.deepEqual(labels.slice(0, 2), ['The answer', 'Trust in the result']);
    assert.equal(await page.locator('.question').textContent(), asked);
  }));

test('the answer has values at the end, the error that was found, and the range', () => {
  const run = makeRun('r0', 0.01);
  const n = run.time.n;
  const rise = Array.from({ length: n }, (_, i) => (4 * i) / (n - 1));
  run.series = [series('x', 'm', 'coordinate', rise, { offset: 1 }), series('reach', 'm', 'quantity', rise.map((v) => -v))];
  run.trust.components = [{ name: 'reach', unit: 'm', deviation: 0.004, scale: 4, relative: 0.001, verdict: 'green' }];
  return withPage(report({ runs: [run] }), async (page) => {
    const rows = await page.evaluate(() => [...document.querySelectorAll('.answer-table tr')].map((r) => [...r.children].map((c) => c.textContent)));
    assert.deepEqual(rows[0], ['Quantity', 'At t = 10 s', 'Error found', 'Lowest', 'Highest']);
    assert.deepEqual(rows[1], ['reach m', '-4', '0.004', '-4', '0']);
    assert.equal(rows[2][0], 'x m');
    assert.equal(rows[2][2], '', 'nothing is said where nothing is known');
  });
});

test('exponents keep their zeros', () => {
  const run = makeRun('r0', 0.01);
  run.series = [series('x', 'm', 'coordinate', Array.from({ length: run.time.n }, (_, i) => i), {})];
  run.trust.components = [{ name: 'x', unit: 'm', deviation: 1.7e-10, scale: 1, relative: 1.7e-10, verdict: 'green' }];
  return withPage(report({ runs: [run] }), async (page) => {
    assert.equal(await page.locator('.answer-table tr').nth(1).locator('td').nth(1).textContent(), '1.7e-10');
  });
});

test('how it was computed is folded and opens with the keyboard', () =>
  withPage(report({ runs: [makeRun('r0', 0.01)] }), async (page) => {
    const folded = page.locator('details.computed');
    assert.equal(await folded.evaluate((d) => d.open), false);
    assert.ok(await page.evaluate(() => document.querySelector('[id^="r0-newton"]').closest('details.computed') !== null));
    assert.ok(await page.evaluate(() => document.querySelector('[id^="r0-coordinate"]').closest('details') === null));
    await folded.locator('> summary').focus();
    await page.keyboard.press('Enter');
    assert.equal(await folded.evaluate((d) => d.open), true);
  }));

test('a run that failed says so before anything else', () =>
  withPage(report({ runs: [makeRun('r0', 0.01, { status: { code: 'step_too_small', ok: false, message: 'The step became too small at t = 3.' } })] }), async (page) => {
    assert.match(await page.locator('.panel > *').first().textContent(), /did not succeed.*too small at t = 3/);
  }));
