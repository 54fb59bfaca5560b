// SPDX-License-Identifier: BSD-3-Clause
// The moving picture: it plays, and shares its time with the plots.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeRun, report } from './data.mjs';
import { movingBars as picture, pictureFrames as frames } from './parts.mjs';
import { hoverAt, settle, show } from './probe.mjs';
import { session } from './session.mjs';

const withPage = session();
const withPicture = (shown, use, options) =>
  withPage(report({ runs: [makeRun('r0', 0.01, { picture: shown })] }), async (page) => {
    await show(page, 'r0-picture');
    await use(page);
  }, options);

const state = (page) => page.evaluate(() => window.trill.pictures()[0]);

// The mean place of the pixels that have the colour of the point, as a share of the width.
const pointPlace = (page) =>
  page.evaluate(() => {
    const canvas = document.querySelector('#r0-picture canvas');
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const hex = getComputedStyle(document.documentElement).getPropertyValue('--curve-0').trim();
    const want = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    let [sum, count] = [0, 0];
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] < 250 || !want.every((w, k) => Math.abs(w - data[i + k]) < 12)) continue;
      sum += (i / 4) % copy.width;
      ++count;
    }
    return count > 20 ? sum / count / copy.width : NaN;
  });

test('the slider moves the picture and the crosshair of the plots', () =>
  withPicture(picture(), async (page) => {
    assert.ok((await pointPlace(page)) < 0.3, 'the point begins on the left');
    await page.locator('#r0-picture input').focus();
    await page.keyboard.press('End');
    await settle(page);
    assert.ok((await pointPlace(page)) > 0.7, 'the point ends on the right');
    assert.equal(await page.locator('.picture-time').textContent(), 't = 10 s');
    await show(page, 'r0-coordinate-0');
    const said = await page.locator('[id="r0-coordinate-0"] .axis-row').textContent();
    assert.match(said, /t = 10 s/);
  }));

test('pointing into a plot moves the picture', () =>
  withPicture(picture(), async (page) => {
    await show(page, 'r0-coordinate-0');
    await hoverAt(page, 'r0-coordinate-0', 0.5, 0.5);
    await settle(page);
    const { t } = await state(page);
    assert.ok(t > 4 && t < 6, `t = ${t}`);
  }));

test('it plays with the keyboard, pauses, and ends at the end', () =>
  withPicture(picture(), async (page) => {
    const play = page.locator('#r0-picture button');
    await page.locator('#r0-picture select').selectOption({ index: 0 });
    await play.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.trill.pictures()[0].t > 0.5);
    assert.equal(await play.getAttribute('aria-label'), 'Pause');
    await page.keyboard.press('Enter');
    const { t } = await state(page);
    await settle(page);
    assert.equal((await state(page)).t, t, 'it stands still');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !window.trill.pictures()[0].playing, null, { timeout: 15000 });
    assert.equal((await state(page)).t, 10);
  }));

test('a damaged picture is named and the rest is shown', () =>
  withPage(report({ runs: [makeRun('r0', 0.01, { picture: picture({ more: { frames: 7 } }) })] }), async (page) => {
    assert.match(await page.locator('[role="alert"]').first().textContent(), /the picture holds/);
    assert.equal(await page.locator('#r0-picture').count(), 0);
    assert.ok((await page.evaluate(() => window.trill.charts().length)) > 3);
  }));

test('it fits a small screen', () =>
  withPicture(picture(), async (page) => {
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  }, { width: 420, media: { colorScheme: 'dark' } }));

test('a fast oscillation that the run leaves out is drawn as a cloud around the points', () => {
  const shown = picture();
  const blur = new Int16Array(shown.frames * shown.numbers);
  for (let f = 0; f < shown.frames; ++f) blur.set([0, 5000], f * shown.numbers); // up and down by a third of the height
  const inked = (page, height) =>
    page.evaluate((share) => {
      const canvas = document.querySelector('#r0-picture canvas');
      const { data } = canvas.getContext('2d').getImageData(0, Math.round(share * canvas.height), canvas.width, 1);
      let count = 0;
      for (let i = 3; i < data.length; i += 4) count += data[i] > 0 ? 1 : 0;
      return count;
    }, height);
  return withPicture(shown, async (page) => {
    const without = await inked(page, 0.38);
    await withPicture({ ...shown, blur: Buffer.from(blur.buffer).toString('base64') }, async (other) => {
      assert.ok((await inked(other, 0.38)) > without + 3, 'no cloud above the point');
    });
  });
});

test('a note tells what the picture shows', () =>
  withPicture({ ...picture(), note: 'Atoms: 4 <b>H</b> (grey).' }, async (page) => {
    assert.equal(await page.locator('#r0-picture .plot-note').textContent(), 'Atoms: 4 <b>H</b> (grey).');
  }));
