// SPDX-License-Identifier: MIT
// The playground in the browsers: by itself, by keys, and on hosts that send no headers. playground.js [NAME]

import { BROWSERS, openPage } from './browser.js';
import { equal, runAll, test } from './harness.js';
import { testHosts } from './playground_hosts.js';
import { testKeys } from './playground_keys.js';

const SUITES = ['playground_suite.js', 'playground_access_suite.js', 'playground_code_suite.js'];
const browsers = Object.keys(BROWSERS);

for (const browser of browsers) {
  for (const suite of SUITES)
    test(`${suite} in ${browser}`, async () => equal(await openPage(browser, `test/page.html?run=${suite}`), '0'));
}
testKeys(browsers);
testHosts(browsers);

const wanted = process.argv[2] ?? '';
process.exitCode = await runAll(console.log, wanted) === 0 ? 0 : 1;
