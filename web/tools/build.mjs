// SPDX-License-Identifier: BSD-3-Clause
// Bundles src/ into dist/report.html: one file, nothing left to load.
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const marker = '/*TRILL_DATA*/';
const markerLine = `<script id="trill-data" type="application/json">${marker}</script>`;

async function bundle(entry, extra) {
  const result = await build({
    entryPoints: [join(root, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    legalComments: 'none',
    target: ['es2020', 'chrome90', 'firefox90', 'safari14'],
    ...extra,
  });
  return result.outputFiles[0].text.trim();
}

const licenceText = await readFile(join(root, 'node_modules', 'uplot', 'LICENSE'), 'utf8');
const licence = `/*! This page contains uPlot.\n${licenceText.trim()}\n*/\n`;
const script = licence + (await bundle('main.ts', { format: 'iife' }));
const style = await bundle('page.css');
const template = await readFile(join(root, 'src', 'template.html'), 'utf8');

// Replacement functions, because "$&" in minified code would be expanded in a replacement string.
const html = template
  .replace('@STYLE@', () => style.replace(/<\/style/gi, '<\\/style'))
  .replace('@SCRIPT@', () => script.replace(/<\/script/gi, '<\\/script'));

if (html.split(marker).length !== 2 || html.split('\n').filter((line) => line === markerLine).length !== 1) {
  throw new Error('the page must hold the data marker exactly once, on its own line');
}
await mkdir(join(root, 'dist'), { recursive: true });
await writeFile(join(root, 'dist', 'report.html'), html);
console.log(`dist/report.html: ${(html.length / 1024).toFixed(1)} kB`);
