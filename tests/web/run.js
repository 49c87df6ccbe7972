// SPDX-License-Identifier: MIT
// Runs the tests of the C++ library in browsers: run.js [chromium] [firefox] [NAME]. The programs of this folder as the engine is,
// and as if it had no Atomics.waitAsync; the unit tests and those of conformance with their main in a thread. Node runs them by ctest.

import { fileURLToPath } from 'node:url';
import { BROWSERS, openPage } from '../../bindings/web/test/browser.js';

const args = process.argv.slice(2);
const wanted = args.filter((name) => name in BROWSERS);
const only = args.find((name) => !(name in BROWSERS)) ?? '';
const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const folders = { '/cpp/': at('../../build/emscripten/tests/'), '/tests/web/': at('.'), '/bindings/web/': at('../../bindings/web/') };
const PROGRAMS = ['page.html?run=web/futon_web_tests', 'module/page.html?'];
const RUNS = [...PROGRAMS, ...PROGRAMS.map((page) => `${page}&sleeper`), 'page.html?run=futon_conformance_tests', 'page.html?run=futon_unit_tests'];
const failed = [];

for (const browser of wanted.length > 0 ? wanted : Object.keys(BROWSERS)) {
  for (const run of RUNS) {
    const label = `${browser}: ${run}`;
    const begin = Date.now();
    console.log(`\n${label}`);
    const result = await openPage(browser, `tests/web/${run}&only=${only}`, { folders, seconds: 300 }).catch((error) => error.message);
    console.log(`${((Date.now() - begin) / 1000).toFixed(0)} s`);
    if (result !== '0') failed.push(`${label}: ${result}`);
  }
}

console.log(failed.length === 0 ? '\nAll passed' : `\nFailed:\n${failed.join('\n')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
