// SPDX-License-Identifier: MIT
// Runs the benchmark of the C++ library in engines: run.js [node] [chromium] [firefox].

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BROWSERS, openPage } from '../../bindings/web/test/browser.js';

const folder = fileURLToPath(new URL('../../build/emscripten-bench/bench/web/', import.meta.url));
const folders = { '/cpp/': folder, '/tests/web/': fileURLToPath(new URL('../../tests/web/', import.meta.url)) };
const wanted = process.argv.length > 2 ? process.argv.slice(2) : ['node', ...Object.keys(BROWSERS)];

for (const engine of wanted) {
  console.log(`\n${engine}`);
  if (engine === 'node') {
    spawnSync(process.execPath, ['--no-experimental-fetch', `${folder}futon_web_bench.js`], { stdio: 'inherit' });
    continue;
  }
  for (const way of ['', '&sleeper']) {
    if (way !== '') console.log('without Atomics.waitAsync:');
    await openPage(engine, `tests/web/page.html?run=futon_web_bench${way}`, { folders, seconds: 300 });
  }
}
