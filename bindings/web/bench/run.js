// SPDX-License-Identifier: MIT
// Measures in Node and in the browsers: run.js [node] [chromium] [firefox]. run.js frames [chromium] [firefox] measures the frames
// of a page that shares a lock with workers, and run.js turns [chromium] [firefox] how such a page is served whose frames compute.

import { BROWSERS, openPage } from '../test/browser.js';
import { runAll } from './cases.js';

const ofPages = ['frames', 'turns'].find((name) => name === process.argv[2]);
const engines = [...(ofPages ? [] : ['node']), ...Object.keys(BROWSERS)];
const wanted = process.argv.slice(ofPages ? 3 : 2);
for (const engine of wanted.length > 0 ? wanted : engines) {
  console.log(`\n${engine}`);
  if (ofPages) await openPage(engine, `test/page.html?run=../bench/${ofPages}.js`, { seconds: 600 });
  else if (engine === 'node') await runAll(console.log);
  else for (const way of ['', '&worker']) await openPage(engine, `test/page.html?run=../bench/cases.js${way}`);
}
