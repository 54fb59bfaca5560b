// SPDX-License-Identifier: BSD-3-Clause
// Models with many components: what is not drawn can be searched for, and what is not on the page is said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { f32, f64, makeRun, report } from './data.mjs';
import { chart, show } from './probe.mjs';
import { session } from './session.mjs';

const withPage = session();
const time = [0, 1, 2, 3];
const others = (count, name = (i) => `bar[${i}].x`) => ({
  time: f64(time),
  series: Array.from({ length: count }, (_, i) => ({ name: name(i), unit: 'm', group: 'coordinate', offset: i, data: f32(time.map((t) => t / (i + 1))) })),
});
const withOthers = (more, use, options) => withPage(report({ runs: [makeRun('r0', 0.01, more)] }), use, options);
const curves = async (page) => (await chart(page, 'r0-others')).curves.map((c) => c.label);

test('others are found by a part of their name and drawn', () =>
  withOthers({ others: others(300), hidden_components: 1234 }, async (page) => {
    const remark = await page.locator('.remark').first().textContent();
    assert.match(remark, /300 others can be searched for/);
    assert.match(remark, /1.234 further components are only in the file/);
    await show(page, 'r0-others');
    assert.deepEqual(await curves(page), ['bar[0].x [m]']);
    const box = page.locator('#r0-others input[type=search]');
    await box.fill('[27');
    assert.match(await page.locator('#r0-others [role=status]').textContent(), /^11 found\./);
    await page.locator('#r0-others .found button', { hasText: 'bar[271].x' }).click();
    assert.deepEqual(await curves(page), ['bar[0].x [m]', 'bar[271].x [m]']);
    await page.locator('#r0-others .found button', { hasText: 'bar[271].x' }).click();
    assert.deepEqual(await curves(page), ['bar[0].x [m]']);
    await box.fill('nothing of this kind');
    assert.match(await page.locator('#r0-others [role=status]').textContent(), /No other component/);
  }));

test('the search works with the keyboard alone', () =>
  withOthers({ others: others(40) }, async (page) => {
    await show(page, 'r0-others');
    await page.locator('#r0-others input[type=search]').focus();
    await page.keyboard.type('bar[33]');
    await page.keyboard.press('Enter');
    assert.deepEqual(await curves(page), ['bar[0].x [m]', 'bar[33].x [m]']);
  }));

test('names cannot become markup', () =>
  withOthers({ others: others(2, (i) => `<img src=x onerror="window.broken=${i}">`) }, async (page) => {
    await show(page, 'r0-others');
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.equal(await page.locator('#r0-others img').count(), 0);
  }));

test('without others there is no search', () =>
  withOthers({}, async (page) => assert.equal(await page.locator('#r0-others').count(), 0)));
