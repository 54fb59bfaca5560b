// SPDX-License-Identifier: BSD-3-Clause
// Plots are drawn, can be zoomed, switched to logarithmic, and read at the cursor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { f64, f32, figures, makeRun, millionSteps, pageText, report, sampleReport, series } from './data.mjs';
import { button, charts, chart, countPixels, curvePixels, drag, hoverAt, plotBox, settle, show } from './probe.mjs';
import { session } from './session.mjs';

const withPage = session();
const near = (found, wanted, tolerance) =>
  assert.ok(Math.abs(found - wanted) <= tolerance, `${found} is not within ${tolerance} of ${wanted}`);

// A straight line x = 2 t on [0, 10], so that every value is known.
function lineRun(more = {}) {
  const t = Array.from({ length: 1001 }, (_, i) => i / 100);
  return {
    ...makeRun('line', 0.01),
    time: { name: 't', unit: 's', n: t.length, data: f64(t) },
    series: [series('x', 'm', 'coordinate', t.map((s) => 2 * s)), series('w', 'm/s', 'velocity', t.map((s) => 1 + s * s))],
    phase: undefined,
    events: [],
    ...more,
  };
}
const lineReport = (more) => report({ runs: [lineRun(more)] });

test('every chart of a run shows curve pixels in its colour', () =>
  withPage(report(), async (page) => {
    const all = await charts(page);
    assert.equal(all.length, 8);
    for (const { id, title } of all) {
      await show(page, id);
      assert.ok((await curvePixels(page, id)) > 150, `${title} is empty`);
    }
  }));

test('charts far below the screen are drawn only when they come near', () =>
  withPage(report(), async (page) => {
    const last = (await charts(page)).at(-1);
    assert.equal(last.drawn, false);
    await show(page, last.id);
    assert.equal((await chart(page, last.id)).drawn, true);
  }));

test('a straight line lies where it should', () =>
  withPage(lineReport(), async (page) => {
    await show(page, 'line-coordinate-0');
    const low = await countPixels(page, 'line-coordinate-0', '--curve-0', [0.01, 0.52, 0.49, 1]);
    const high = await countPixels(page, 'line-coordinate-0', '--curve-0', [0.01, 0, 0.49, 0.48]);
    assert.ok(low > 100, `the line is missing below (${low})`);
    assert.equal(high, 0, `the line is not where it should be (${high})`);
  }));

test('a dense curve with a long step in it is a line there, not a wedge', () => {
  const t = [...Array.from({ length: 20000 }, (_, i) => i / 10000), 8, ...Array.from({ length: 20000 }, (_, i) => 8 + i / 10000)];
  const time = { name: 't', unit: 's', n: t.length, data: f64(t) };
  return withPage(lineReport({ time, series: [series('x', 'm', 'coordinate', t.map((s) => (s < 5 ? 0 : 1)))] }), async (page) => {
    await show(page, 'line-coordinate-0');
    assert.ok((await countPixels(page, 'line-coordinate-0', '--curve-0', [0.25, 0, 0.75, 1])) > 100, 'the long step is missing');
    assert.equal(await countPixels(page, 'line-coordinate-0', '--curve-0', [0.6, 0.6, 0.9, 0.9]), 0, 'a wedge is filled');
    assert.ok((await countPixels(page, 'line-coordinate-0', '--curve-0', [0, 0.8, 0.18, 1])) > 60, 'the dense part is missing');
  });
});

test('dragging zooms x, other charts follow, reset and double-click restore', () =>
  withPage(lineReport(), async (page) => {
    const [a, b] = ['line-coordinate-0', 'line-velocity-1'];
    await show(page, a);
    assert.deepEqual((await chart(page, a)).x, [0, 10]);
    await drag(page, a, [0.2, 0.5], [0.4, 0.5]);
    for (const id of [a, b]) {
      const { x } = await chart(page, id);
      near(x[0], 2, 0.05);
      near(x[1], 4, 0.05);
    }
    near((await chart(page, a)).y[1], 8, 0.5);
    await button(page, b, 'Reset zoom').click();
    await settle(page);
    assert.deepEqual((await chart(page, a)).x, [0, 10]);
    await drag(page, a, [0.6, 0.5], [0.8, 0.5]);
    assert.notDeepEqual((await chart(page, b)).x, [0, 10]);
    const box = await plotBox(page, a);
    await page.mouse.dblclick(box.x + 50, box.y + 50);
    await settle(page);
    assert.deepEqual((await chart(page, b)).x, [0, 10]);
  }));

