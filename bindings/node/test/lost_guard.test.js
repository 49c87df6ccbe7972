// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// A guard that is collected while it holds its lock: the program is warned, and told where it was taken.

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const path = require('node:path');
const { promisify } = require('node:util');
const { test } = require('./support/test');

/// What a program says that does `body`, and then waits until its guards are collected and the patience of a warning is over.
async function saidBy(body) {
  const source = `
    const { AsyncLock, SharedLock, Condition, select } = require(${JSON.stringify(path.join(__dirname, '..'))});
    const buffer = new SharedArrayBuffer(64);
    const lock = new AsyncLock(buffer);
    const shared = new SharedLock(buffer, 8);
    const changed = new Condition(buffer, 16);
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    async function later() {  // when the place of another call is noted
      for (const start = performance.now(); performance.now() < start + 2; ) await turn();
    }
    async function collect() {
      let isCollected = false;
      const registry = new FinalizationRegistry(() => { isCollected = true; });
      (() => registry.register({}, 0))();
      while (!isCollected) {
        await turn();
        gc();
      }
      await turn();
    }
    async function forgetful() {
      ${body}
    }
    (async () => {
      await forgetful();
      for (let i = 0; i < 3; ++i) await collect();
      setTimeout(() => {}, 1200);  // longer than a warning waits
    })();`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--expose-gc', '-e', source]);
  return stderr;
}

const LOSSES = [
  ['lockAsync', 'await lock.lockAsync();', 'an AsyncLock'],
  ['lock', 'lock.lock();', 'an AsyncLock'],
  ['tryLock', 'lock.tryLock();', 'an AsyncLock'],
  ['executeLocked', 'lock.executeLocked(() => new Promise(() => {}));', 'an AsyncLock'],
  ['lockAsync that has waited', `
    const held = lock.lock();
    await later();
    const waits = lock.lockAsync();
    for (let i = 0; i < 3; ++i) await turn();
    held.unlock();
    await waits;`, 'an AsyncLock'],
  ['lock that has waited at a condition', `
    const waits = changed.waitAsync(lock.lock());
    for (let i = 0; i < 3; ++i) await turn();
    changed.notify();
    await waits;`, 'an AsyncLock'],
  ['a shared lock that has waited', `
    const held = shared.lock();
    const waits = shared.lockAsync();
    for (let i = 0; i < 3; ++i) await turn();
    held.unlock();
    await waits;`, 'a SharedLock'],
  ['a shared lock', 'await shared.lockSharedAsync();', 'a SharedLock'],
  ['a shared lock that blocks', 'shared.lock();', 'a SharedLock'],
];

for (const [name, body, kind] of LOSSES) {
  test(`A guard of ${name} that is lost is told, with its place`, async () => {
    const said = await saidBy(body);
    assert.match(said, /\[FUTON_LOST_GUARD\] FutonWarning: The guard of/);
    assert.ok(said.includes(`The guard of ${kind} was collected while it holds the lock`), said);
    assert.match(said, /at (async )?forgetful/);
  });
}

const KEPT = [
  ['is kept', 'globalThis.kept = [await lock.lockAsync(), shared.lock()];'],
  ['has unlocked', '(await lock.lockAsync()).unlock(); shared.lock().unlock();'],
  ['is not needed, for the lock is unlocked by itself', 'await lock.lockAsync(); await collect(); lock.unlock();'],
];

for (const [name, body] of KEPT) {
  test(`No warning if the guard ${name}`, async () => {
    assert.equal(await saidBy(body), '');
  });
}
