// SPDX-License-Identifier: MIT
// The hooks of examples/ with React and Vue, which npm installs into build/hooks, in both browsers: hooks.js [NAME].

import { join } from 'node:path';
import { bundle } from '../scripts/minify.js';
import { installTool } from '../scripts/tool.js';
import { BROWSERS, openPage } from './browser.js';
import { equal, runAll, test } from './harness.js';

const work = installTool('hooks', 'react@19', 'react-dom@19', 'vue@3');
bundle({
  entryPoints: ['test/hooks_suite.js'], outfile: 'build/hooks/suite.js', write: true, nodePaths: [join(work, 'node_modules')], external: ['node:*'],
  define: {
    'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
  },
});

for (const browser of Object.keys(BROWSERS))
  test(`hooks in ${browser}`, async () => equal(await openPage(browser, 'test/page.html?run=../build/hooks/suite.js'), '0'));

process.exitCode = await runAll(console.log, process.argv[2] ?? '') === 0 ? 0 : 1;
