// SPDX-License-Identifier: MIT
// The playground on hosts that send no headers: the service worker adds them, or the page says what is wrong.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playgroundAt } from '../scripts/playground.js';
import { openPage } from './browser.js';
import { equal, test } from './harness.js';

const HEADERS = /Cross-Origin-Opener-Policy.*Cross-Origin-Embedder-Policy/;

// In a copy of the playground: posts what it says when it cannot start.
const TELLS = `<script>
const problem = document.getElementById('problem');
new MutationObserver(() => fetch('/end', { method: 'POST', body: problem.textContent })).observe(problem, { childList: true });
</script>`;

/// Opens a page of a copy of the playground, /telling/, with `change` made to the folder. Returns what it says, and how often it was loaded.
async function openTelling(browser, page, change = () => {}) {
  const folder = mkdtempSync(join(tmpdir(), 'futon-playground-'));
  try {
    cpSync(playgroundAt('/')['/'], folder, { recursive: true });
    const index = join(folder, 'index.html');
    writeFileSync(index, readFileSync(index, 'utf8').replace('</body>', `${TELLS}</body>`));
    change((name) => join(folder, name));
    let loads = 0;
    const onGet = (path) => { loads += path === '/telling/'; };
    const text = await openPage(browser, page, { headers: {}, folders: { '/telling/': `${folder}/` }, onGet });
    equal(HEADERS.test(text), true, text);
    return { text, loads };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function testIn(browser) {
  for (const path of ['playground/', 'some/where/below/']) {
    test(`playground: TheServiceWorkerIsolatesThePageAfterOneReload /${path} in ${browser}`, async () => {
      let loads = 0;
      const file = `/${path}contender.js`;    // workers are started by an isolated page only
      const onGet = (name) => { loads += name === `/${path}`; };
      equal(await openPage(browser, path, { headers: {}, file, onGet, folders: playgroundAt(`/${path}`) }), file);
      equal(loads, 2, 'loads');
    });
  }

  test(`playground: InAFrameItNamesTheHeaders in ${browser}`, async () => {
    const { text, loads } = await openTelling(browser, 'test/playground_bare.html');
    equal(/in a frame/.test(text), true, text);
    equal(loads, 1, 'loads');
  });

  test(`playground: AReloadInVainIsTheLast in ${browser}`, async () => {
    const { text, loads } = await openTelling(browser, 'telling/', (at) => writeFileSync(at('service_worker.js'), '// It adds nothing.'));
    equal(/did not isolate the page/.test(text), true, text);
    equal(loads, 2, 'loads');
  });

  test(`playground: AServiceWorkerThatIsNotThereIsNamed in ${browser}`, async () => {
    const { text, loads } = await openTelling(browser, 'telling/', (at) => rmSync(at('service_worker.js')));
    equal(/has failed: ./.test(text), true, text);
    equal(loads, 1, 'loads');
  });

  test(`playground: AServiceWorkerThatCannotBeInstalledIsNamed in ${browser}`, async () => {
    const { text, loads } = await openTelling(browser, 'telling/', (at) => writeFileSync(at('service_worker.js'),
      'addEventListener("install", (event) => event.waitUntil(Promise.reject(new Error("refused"))));'));
    equal(/has failed: ./.test(text), true, text);
    equal(loads, 1, 'loads');
  });
}

export function testHosts(browsers) {
  for (const browser of browsers) testIn(browser);
}
