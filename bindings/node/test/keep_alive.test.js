// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// What keeps a process alive: pending waits, unless they are unref'd.

const assert = require('node:assert/strict');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { waitAsync, notify } = require('..');
const { test } = require('./support/test');
const { int32 } = require('./support/wait_queue');

/// Runs `main` in a process of its own; returns its exit code and what it printed.
function run(main) {
  const source = `
    const { waitAsync, notify, AsyncLock } = require(${JSON.stringify(path.join(__dirname, '..'))});
    const words = new Int32Array(new SharedArrayBuffer(16));
    (${main})();
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', source], { encoding: 'utf8', timeout: 30_000 });
  assert.equal(stderr, '');
  return { status, stdout };
}

test('A wait with ref: false lets the process end', () => {
  const result = run(() => {
    waitAsync(words, 0, 0, Infinity, { ref: false }).value.then(console.log);
  });
  assert.deepEqual(result, { status: 0, stdout: '' });
});

test('A wait that was unref\'d lets the process end', () => {
  const result = run(() => {
    waitAsync(words, 0, 0, 1e6, {}).unref().value.then(console.log);
  });
  assert.deepEqual(result, { status: 0, stdout: '' });
});

test('A wait that was ref\'d again keeps the process alive', () => {
  const result = run(() => {
    waitAsync(words, 0, 0, 20, { ref: false }).ref().value.then(console.log);
  });
  assert.deepEqual(result, { status: 0, stdout: 'timed-out\n' });
});

test('One ref\'d wait keeps the process alive until the unref\'d ones have settled', () => {
  const result = run(() => {
    waitAsync(words, 0, 0, 20, { ref: false }).value.then((result) => console.log('first', result));
    waitAsync(words, 0, 0, 40).value.then((result) => console.log('second', result));
  });
  assert.deepEqual(result, { status: 0, stdout: 'first timed-out\nsecond timed-out\n' });
});

test('An aborted wait lets the process end', () => {
  const result = run(() => {
    const controller = new AbortController();
    waitAsync(words, 0, 0, Infinity, { signal: controller.signal }).value.catch((error) => console.log(error.name));
    controller.abort();
  });
  assert.deepEqual(result, { status: 0, stdout: 'AbortError\n' });
});

test('A waiter for a lock keeps the process alive', () => {
  const result = run(() => {
    const lock = new AsyncLock(words.buffer);
    lock.lock();
    lock.lockAsync({ timeout: 20 }).catch((error) => console.log(error.name));
    lock.lockAsync({ ref: false }).then(console.log);
  });
  assert.deepEqual(result, { status: 0, stdout: 'TimeoutError\n' });
});

test('hasRef returns whether the wait keeps the process alive now', async () => {
  const words = int32();
  const wait = waitAsync(words, 0, 0, Infinity, {});

  assert.equal(wait.hasRef(), true);
  assert.equal(wait.unref().hasRef(), false);
  assert.equal(wait.ref().hasRef(), true);
  notify(words, 0);
  assert.equal(await wait.value, 'ok');
  assert.equal(wait.hasRef(), false);
  assert.equal(wait.ref().hasRef(), false);  // it is over, and another wait may have its slot
});

test('The result of a call with options has async and value as its only own properties', () => {
  const words = int32();
  assert.deepEqual(Object.keys(waitAsync(words, 0, 1, 0, {})), ['async', 'value']);
  assert.deepEqual(Object.keys(waitAsync(words, 0, 0, 1, { ref: false })), ['async', 'value']);
});
