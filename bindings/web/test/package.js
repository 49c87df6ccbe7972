// SPDX-License-Identifier: MIT
// The packed package: in programs that import or require it, in pages without a bundler, and its types.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sizeOf } from '../scripts/size.js';
import { BROWSERS, openPage } from './browser.js';
import { ISOLATION } from '../scripts/server.js';
import { equal, runAll, test } from './harness.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'futon-web-package-'));
const unpacked = join(directory, 'node_modules', 'futon-web');

execFileSync('npm', ['pack', '--silent', '--pack-destination', directory], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
execFileSync('tar', ['xzf', readdirSync(directory).find((name) => name.endsWith('.tgz'))], { cwd: directory });
mkdirSync(join(directory, 'node_modules'));
renameSync(join(directory, 'package'), unpacked);

/// What a program prints that has the package in its node_modules.
function runProgram(name, source) {
  writeFileSync(join(directory, name), source);
  const { stdout, stderr, status } = spawnSync(process.execPath, [name], { cwd: directory, encoding: 'utf8', timeout: 60_000 });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

const PROGRAM = `
const lock = new AsyncLock(new SharedArrayBuffer(4));
lock.executeLocked(() => 7).then((value) => console.log(value, typeof notify));`;

test('AProgramImportsThePackage', () =>
  equal(runProgram('main.mjs', `import { AsyncLock, notify } from 'futon-web';${PROGRAM}`), '7 function'));

test('AProgramRequiresThePackage', () =>
  equal(runProgram('main.cjs', `const { AsyncLock, notify } = require('futon-web');${PROGRAM}`), '7 function'));

test('APartOfThePackageConnectsToPrograms', () => {
  const source = "try { connect({ calledRun: true }); } catch ({ message }) { console.log(message.includes('futon::javascript_module')); }";
  equal(runProgram('module.mjs', `import { connect } from 'futon-web/module'; ${source}`), 'true');
  equal(runProgram('module.cjs', `const { connect } = require('futon-web/module'); ${source}`), 'true');
});

test('ThePolyfillLeavesAnEngineAloneThatHasWaitAsync', () =>
  equal(runProgram('polyfill.mjs', `const { waitAsync } = Atomics;
    await import('futon-web/polyfill'); console.log(waitAsync === Atomics.waitAsync)`), 'true'));

test('WithoutSharedMemoryThePackageLoads', () => {
  const source = (load) => `delete globalThis.SharedArrayBuffer; ${load}
    console.log(isSupported(), whyNot().includes('Cross-Origin-Opener-Policy: same-origin'));`;
  equal(runProgram('bare.mjs', source("const { isSupported, whyNot } = await import('futon-web');")), 'false true');
  equal(runProgram('bare.cjs', source("const { isSupported, whyNot } = require('futon-web');")), 'false true');
});

test('APendingWaitKeepsItsProcessAliveUnlessItIsToldNotTo', () => {
  const source = (options) => `import { waitAsync } from 'futon-web';
    const words = new Int32Array(new SharedArrayBuffer(4));
    waitAsync(words, 0, 0, 50, ${options}).value.then((result) => console.log(result));`;
  equal(runProgram('alive.mjs', source('{}')), 'timed-out');
  equal(runProgram('ended.mjs', source('{ ref: false }')), '');
});

test('APromiseOfAPrimitiveKeepsItsProcessAliveUnlessItIsToldNotTo', () => {
  const source = (options) => `import { Event } from 'futon-web';
    const event = new Event(new SharedArrayBuffer(4));
    event.waitAsync(${options}).then((result) => console.log(result));`;
  equal(runProgram('event.mjs', source('{ timeout: 50 }')), 'timed-out');
  equal(runProgram('event_ended.mjs', source('{ timeout: 50, ref: false }')), '');
});

test('TheFilesAreThoseThatAreNeeded', () => {
  for (const name of ['index.js', 'index.d.ts', 'module.js', 'module.d.ts', 'dist/module.cjs', 'dist/module.d.cts', 'dist/index.d.cts',
    'polyfill.js', 'polyfill.d.ts', 'dist/futon-web.cjs', 'dist/futon-web.min.js', 'dist/futon-web.min.d.ts', 'README.md', 'LICENSE', 'src'])
    equal(existsSync(join(unpacked, name)), true, name);
  equal(existsSync(join(unpacked, 'test')), false, 'test');
});

// What a primitive adds to AsyncLock includes what all of them share; the first row is of all together.
for (const [names, most] of [
  [undefined, 15300], ['AsyncLock', 5940], ['waitAsync', 2850], ['wait', 1600], ['SharedLock', 4210], ['Semaphore', 4040], ['Event', 3220],
  ['AutoResetEvent', 3320], ['Latch', 3380], ['Barrier', 3500], ['Condition', 3990], ['Channel', 5390], ['selectAsync', 2820], ['select', 3030],
]) {
  test(`ThePackageDoesNotGrow ${names ?? 'all'}`, () => {
    const size = sizeOf(names);
    equal(size <= most, true, `${size} bytes`);
  });
}

for (const browser of Object.keys(BROWSERS)) {
  test(`APageWithoutABundlerUsesThePackage in ${browser}`, async () => {
    rmSync(join(root, 'dist/packed'), { recursive: true, force: true });
    execFileSync('cp', ['-r', unpacked, join(root, 'dist/packed')]);
    try {
      equal(await openPage(browser, 'test/packed.html'), '1 ok');
    } finally {
      rmSync(join(root, 'dist/packed'), { recursive: true, force: true });
    }
  });

  test(`OneRequestLoadsTheWholePackage in ${browser}`, async () => {
    const loaded = [];
    const onGet = (path) => { if (/\.c?js$/.test(path)) loaded.push(path); };
    equal(await openPage(browser, 'test/min.html', { onGet }), '1 ok true');
    equal(loaded.join(), '/dist/futon-web.min.js');
  });

  test(`ThreadsWithoutIsolationAreToldWhy in ${browser}`, async () => {
    const said = await openPage(browser, 'test/isolation.html', { headers: {} });
    const expected = {
      page: /^for SharedArrayBuffer, serve the page and its workers with Cross-Origin-Opener-Policy: same-origin and/,
      worker: /^for SharedArrayBuffer, serve the page/,
      'shared worker': /^browsers isolate no SharedWorker/,
      'service worker': /^a service worker shares no memory/,
    };
    for (const [kind, reason] of Object.entries(expected)) {
      const { isSupported, whyNot, woken = 0, thrown = [] } = JSON.parse(said)[kind];
      equal(isSupported, false, said);
      equal(reason.test(whyNot), true, `${kind}: ${said}`);
      equal(woken, 0, kind);
      for (const text of thrown) equal(text.startsWith('Error: ') && text.endsWith(`: ${whyNot}`), true, `${kind}: ${text}`);
    }
  });

  test(`ThreadsOfAnIsolatedPageAreSupported in ${browser}`, async () => {
    const said = JSON.parse(await openPage(browser, 'test/isolation.html'));
    for (const kind of ['page', 'worker']) equal(said[kind].isSupported && said[kind].whyNot === undefined, true, kind);
    equal(/no SharedWorker/.test(said['shared worker'].whyNot), true);
    equal(/service worker/.test(said['service worker'].whyNot), true);
  });

  test(`APageWhosePolicyForbidsTheStandInIsToldThePolicy in ${browser}`, async () => {
    const headers = { ...ISOLATION, 'Content-Security-Policy': "worker-src 'self'" };
    const text = await openPage(browser, 'test/policy.html', { headers });
    equal(/worker-src blob:/.test(text), true, text);
  });
}

const only = process.argv[2] ?? '';
process.exitCode = await runAll(console.log, only) === 0 ? 0 : 1;
rmSync(directory, { recursive: true, force: true });