test('Shift-drag and the box mode zoom y too', () =>
  withPage(lineReport(), async (page) => {
    const id = 'line-coordinate-0';
    await show(page, id);
    const full = (await chart(page, id)).y;
    const wanted = [0.25, 0.75].map((f) => full[0] + f * (full[1] - full[0]));
    await drag(page, id, [0.2, 0.25], [0.8, 0.75], true);
    let now = await chart(page, id);
    wanted.forEach((w, i) => near(now.y[i], w, 0.2));
    near(now.x[0], 2, 0.05);
    await button(page, id, 'Reset zoom').click();
    await page.locator(`[id="${id}"] .tool.box`).click();
    await drag(page, id, [0.2, 0.25], [0.8, 0.75]);
    now = await chart(page, id);
    wanted.forEach((w, i) => near(now.y[i], w, 0.2));
  }));

test('zoom buttons, keys and the wheel with Ctrl zoom', () =>
  withPage(lineReport(), async (page) => {
    const id = 'line-coordinate-0';
    await show(page, id);
    await button(page, id, 'Zoom in').click();
    await settle(page);
    assert.deepEqual((await chart(page, id)).x, [2.5, 7.5]);
    await button(page, id, 'Zoom out').click();
    await settle(page);
    assert.equal((await chart(page, id)).zoomed, false);
    await page.locator(`[id="${id}"] .mount`).focus();
    await page.keyboard.press('+');
    await page.keyboard.press('Shift+ArrowRight');
    await settle(page);
    assert.deepEqual((await chart(page, id)).x, [3.5, 8.5]);
    await page.keyboard.press('0');
    await settle(page);
    assert.equal((await chart(page, id)).zoomed, false);
    const box = await plotBox(page, id);
    await page.mouse.move(box.x + box.width / 2, box.y + 40);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -100);
    await page.keyboard.up('Control');
    await settle(page);
    assert.ok((await chart(page, id)).x[0] > 0.5);
  }));

test('two fingers zoom', () =>
  withPage(lineReport(), async (page) => {
    const id = 'line-coordinate-0';
    await show(page, id);
    await page.evaluate((name) => {
      const over = document.querySelector(`[id="${name}"] .u-over`);
      const r = over.getBoundingClientRect();
      const finger = (type, pointerId, f) =>
        over.dispatchEvent(new PointerEvent(type, { pointerType: 'touch', pointerId, clientX: r.left + f * r.width, clientY: r.top + 50, bubbles: true }));
      finger('pointerdown', 11, 0.4);
      finger('pointerdown', 12, 0.6);
      finger('pointermove', 11, 0.3);
      finger('pointermove', 12, 0.7);
      finger('pointerup', 11, 0.3);
      finger('pointerup', 12, 0.7);
    }, id);
    await settle(page);
    const { x } = await chart(page, id);
    near(x[0], 2.5, 0.1);
    near(x[1], 7.5, 0.1);
  }));

test('hover shows the value at a known time, in linked charts too', () =>
  withPage(lineReport(), async (page) => {
    await show(page, 'line-coordinate-0');
    const { position, values } = await hoverAt(page, 'line-coordinate-0', 0.3);
    const t = Number(/t = ([\d.]+) s/.exec(position)[1]);
    near(t, 3, 0.02);
    near(Number(values[0]), 2 * t, 1e-3);
    const other = await page.locator('#line-velocity-1 .entry .value').first().innerText();
    near(Number(other), 1 + t * t, 1e-2);
  }));

test('the offset of a series enters the values shown', () =>
  withPage(lineReport({ series: [{ name: 'E', unit: 'J', group: 'energy', log: false, offset: 1000, data: f32(Array.from({ length: 1001 }, (_, i) => i * 1e-7)) }] }), async (page) => {
    await show(page, 'line-energy-0');
    const { values } = await hoverAt(page, 'line-energy-0', 0.5);
    near(Number(values[0]), 1000.00005, 2e-6);
    const caption = await page.locator('#line-energy-0 .axis-caption.y').innerText();
    assert.match(caption, /× 10⁻⁵ \+ 1000/);
  }));

test('a zoom between two samples fits y to the line seen there', () =>
  withPage(lineReport(), async (page) => {
    await show(page, 'line-coordinate-0');
    await page.evaluate(() => window.trill.zoom('line-coordinate-0', [5.001, 5.002]));
    await settle(page);
    const { y } = await chart(page, 'line-coordinate-0');
    near(y[0], 10.002, 3e-4);
    near(y[1], 10.004, 3e-4);
    assert.ok((await curvePixels(page, 'line-coordinate-0')) > 300);
    assert.match(await page.locator('#line-coordinate-0 .axis-caption.x').innerText(), /× 10⁻⁴ \+ 5\.001/);
  }));

