// SPDX-License-Identifier: BSD-3-Clause
// What tests ask of a page: pixels of a plot, positions in it, settled drawing.

// Waits until pending drawing (microtasks and two frames) is done.
export const settle = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))));

export async function open(page, url) {
  await page.goto(url);
  await page.waitForFunction(() => document.querySelector('#page')?.children.length > 0);
  await settle(page);
}

export const charts = (page) => page.evaluate(() => window.trill.charts());
export const chart = async (page, id) => (await charts(page)).find((c) => c.id === id);

export async function show(page, id) {
  await page.evaluate((name) => {
    const card = document.getElementById(name);
    for (let folded = card.closest('details'); folded; folded = folded.parentElement.closest('details')) folded.open = true;
    card.scrollIntoView({ block: 'center' });
  }, id);
  await settle(page);
}

// Pixels in a part of the plot box (fractions left, top, right, bottom) close to a colour of the theme. The ground of a
// plot is transparent: opacity tells a curve from a band.
export function countPixels(page, id, variable, part = [0, 0, 1, 1], opacity = [0.47, 1]) {
  return page.evaluate(([name, colour, [left, top, right, bottom], [least, most]]) => {
    const card = document.getElementById(name);
    const canvas = card.querySelector('canvas');
    if (!canvas) return -1;
    // Read from a copy: reading the page's own canvas would change how the browser draws it.
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext('2d', { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const ratio = canvas.width / canvas.clientWidth;
    const { offsetLeft, offsetTop, clientWidth, clientHeight } = card.querySelector('.u-over');
    const box = [offsetLeft + left * clientWidth, offsetTop + top * clientHeight, (right - left) * clientWidth, (bottom - top) * clientHeight];
    const pixels = context.getImageData(...box.map((v) => Math.round(v * ratio))).data;
    const hex = getComputedStyle(document.documentElement).getPropertyValue(colour).trim();
    const want = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
    let count = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      const alpha = pixels[i + 3] / 255;
      if (alpha >= least && alpha <= most && want.every((w, k) => Math.abs(w - pixels[i + k]) < 30)) ++count;
    }
    return count;
  }, [id, variable, part, opacity]);
}

export const curvePixels = (page, id, colour = 0) => countPixels(page, id, `--curve-${colour}`);
export const bandPixels = (page, id, part) => countPixels(page, id, '--curve-0', part, [0.2, 0.3]);

export const button = (page, id, label) => page.locator(`[id="${id}"] button[aria-label="${label}"]`);

export const plotBox = (page, id) => page.locator(`[id="${id}"] .u-over`).boundingBox();

export async function drag(page, id, from, to, shift = false) {
  const b = await plotBox(page, id);
  const at = ([x, y]) => [b.x + x * b.width, b.y + (1 - y) * b.height];
  if (shift) await page.keyboard.down('Shift');
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at([(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]));
  await page.mouse.move(...at(to));
  await page.mouse.up();
  if (shift) await page.keyboard.up('Shift');
  await settle(page);
}

export async function hoverAt(page, id, fraction) {
  const b = await plotBox(page, id);
  await page.mouse.move(b.x + fraction * b.width, b.y + b.height / 2);
  await settle(page);
  return page.evaluate((name) => {
    const card = document.getElementById(name);
    return {
      position: card.querySelector('.position').textContent,
      values: [...card.querySelectorAll('.entry .value')].map((v) => v.textContent),
    };
  }, id);
}
