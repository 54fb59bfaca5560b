// SPDX-License-Identifier: BSD-3-Clause
// node test/screenshot.mjs page.html out.png [width] [dark|light]
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startBrowser } from './browser.mjs';

const [file, out, width = '1280', scheme = 'light'] = process.argv.slice(2);
if (!file || !out) {
  console.error('usage: node test/screenshot.mjs page.html out.png [width] [dark|light]');
  process.exit(2);
}
const browser = await startBrowser({ viewport: { width: Number(width), height: 900 }, colorScheme: scheme });
try {
  const page = await browser.context.newPage();
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.evaluate(() => window.trill.drawAll());
  await page.waitForTimeout(200);
  if (out.endsWith('.pdf')) await page.pdf({ path: out, preferCSSPageSize: true });
  else await page.screenshot({ path: out, fullPage: true });
} finally {
  await browser.close();
}
