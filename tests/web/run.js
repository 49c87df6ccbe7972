// SPDX-License-Identifier: MIT
// Runs the programs of this folder in browsers: run.js [chromium] [firefox] [NAME]. In each as it is, and as if it had no
// Atomics.waitAsync. Node runs them by ctest.

import { fileURLToPath } from 'node:url';
import { BROWSERS, openPage } from '../../bindings/web/test/browser.js';

const args = process.argv.slice(2);
const wanted = args.filter((name) => name in BROWSERS);
const only = args.find((name) => !(name in BROWSERS)) ?? '';
const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const folders = {
  '/cpp/': at('../../build/emscripten/tests/web/'), '/tests/web/': at('.'), '/bindings/web/': at('../../bindings/web/'),
};
const failed = [];

for (const browser of wanted.length > 0 ? wanted : Object.keys(BROWSERS)) {
  for (const way of ['', '&sleeper']) {
    for (const page of ['page.html?run=futon_web_tests', 'module/page.html?']) {
      const label = `${browser}${way.replace('&', ' ')} ${page}`;
      console.log(`\n${label}`);
      const path = `tests/web/${page}${way}&only=${only}`;
      const result = await openPage(browser, path, { folders, seconds: 300 }).catch((error) => error.message);
      if (result !== '0') failed.push(`${label}: ${result}`);
    }
  }
}

console.log(failed.length === 0 ? '\nAll passed' : `\nFailed:\n${failed.join('\n')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
