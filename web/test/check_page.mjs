// SPDX-License-Identifier: BSD-3-Clause
// node test/check_page.mjs page.html...
// Checks finished pages in a browser: one line per check, exit 0 if all hold, else 1 with the reasons.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startBrowser, watch } from './browser.mjs';
import { charts, chart, curvePixels, drag, open, settle, show } from './probe.mjs';

const files = process.argv.slice(2);
const missing = files.filter((file) => !existsSync(file));
if (files.length === 0 || missing.length > 0) {
  console.error(missing.length > 0 ? `no such file: ${missing.join(' ')}` : 'usage: node test/check_page.mjs page.html...');
  process.exit(2);
}

function check(holds, what) {
  if (!holds) throw new Error(what);
  console.log(`ok: ${what}`);
}

const close = (a, b) => a.every((v, i) => Math.abs(v - b[i]) <= 1e-9 * Math.max(1, Math.abs(v)));

async function checkPlots(page) {
  const all = (await charts(page)).filter((c) => c.curves.some((curve) => curve.visible));
  check(all.length > 0, `the page has plots (${all.length})`);
  let drawn = 0;
  let told = 0;
  for (const { id, title } of all) {
    await show(page, id);
    const now = await chart(page, id);
    if (now.message) {
      ++told;
      continue;
    }
    const colours = now.curves.flatMap((c, i) => (c.visible ? [i % 8] : []));
    let pixels = 0;
    for (const c of colours) pixels += Math.max(0, await curvePixels(page, id, c));
    if (!now.drawn || pixels === 0) throw new Error(`the plot "${title}" is empty`);
    ++drawn;
  }
  check(drawn > 0, `plots are drawn (${drawn} with curves, ${told} with a message)`);
  return all;
}

async function checkZoom(page, all) {
  const candidates = [];
  for (const { id } of all) candidates.push(await chart(page, id));
  const target = candidates.find((c) => !c.message && c.curves.some((curve) => curve.visible && curve.points > 1));
  if (!target) return console.log('ok: no plot with more than one point, zoom not tried');
  await show(page, target.id);
  const before = (await chart(page, target.id)).x;
  await drag(page, target.id, [0.3, 0.3], [0.6, 0.7]);
  const zoomed = (await chart(page, target.id)).x;
  check(zoomed[0] > before[0] && zoomed[1] < before[1], `zoom by dragging works on "${target.title}"`);
  await page.locator(`[id="${target.id}"] button[aria-label="Reset zoom"]`).click();
  await settle(page);
  check(close((await chart(page, target.id)).x, before), 'reset restores the range');
}

async function checkPage(context, file) {
  const page = await context.newPage();
  try {
    const seen = watch(page);
    await open(page, pathToFileURL(resolve(file)).href);
    const complaints = await page.locator('#page > main > .status.bad').allInnerTexts();
    check(complaints.length === 0, `the data are readable${complaints.length ? `: no, ${complaints.join(' ')}` : ''}`);
    const all = await checkPlots(page);
    await checkZoom(page, all);
    const tabs = await page.getByRole('tab').count();
    for (let i = 1; i < tabs; ++i) {
      await page.getByRole('tab').nth(i).click();
      await settle(page);
    }
    if (tabs > 1) check(true, `all ${tabs} tabs open`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, 'the page does not scroll sideways');
    check(seen.errors.length === 0, `no errors in the console${seen.errors.length ? `: ${seen.errors.join('; ')}` : ''}`);
    check(seen.requests.length === 0, `no network request${seen.requests.length ? `: ${seen.requests.join(' ')}` : ''}`);
  } finally {
    await page.close();
  }
}

const browser = await startBrowser();
try {
  for (const file of files) {
    if (files.length > 1) console.log(`${file}:`);
    try {
      await checkPage(browser.context, file);
    } catch (error) {
      console.error(`failed: ${files.length > 1 ? `${file}: ` : ''}${error.message}`);
      process.exitCode = 1;
    }
  }
} finally {
  await browser.close();
}
