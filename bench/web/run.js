// SPDX-License-Identifier: MIT
// Runs the benchmark of the C++ library in engines: run.js [node] [chromium] [firefox]. run.js turns [chromium] [firefox] measures a
// page whose frames compute, beside threads that hold its lock.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BROWSERS, openPage } from '../../bindings/web/test/browser.js';

const folder = fileURLToPath(new URL('../../build/emscripten-bench/bench/web/', import.meta.url));
const folders = { '/cpp/': folder, '/tests/web/': fileURLToPath(new URL('../../tests/web/', import.meta.url)) };
const areTurns = process.argv[2] === 'turns';
const engines = [...(areTurns ? [] : ['node']), ...Object.keys(BROWSERS)];
const wanted = process.argv.slice(areTurns ? 3 : 2);

for (const engine of wanted.length > 0 ? wanted : engines) {
  console.log(`\n${engine}`);
  if (areTurns) {
    await openPage(engine, 'tests/web/page.html?run=futon_web_bench&only=turns', { folders, seconds: 300 });
    continue;
  }
  if (engine === 'node') {
    spawnSync(process.execPath, ['--no-experimental-fetch', `${folder}futon_web_bench.js`], { stdio: 'inherit' });
    continue;
  }
  for (const way of ['', '&sleeper']) {
    if (way !== '') console.log('without Atomics.waitAsync:');
    await openPage(engine, `tests/web/page.html?run=futon_web_bench${way}`, { folders, seconds: 300 });
  }
}
