// SPDX-License-Identifier: BSD-3-Clause
// One browser for a test file; each page is watched, and what it must not do is asserted at its end.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { startBrowser, watch } from './browser.mjs';
import { writePage } from './data.mjs';
import { open } from './probe.mjs';

export function session() {
  const folder = mkdtempSync(join(tmpdir(), 'trill-pages-'));
  let browser;
  let count = 0;
  before(async () => {
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return async function withPage(data, use, { width = 1280, height = 900, media = {}, clean = true, paper = false } = {}) {
    const path = writePage(join(folder, `page${++count}.html`), data, paper);
    const page = await browser.context.newPage();
    const seen = watch(page);
    try {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: 'light', ...media });
      await open(page, pathToFileURL(path).href);
      await use(page, path);
      if (clean) assert.deepEqual(seen.errors, [], 'errors in the console');
      assert.deepEqual(seen.requests, [], 'network requests');
    } finally {
      await page.close();
    }
  };
}
