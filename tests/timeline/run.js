// SPDX-License-Identifier: MIT
// Opens timelines from disk in headless browsers, and looks at what is drawn and said: run.js [chromium] [firefox] [NAME]

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BROWSERS } from '../../bindings/web/test/browser.js';
import { CHECKS } from './checks.js';
import { pageOf } from './make.js';
import { withView } from './view.js';

const args = process.argv.slice(2);
const wanted = args.filter((name) => name in BROWSERS);
const only = args.find((name) => !(name in BROWSERS)) ?? '';
const folder = mkdtempSync(join(tmpdir(), 'futon-timeline-'));
let passed = 0;
let failed = 0;

/// What a check does with the page of its own trace. It polls where the page draws with the next frame.
function pageFor(view, name) {
  const page = {
    ...view,
    async open(trace, size = {}) {
      const path = join(folder, `${name.replaceAll(/\W+/g, '_')}.html`);
      writeFileSync(path, pageOf(trace));
      await view.open(pathToFileURL(path).href, { width: 1000, height: 800, ...size });
      await page.until(`document.documentElement?.dataset.state !== undefined`);
      if (await view.evaluate('document.documentElement.dataset.state') === 'ready') await page.until(`document.getElementById('canvas').dataset.marks`);
    },
    async until(expression) {
      for (let polls = 0; polls < 2000; ++polls) if (await view.evaluate(`Boolean(${expression})`)) return;
      throw new Error(`not true: ${expression}`);
    },
    async is(expression, expected) {
      let found;
      for (let polls = 0; polls < 1000; ++polls) if ((found = await view.evaluate(expression)) === expected) return;
      throw new Error(`${expression}: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
    },
    text: (selector) => view.evaluate(`document.querySelector(${JSON.stringify(selector)}).innerText.replaceAll('\\u00a0', ' ')`),
    click: (selector) => view.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`),
    type: (text) => view.evaluate(`((query) => { query.value = ${JSON.stringify(text)};
      query.dispatchEvent(new Event('input', { bubbles: true })); })(document.getElementById('query'))`),
    /// How many of the canvas's pixels have, nearly, the colour of this variable of the style sheet.
    pixels: (colour) => view.evaluate(`(() => {
      const canvas = document.getElementById('canvas');
      const probe = document.createElement('canvas').getContext('2d');
      probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--${colour}').trim();
      probe.fillRect(0, 0, 1, 1);
      const wanted = probe.getImageData(0, 0, 1, 1).data;
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let found = 0;
      for (let i = 0; i < data.length; i += 4)
        if ([0, 1, 2].every((part) => Math.abs(data[i + part] - wanted[part]) < 12)) ++found;
      return found;
    })()`),
  };
  return page;
}

try {
  for (const browser of wanted.length > 0 ? wanted : Object.keys(BROWSERS)) {
    console.log(`\n${browser}`);
    await withView(browser, async (view) => {
      for (const [name, check] of Object.entries(CHECKS)) {
        if (!name.includes(only)) continue;
        try {
          await check(pageFor(view, name));
          ++passed;
          console.log(`ok    ${name}`);
        } catch (error) {
          ++failed;
          console.log(`FAIL  ${name}: ${error.stack}`);
        }
      }
    });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
