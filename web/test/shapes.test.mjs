// SPDX-License-Identifier: BSD-3-Clause
// Modes: each is drawn over the model at rest, and moves while it plays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { report } from './data.mjs';
import { swingingPoint as shape } from './parts.mjs';
import { settle, show } from './probe.mjs';
import { session } from './session.mjs';

const withPage = session();
const colour = '--curve-0';

const page = (shapes) => report({ runs: [], charts: [], tables: [], shapes });

// Where the pixels of the point are, and of its pale shadow at rest, as shares of the width.
const places = (page, id) =>
  page.evaluate(([id, name]) => {
    const canvas = document.querySelector(`#${id} canvas`);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const full = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    const surface = [...data.slice(0, 3)];
    const pale = full.map((c, k) => 0.25 * c + 0.75 * surface[k]);
    const mean = (wanted) => {
      let [sum, count] = [0, 0];
      for (let i = 0; i < data.length; i += 4) {
        if (!wanted.every((w, k) => Math.abs(w - data[i + k]) < 8)) continue;
        sum += (i / 4) % canvas.width;
        ++count;
      }
      return count > 20 ? sum / count / canvas.width : NaN;
    };
    return { now: mean(full), rest: mean(pale) };
  }, [id, colour]);

test('a shape is drawn at its end, over the model at rest', () =>
  withPage(page([shape('Mode 1: omega = 2'), shape('Mode 2: omega = 3')]), async (page) => {
    assert.deepEqual(await page.locator('figcaption').allInnerTexts(), ['Mode 1: omega = 2', 'Mode 2: omega = 3']);
    await show(page, 'shape-0');
    const { now, rest } = await places(page, 'shape-0');
    assert.ok(now > 0.6, `drawn at ${now}`);
    assert.ok(Math.abs(rest - 0.5) < 0.02, `at rest at ${rest}`);
  }));

test('it swings while it plays, and returns to its end when it is stopped', () =>
  withPage(page([shape('Mode 1')]), async (page) => {
    await show(page, 'shape-0');
    const play = page.locator('#shape-0 button');
    assert.equal(await play.getAttribute('aria-label'), 'Play: Mode 1');
    await play.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.trill.shapes()[0].frame < 0.3);
    await page.keyboard.press('Enter');
    await settle(page);
    assert.deepEqual(await page.evaluate(() => window.trill.shapes()[0]), { id: 'shape-0', frame: 1, playing: false });
  }));

test('a damaged shape is named and the others are shown', () =>
  withPage(page([shape('Mode 1', { frames: 5 }), shape('Mode 2')]), async (page) => {
    assert.match(await page.locator('[role="alert"]').first().textContent(), /Mode 1: the picture holds/);
    assert.deepEqual(await page.locator('figcaption').allInnerTexts(), ['Mode 2']);
  }));