test('the x axis of a figure can be logarithmic, and says when it cannot', () =>
  withPage(report({ runs: [], charts: [{ title: 'c', series: [{ label: 's', x: f64([-2, -1]), y: f64([1, 2]) }] }] }), async (page) => {
    await show(page, 'figure-0');
    await button(page, 'figure-0', 'Logarithmic x axis').click();
    await page.getByText('so a logarithmic axis has nothing to show').waitFor();
  }));

test('the log switch works, and says so when there is nothing positive', () =>
  withPage(lineReport({ series: [series('x', 'm', 'coordinate', Array.from({ length: 1001 }, (_, i) => 10 ** (-i / 100))), series('n', 'm', 'quantity', Array.from({ length: 1001 }, () => -3))] }), async (page) => {
    const id = 'line-coordinate-1';
    await show(page, id);
    await button(page, id, 'Logarithmic y axis').click();
    await settle(page);
    const now = await chart(page, id);
    assert.equal(now.logY, true);
    assert.ok(now.y[0] < 1e-10 && now.y[0] > 1e-12 && now.y[1] > 1);
    // A straight line from corner to corner: both halves of the plot hold pixels.
    assert.ok((await curvePixels(page, id)) > 300);
    await show(page, 'line-quantity-0');
    await button(page, 'line-quantity-0', 'Logarithmic y axis').click();
    await settle(page);
    await page.getByText('All values are zero or negative').waitFor();
    assert.equal(await curvePixels(page, 'line-quantity-0'), 0);
  }));

test('clicking the legend hides a curve', () =>
  withPage(report(), async (page) => {
    const id = 'r0-coordinate-0';
    await show(page, id);
    assert.ok((await curvePixels(page, id, 1)) > 150);
    await page.locator(`[id="${id}"] .entry`).nth(1).click();
    await settle(page);
    assert.ok((await curvePixels(page, id, 1)) < 5);
    assert.ok((await curvePixels(page, id, 0)) > 150);
  }));

test('event times are drawn as lines', () =>
  withPage(lineReport({ events: [{ name: 'crossing', t: 5 }] }), async (page) => {
    await show(page, 'line-coordinate-0');
    const drawn = await countPixels(page, 'line-coordinate-0', '--event', [0.497, 0, 0.503, 1]);
    assert.ok(drawn > 40, `${drawn} pixels`);
  }));

test('the phase plane begins with components that change', () => {
  const phase = { names: ['still', 'x', 'nearly', 'y'], units: ['', '', '', ''], n: 4, data: f32([12, 0, 5, 0, 12, 1, 5.000001, 2, 12, 0, 5, 4, 12, 1, 5, 6]) };
  return withPage(report({ runs: [makeRun('r0', 0.01, { phase })] }), async (page) => {
    await show(page, 'r0-phase');
    assert.equal(await page.locator('#r0-phase figcaption').textContent(), 'y against x');
  });
});

test('the energy of a random motion has no deviation from its start, that of another run has', () =>
  withPage(report({ runs: [makeRun('r0', 0.01, { random: true })] }), async (page) => {
    assert.equal(await page.getByText('Energy, deviation from its start').count(), 0);
    const ids = await page.evaluate(() => window.trill.charts().map((c) => c.id));
    assert.ok(ids.some((id) => id.startsWith('r0-energy')), ids.join(' '));
  }));

test('the phase plane draws, and its axes can be chosen', () =>
  withPage(report(), async (page) => {
    const id = 'r0-phase';
    await show(page, id);
    assert.ok((await curvePixels(page, id)) > 300);
    const before = await chart(page, id);
    await page.locator(`[id="${id}"] select`).nth(1).selectOption('u');
    await settle(page);
    const after = await chart(page, id);
    assert.notDeepEqual(after.y, before.y);
    near(after.y[1], 2.9, 0.3);
    assert.ok((await curvePixels(page, id)) > 300);
    await page.locator(`[id="${id}"] select`).nth(1).selectOption('y');
    await settle(page);
    const scales = async () => {
      const box = await plotBox(page, id);
      const { x, y } = await chart(page, id);
      return (x[1] - x[0]) / box.width / ((y[1] - y[0]) / box.height);
    };
    near(await scales(), 1, 0.01);
    await button(page, id, 'Equal scales on both axes').click();
    await settle(page);
    assert.ok(Math.abs((await scales()) - 1) > 0.1);
    await drag(page, id, [0.25, 0.25], [0.5, 0.5]);
    const zoomed = await chart(page, id);
    assert.ok(zoomed.x[1] < 0.1 && zoomed.y[1] < -0.7, JSON.stringify(zoomed));
  }));

