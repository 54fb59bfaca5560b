// SPDX-License-Identifier: BSD-3-Clause
// The page around the plots: themes, small screens, print, hostile names, damaged and extreme data.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { f32, f64, makeRun, millionSteps, pageText, report, sampleReport, series } from './data.mjs';
import { charts, curvePixels, settle, show } from './probe.mjs';
import { heatChart, movingBars } from './parts.mjs';
import { session } from './session.mjs';

const withPage = session();
const here = dirname(fileURLToPath(import.meta.url));

test('the template holds its marker exactly once, on its own line', () => {
  const html = readFileSync(join(here, '..', 'dist', 'report.html'), 'utf8');
  const line = '<script id="trill-data" type="application/json">/*TRILL_DATA*/</script>';
  assert.equal(html.split('/*TRILL_DATA*/').length, 2);
  assert.equal(html.split('\n').filter((l) => l === line).length, 1);
  assert.doesNotMatch(html, /<(script|link|img|iframe)[^>]+(src|href)=["']?(https?:)?\/\//i);
});

// Contrast of text against the nearest opaque background, as WCAG defines it.
const worstContrast = (page) =>
  page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = (colour) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    let worst = { ratio: 99 };
    for (const e of document.querySelectorAll('h1,h2,h3,p,td,th,dt,dd,summary,figcaption,.name,.axis-caption,.tabs button,code')) {
      if (!e.textContent.trim() || !e.getClientRects().length || e.closest('[aria-pressed="false"]')) continue;
      let back = e;
      while (back && rgba(getComputedStyle(back).backgroundColor)[3] < 255) back = back.parentElement;
      const [a, b] = [getComputedStyle(e).color, getComputedStyle(back ?? document.body).backgroundColor].map((c) => luminance(rgba(c)));
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < worst.ratio) worst = { ratio, text: e.textContent.slice(0, 40) };
    }
    return worst;
  });

for (const scheme of ['light', 'dark']) {
  test(`the ${scheme} theme is readable and draws curves in its own colours`, () =>
    withPage(sampleReport(), async (page) => {
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), scheme);
      const worst = await worstContrast(page);
      assert.ok(worst.ratio >= 4.5, `contrast ${worst.ratio.toFixed(2)} of "${worst.text}"`);
      await show(page, 'r0-coordinate-0');
      assert.ok((await curvePixels(page, 'r0-coordinate-0')) > 150);
    }, { media: { colorScheme: scheme } }));
}

test('the theme can be switched, and plots follow', () =>
  withPage(report(), async (page) => {
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await back();
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    await settle(page);
    assert.notEqual(await back(), before);
    await show(page, 'r0-coordinate-0');
    assert.ok((await curvePixels(page, 'r0-coordinate-0')) > 150);
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
  }));

test('a 360 pixel screen shows everything without sideways scrolling', async () => {
  const long = 'a_very_long_name_without_any_space_that_goes_on_and_on_and_on_for_ever';
  const run = makeRun('r0', 0.001, { label: long, status: { code: long, ok: false, message: long } });
  run.settings.push([long, long]);
  run.series.push(series(long, 'm', 'quantity', [1, 2, 3]));
  for (const data of [sampleReport(), millionSteps(24, 200), report({ title: long, runs: [run] })]) {
    await withPage(data, async (page) => {
      for (const c of await charts(page)) await show(page, c.id);
      await page.locator('summary').first().click();
      const sizes = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(sizes[0] <= sizes[1], `${sizes[0]} wide on a screen of ${sizes[1]}`);
    }, { width: 360, height: 740 });
  }
});

test('print hides the controls, is light, and draws every plot', () =>
  withPage(sampleReport(), async (page) => {
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await settle(page);
    for (const control of ['.tools', '.page-tools', '.tabs', '.axis-choice', 'summary']) {
      assert.equal(await page.locator(control).first().isVisible(), false, `${control} is printed`);
    }
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
    assert.ok(await page.locator('.trust-table').first().isVisible(), 'details are folded out');
    const shown = (await charts(page)).filter((c) => c.id.startsWith('r0') || c.id.startsWith('figure'));
    for (const c of shown) assert.ok((await curvePixels(page, c.id)) > 100, `${c.title} is empty`);
    const pdf = await page.pdf();
    assert.ok(pdf.length > 20000);
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
    await settle(page);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    assert.equal(await page.locator('details').first().getAttribute('open'), null);
  }, { media: { colorScheme: 'dark' } }));

