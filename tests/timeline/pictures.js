// SPDX-License-Identifier: MIT
// Takes pictures of the page for a look at it: pictures.js FOLDER [chromium] [firefox]

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pageOf } from './make.js';
import { bank } from './traces.js';
import { withView } from './view.js';

const folder = resolve(process.argv[2]);
mkdirSync(folder, { recursive: true });
const page = join(folder, 'page.html');
writeFileSync(page, pageOf(bank(900, { lost: 1234 })));
const browsers = process.argv.slice(3);
const isReady = `document.getElementById('canvas')?.dataset.marks > 0`;

for (const browser of browsers.length > 0 ? browsers : ['chromium', 'firefox']) {
  await withView(browser, async (view) => {
    for (const [width, height] of [[320, 700], [800, 900], [1400, 1000]])
      for (const isDark of [false, true]) {
        await view.open(pathToFileURL(page).href, { width, height, isDark });
        const until = async (expression) => { while (!await view.evaluate(`Boolean(${expression})`)); };
        await until(isReady);
        const name = `${browser}-${width}-${isDark ? 'dark' : 'light'}`;
        await view.picture(join(folder, `${name}.png`));
        await view.evaluate(`document.querySelector('#table tbody tr td:nth-child(3) button').click()`);
        for (let i = 0; i < 5; ++i) await view.evaluate(`document.getElementById('in').click()`);
        await until(`document.querySelector('#chosen dl') && !document.getElementById('out').disabled`);
        await view.picture(join(folder, `${name}-chosen.png`));
      }
  });
}
