// SPDX-License-Identifier: BSD-3-Clause
// Heat maps, the summary and links of a page without runs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { report } from './data.mjs';
import { heatChart as heat } from './parts.mjs';
import { session } from './session.mjs';

const withPage = session();
const table = (links) => ({ title: 'Runs', note: '', columns: ['a'], rows: [['1'], ['2']], marks: ['ok', 'ok'], links });

test('a heat map tells the value under the pointer and by keys, for each kind of value', () =>
  withPage(report({ runs: [], charts: [heat()], tables: [] }), async (page) => {
    const canvas = page.locator('#figure-0 canvas');
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    const read = () => page.locator('#figure-0 .heat-value').textContent();
    await page.mouse.move(box.x + 66, box.y + 30); // left and top: a = 1, b = 100
    assert.equal(await read(), 'a = 1, <i>b</i> = 100: r at the end 100 [s]');
    await canvas.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    assert.equal(await read(), 'a = 2, <i>b</i> = 10: r at the end 20 [s]');
    await page.selectOption('#figure-0 select', { label: 'mean' });
    await page.mouse.move(box.x + 70, box.y + 34);
    await canvas.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    assert.equal(await read(), 'a = 2, <i>b</i> = 10: r mean no value');
    assert.equal(await page.locator('i').count(), 0);
  }));

test('low and high values have the ends of the scale of colours', () =>
  withPage(report({ runs: [], charts: [heat()], tables: [] }), async (page) => {
    await page.locator('#figure-0 canvas').scrollIntoViewIfNeeded();
    const colours = await page.locator('#figure-0 canvas').evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const ratio = devicePixelRatio;
      const at = (x, y) => [...data.slice(4 * (Math.round(y * ratio) * canvas.width + Math.round(x * ratio))).slice(0, 3)];
      const [w, h] = [canvas.clientWidth, canvas.clientHeight];
      return { low: at(70, h - 46), high: at(w - 90, 34) };
    });
    assert.deepEqual(colours, { low: [68, 1, 84], high: [253, 231, 37] });
  }));

test('a heat map is saved as CSV, SVG and PNG, and no label breaks out of it', () =>
  withPage(report({ runs: [], charts: [heat()], tables: [] }), async (page) => {
    const saved = async (form) => {
      await page.locator('#figure-0 .save > summary').click();
      const waiting = page.waitForEvent('download');
      await page.locator(`#figure-0 button[aria-label="Save as ${form}"]`).click();
      return readFileSync(await (await waiting).path());
    };
    const text = (await saved('CSV')).toString().split('\r\n');
    assert.equal(text[0], 'a,<i>b</i>,at the end,mean');
    assert.equal(text[3], '2,10,20,');
    const found = await page.evaluate((svg) => {
      const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
      return {
        broken: parsed.querySelectorAll('parsererror, i').length,
        cells: [...parsed.querySelectorAll('rect')].filter((r) => r.getAttribute('fill').startsWith('rgb')).length,
        texts: [...parsed.querySelectorAll('text')].map((t) => t.textContent),
      };
    }, (await saved('SVG')).toString());
    assert.equal(found.broken, 0);
    assert.ok(found.cells >= 4, `${found.cells} cells`);
    assert.ok(found.texts.includes('<i>b</i>') && found.texts.includes('a [m]') || found.texts.includes('a'), found.texts.join(' | '));
    assert.deepEqual([...(await saved('PNG')).subarray(1, 4)], [...Buffer.from('PNG')]);
  }));

test('the page begins with its summary, and rows lead only to files beside the page', () =>
  withPage(report({ runs: [], charts: [], summary: ['To an error of <b>1e-4</b>'], tables: [table(['./all/a%3D1.html', 'javascript:alert(1)'])] }), async (page) => {
    assert.equal(await page.locator('main > section').first().textContent(), 'To an error of <b>1e-4</b>');
    const links = await page.locator('main a').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    assert.deepEqual(links, ['./all/a%3D1.html']);
  }));