test('names with markup are shown as text', () => {
  const evil = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">';
  const run = makeRun('r0', 0.001, { label: evil, facts: [[evil, evil]], settings: [[evil, evil]], parameters: [[evil, evil, evil, evil]],
    status: { code: evil, ok: false, message: evil }, notices: [{ t: 1, code: evil, severity: evil, text: evil }] });
  run.problem = run.method = { name: evil, title: evil, reference: evil, delivers: evil };
  run.trust = { verdict: evil, headline: evil, how: evil, components: [{ name: evil, unit: evil }] };
  run.series[0].name = run.series[0].unit = run.series[0].group = evil;
  run.phase.names[0] = evil;
  run.events[0].name = evil;
  run.question = run.time.name = run.time.unit = evil;
  run.picture = { ...movingBars(), note: evil };
  run.picture.shapes[0].colour = evil;
  run.others = { time: f64([0, 1]), series: [{ name: evil, unit: evil, group: evil, offset: 0, data: f32([1, 2]) }] };
  run.spectrum = [{ title: evil, note: evil, x: { label: evil, unit: evil }, y: { label: evil, unit: evil }, series: [{ label: evil, x: f64([1, 2]), y: f64([1, 2]) }], marks: [{ x: 1.5, label: evil }] }];
  const chart = { title: evil, note: evil, x: { label: evil }, y: { label: evil }, series: [{ label: evil, x: f64([1, 2]), y: f64([1, 2]) }] };
  const table = { title: evil, note: evil, columns: [evil], rows: [[evil]], marks: [evil] };
  return withPage(report({ title: evil, summary: [evil], runs: [run, run], charts: [chart, { ...heatChart(), title: evil, note: evil, x: { label: evil, unit: evil } }], tables: [{ ...table, links: ['./javascript:alert(1)'] }] }), async (page) => {
    await page.getByRole('tab', { name: 'Overlay' }).click();
    await settle(page);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator('h1').innerText(), evil);
    assert.equal(await page.locator('#page script, #page img').count(), 0);
  });
});

const broken = {
  'not JSON': ['{"schema":1,', /not valid JSON/],
  'an unknown schema': ['{"schema":2}', /schema 2/],
  'a list': ['[]', /not a JSON object/],
  'an unfilled template': ['/*nothing*/', /empty template/],
};
for (const [what, [text, message]] of Object.entries(broken)) {
  test(`${what} gives a clear message`, () =>
    withPage(text, async (page) => assert.match(await page.locator('main').innerText(), message)));
}

test('damaged parts are named and the rest is shown', () => {
  const run = makeRun('r0', 0.001);
  run.series[0].data = '***';
  run.series[1].data = f32([1, 2, 3]);
  return withPage(report({ runs: [run] }), async (page) => {
    const text = await page.locator('.status.bad').innerText();
    assert.match(text, /x is not valid base64/);
    assert.match(text, /y has 3 values for 2001 times/);
    await show(page, 'r0-velocity-1');
    assert.ok((await curvePixels(page, 'r0-velocity-1')) > 150);
  });
});

