// SPDX-License-Identifier: MIT
// The playground in the browsers: by itself, without Atomics.waitAsync, and on hosts that send no headers.

import { BROWSERS, openPage } from './browser.js';
import { equal, runAll, test } from './harness.js';

for (const browser of Object.keys(BROWSERS)) {
  test(`ThePlayground in ${browser}`, async () => equal(await openPage(browser, 'test/page.html?run=playground_suite.js'), '0'));

  test(`ThePlaygroundWithoutIsolationNamesTheHeaders in ${browser}`, async () => {
    const text = await openPage(browser, 'test/playground_bare.html', { headers: {} });
    equal(/Cross-Origin-Opener-Policy.*Cross-Origin-Embedder-Policy/.test(text), true, text);
  });

  test(`TheServiceWorkerAddsTheHeaders in ${browser}`, async () => {
    const file = '/playground/contender.js';  // workers are started by an isolated page only
    equal(await openPage(browser, 'playground/', { headers: {}, file }), file);
  });
}

const wanted = process.argv[2] ?? '';
process.exitCode = await runAll(console.log, wanted) === 0 ? 0 : 1;
