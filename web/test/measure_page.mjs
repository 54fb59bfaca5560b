// SPDX-License-Identifier: BSD-3-Clause
// node test/measure_page.mjs page.html
// How long a page takes until it answers, and how many frames a second its moving picture has. For bench/report_page.sh;
// the numbers depend on the machine, so no test looks at them.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startBrowser } from './browser.mjs';

const file = process.argv[2];
const browser = await startBrowser({ viewport: { width: 1400, height: 900 } });
try {
  const page = await browser.context.newPage();
  // Processor time of the page's thread, which other programs on the machine hardly change.
  const probe = await browser.context.newCDPSession(page);
  await probe.send('Performance.enable', { timeDomain: 'threadTicks' });
  const work = async () => (await probe.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value;
  await page.goto(pathToFileURL(resolve(file)).href);
  // The first frame after the page has built itself: from here on it answers.
  const ready = await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())))),
  );
  const built = await work();
  const zoom = await page.evaluate(() => {
    const plot = document.querySelector('.plot.time .u-over') ?? document.body;
    const begin = performance.now();
    plot.dispatchEvent(new WheelEvent('wheel', { deltaY: -100, ctrlKey: true, bubbles: true, cancelable: true }));
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin))));
  });
  console.log(`page of ${(statSync(file).size / 1e6).toFixed(2)} MB: answers after ${ready.toFixed(0)} ms (${(1000 * built).toFixed(0)} ms of processor time), zooms in ${zoom.toFixed(0)} ms`);
  const play = page.locator('.picture button').first();
  if ((await play.count()) > 0) {
    await play.scrollIntoViewIfNeeded();
    await play.click();
    const before = await work();
    const [rate, frames] = await page.evaluate(
      () =>
        new Promise((done) => {
          const begin = performance.now();
          let frames = 0;
          const next = (now) => (now - begin > 2000 ? done([(1000 * frames) / (now - begin), frames]) : (++frames, requestAnimationFrame(next)));
          requestAnimationFrame(next);
        }),
    );
    const each = (1000 * ((await work()) - before)) / frames;
    console.log(`moving picture: ${rate.toFixed(0)} frames a second, ${each.toFixed(1)} ms of processor time each`);
  }
} finally {
  await browser.close();
}