test('extreme data never break the page', () => {
  const run = (id, t, values, more = {}) => ({
    id, time: { name: 't', unit: '', n: t.length, data: f64(t) },
    series: ['coordinate', 'energy', 'constraint', 'step', 'odd group'].map((g) => ({ ...series('q', '', g, values), log: g === 'step' })), ...more,
  });
  const runs = [
    {}, run('empty', [], []), run('single', [1], [5]), run('nan', [0, 1, 2], [NaN, NaN, NaN]), run('gap', [0, 1, 2, 3], [1, NaN, 3, 4]),
    run('constant', [0, 1, 2], [7, 7, 7]), run('negative', [0, 1], [-1, -2]), run('zero', [0, 1], [0, 0]), run('infinite', [0, 1, 2], [1, Infinity, 2]),
    run('backwards', [2, 1, 0], [1, 2, 3]), run('same time', [1, 1, 1], [1, 2, 3]), run('huge', [0, 1e300], [1e38, -1e38]), run('tiny', [0, 1e-300], [1e-40, 2e-40]),
    run('fields', [0, 1], [1, 2], { trust: {}, notices: [{}], facts: [[]], phase: { names: ['a', 'b'], data: f32([1, 2, 1, 2]) }, events: [{}], parameters: [['p']] }), null, 7,
  ];
  return withPage(report({ runs, charts: [{}, { series: [{}] }], tables: [{}] }), async (page) => {
    const tabs = page.getByRole('tab');
    for (let i = 0; i < runs.length + 1; ++i) {
      await tabs.nth(i).click();
      await page.evaluate(() => window.trill.drawAll());
      await settle(page);
    }
    const all = await charts(page);
    assert.ok((await page.locator('body').innerText()).includes('exactly zero') || all.some((c) => /exactly zero/.test(c.message)));
    assert.ok(all.some((c) => /zero or negative/.test(c.message)));
    for (const c of all) assert.ok([...c.x, ...c.y].every(Number.isFinite), JSON.stringify(c));
    await tabs.nth(2).click();
    await show(page, 'single-coordinate-0');
    assert.ok((await curvePixels(page, 'single-coordinate-0')) > 5, 'a single point is a dot');
  });
});

test('an empty report says so', () =>
  withPage({ schema: 1 }, async (page) => assert.match(await page.locator('main').innerText(), /no runs, charts or tables/)));

test('a failed run is announced', () =>
  withPage(sampleReport(), async (page) => {
    await page.getByRole('tab').nth(2).click();
    const panel = page.getByRole('tabpanel');
    assert.match(await panel.getByRole('alert').innerText(), /did not succeed: newton failed[\s\S]*t = 7\.31/);
    assert.match(await panel.locator('.trust-label').innerText(), /do not trust/i);
  }));

test('tabs answer to arrow keys', () =>
  withPage(sampleReport(), async (page) => {
    await page.getByRole('tab').first().focus();
    await page.keyboard.press('ArrowLeft');
    assert.equal(await page.getByRole('tab', { selected: true }).innerText(), 'Overlay');
  }));

test('check_page accepts good pages and refuses broken ones', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trill-check-'));
  const check = (...names) =>
    spawnSync(process.execPath, [join(here, 'check_page.mjs'), ...names.map((name) => join(folder, name))], { encoding: 'utf8' });
  try {
    const good = pageText(report());
    const bad = [
      ['nodata.html', pageText('{}'), /readable/],
      ['error.html', good.replace('</body>', '<script>throw new Error("planted")</script></body>'), /planted/],
      ['request.html', good.replace(/<meta http-equiv[^>]*>/, '').replace('</body>', '<script>fetch("http://127.0.0.1:9/x").catch(()=>0)</script></body>'), /127\.0\.0\.1|ERR_/],
      ['blank.html', good.replace('</body>', '<script>CanvasRenderingContext2D.prototype.stroke=()=>{};CanvasRenderingContext2D.prototype.fill=()=>{}</script></body>'), /is empty/],
    ];
    for (const [name, text] of [['good.html', good], ...bad]) writeFileSync(join(folder, name), text);
    assert.equal(check('good.html').status, 0);
    const result = check(...bad.map(([name]) => name), 'good.html');
    assert.equal(result.status, 1, result.stdout);
    const reasons = result.stderr.trim().split('\n').filter((line) => line.startsWith('failed: '));
    assert.equal(reasons.length, bad.length, result.stderr);
    bad.forEach(([name, , reason], i) => {
      assert.ok(reasons[i].includes(name), reasons[i]);
      assert.match(reasons[i], reason);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a page for paper is black on white, unfolded and drawn from the start', () =>
  withPage(report(), async (page) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    const state = await page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      return {
        theme: document.documentElement.dataset.theme,
        surface: style.getPropertyValue('--surface').trim(),
        curve: style.getPropertyValue('--curve-0').trim(),
        folded: [...document.querySelectorAll('main details:not(.save)')].filter((d) => !d.open).length,
        drawn: window.trill.charts().every((c) => c.drawn),
        dashes: new Set([...document.querySelectorAll('.legend .swatch path')].slice(0, 2).map((p) => p.getAttribute('stroke-dasharray'))).size,
      };
    });
    assert.deepEqual(state, { theme: 'light', surface: '#fff', curve: '#000', folded: 0, drawn: true, dashes: 2 });
  }, { paper: true }));
