// SPDX-License-Identifier: BSD-3-Clause
// Writes dist/demo.html, a page with sample data to look at.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sampleReport, writePage } from '../test/data.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
console.log(writePage(join(root, 'dist', 'demo.html'), sampleReport()));