test('figures with points and logarithmic axes are drawn', () =>
  withPage(report({ runs: [], charts: figures() }), async (page) => {
    for (const id of ['figure-0', 'figure-1']) {
      await show(page, id);
      for (const colour of [0, 1]) assert.ok((await curvePixels(page, id, colour)) > 100, `${id}, curve ${colour}`);
    }
    const work = await chart(page, 'figure-1');
    assert.ok(work.logX && work.logY);
  }));

test('the overlay draws the same component of all runs', () =>
  withPage(sampleReport(), async (page) => {
    await page.getByRole('tab', { name: 'Overlay' }).click();
    await settle(page);
    await show(page, 'overlay-3');
    const { curves, title } = await chart(page, 'overlay-3');
    assert.equal(curves.length, 3);
    assert.match(title, /: v$/);
    await drag(page, 'overlay-3', [0.85, 0.5], [1, 0.5]);
    for (const colour of [0, 1, 2]) assert.ok((await curvePixels(page, 'overlay-3', colour)) > 60, `run ${colour} is missing`);
  }));

// What a redraw draws depends on the pixels of the screen, not on the number of points.
test('a million-step page stays small, and a redraw takes few lines', async () => {
  const data = millionSteps();
  const bytes = Buffer.byteLength(pageText(data));
  assert.ok(bytes < 5e6, `${bytes} bytes`);
  await withPage(data, async (page) => {
    for (const id of ['big-coordinate-0', 'big-velocity-1']) {
      await show(page, id);
      await page.locator(`[id="${id}"] .bulk button`).first().click();
    }
    await settle(page);
    const { lines, curves, width } = await page.evaluate(async () => {
      let lines = 0;
      for (const kind of [CanvasRenderingContext2D, Path2D]) {
        const { lineTo } = kind.prototype;
        kind.prototype.lineTo = function (...at) {
          ++lines;
          return lineTo.apply(this, at);
        };
      }
      window.trill.zoom('big-coordinate-0', [10, 900]);
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const shown = window.trill.charts().filter((c) => ['big-coordinate-0', 'big-velocity-1'].includes(c.id));
      return { lines, curves: shown.reduce((sum, c) => sum + c.curves.length, 0), width: innerWidth };
    });
    assert.ok(curves > 20 && lines > curves * 100, `${lines} lines for ${curves} curves`);
    assert.ok(lines < 8 * width * curves, `${lines} lines for ${curves} curves in ${width} pixels`);
    await page.getByText('of 1\u202f000\u202f000 points').first().waitFor();
  }, { clean: false });
});

test('the spectrum of a run is drawn, with the frequencies of the model named, and saved with them', () => {
  const x = Array.from({ length: 400 }, (_, i) => 1 + i);
  const spectrum = [{
    title: 'Spectrum',
    note: '',
    x: { label: 'angular frequency', unit: 'rad/s', log: true },
    y: { label: 'amplitude', unit: 'm', log: true },
    style: 'line',
    series: [{ label: 'r', x: f64(x), y: f64(x.map((w) => 1 / (1 + (w - 50) ** 2))) }],
    marks: [{ x: 50, label: '<b>50</b>' }, { x: null, label: 'nowhere' }],
  }];
  return withPage(lineReport({ spectrum }), async (page) => {
    await show(page, 'line-spectrum-0');
    assert.ok((await curvePixels(page, 'line-spectrum-0')) > 150);
    assert.equal(await page.getByRole('heading', { name: 'Spectrum' }).count(), 1);
    const saved = page.waitForEvent('download');
    await page.locator('#line-spectrum-0 .save > summary').click();
    await page.locator('#line-spectrum-0 button[aria-label="Save as SVG"]').click();
    const stream = await (await saved).createReadStream();
    let svg = '';
    for await (const part of stream) svg += part;
    assert.match(svg, /&lt;b&gt;50&lt;\/b&gt;/);
    assert.doesNotMatch(svg, /nowhere/);
  });
});

test('where energy is work, its balance is drawn in place of its deviation', () => {
  const t = Array.from({ length: 101 }, (_, i) => i / 100);
  const energies = [
    series('energy', 'J', 'energy', t, { whole: true }),
    series('work done', 'J', 'energy', t.map((s) => 2 * s)),
    series('energy lost', 'J', 'energy', t),
    series('energy balance', 'J', 'energy', t.map(() => 1e-9), { balance: true }),
  ];
  const time = { name: 't', unit: 's', n: t.length, data: f64(t) };
  return withPage(lineReport({ time, series: energies }), async (page) => {
    const all = await charts(page);
    assert.deepEqual(all.map((c) => c.title), ['Energy and work', 'Balance of energy and work']);
    assert.deepEqual(all[0].curves.map((c) => c.label), ['energy', 'work done', 'energy lost']);
    assert.deepEqual(all[1].curves.map((c) => c.label), ['energy balance']);
  });
});
