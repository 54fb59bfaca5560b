// SPDX-License-Identifier: BSD-3-Clause
// Finds and starts the browser the tests drive.
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const usualNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];

function executable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function findBrowser() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of usualNames) if (folder && executable(join(folder, name))) return join(folder, name);
  }
  const mac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';
  if (executable(mac)) return mac;
  throw new Error(`no browser found: set CHROMIUM, or put one of ${usualNames.join(', ')} on the PATH`);
}

const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

// Every start has its own profile, removed at the end, so that nothing is remembered between tests.
export async function startBrowser(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'trill-report-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    headless: true,
    args: flags,
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  return {
    context,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

// Collects what must not happen on a page: console errors, uncaught errors, requests beyond the file itself.
export function watch(page) {
  const seen = { errors: [], requests: [] };
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && seen.errors.push(`console: ${m.text()}`));
  page.on('pageerror', (e) => seen.errors.push(`page: ${e.message}`));
  page.on('request', (r) => /^(file|data|about):/.test(r.url()) || seen.requests.push(r.url()));
  return seen;
}
