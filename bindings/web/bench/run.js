// SPDX-License-Identifier: MIT
// Measures in Node and in the browsers: run.js [node] [chromium] [firefox].

import { BROWSERS, openPage } from '../test/browser.js';
import { runAll } from './cases.js';

const engines = ['node', ...Object.keys(BROWSERS)];
const wanted = process.argv.slice(2);
for (const engine of wanted.length > 0 ? wanted : engines) {
  console.log(`\n${engine}`);
  if (engine === 'node') await runAll(console.log);
  else for (const way of ['', '&worker']) await openPage(engine, `test/page.html?run=../bench/cases.js${way}`);
}
