// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// futon/addon.h: threads of another addon that use the words of JavaScript.

const assert = require('node:assert/strict');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { addressOf, AsyncLock, notify, wait, waitAsync, waiters } = require('..');
const { test } = require('./support/test');
const { Agent } = require('./support/agent');
const { int32, untilWaiting } = require('./support/wait_queue');
const { folder, loadExample } = require('./support/example');

const WRITTEN = 0;
const READ = 1;

test('The example prints what its comment says', (context) => {
  if (loadExample(context) === undefined) return;
  const output = execFileSync(process.execPath, [path.join(folder, 'main.js')], { encoding: 'utf8', timeout: 60_000 });
  assert.equal(output, 'the main thread has read 10000 frames, the last is 100000000\n' +
    'the worker has read 10000 frames, the last is 100000000\n');
});

test('A native thread waits in the same queue, and waiters() lists it', async (context) => {
  const example = loadExample(context);
  if (example === undefined) return;
  const ring = int32(3);  // room for one frame
  example.start(ring, 2);
  await untilWaiting(ring, READ, 1);

  assert.deepEqual(waiters(ring, READ),
    [{ address: addressOf(ring, READ), kind: 'native', threadId: undefined,
       operation: 'futon::wait', holder: undefined }]);
  assert.equal(ring[WRITTEN], 1);

  const second = waitAsync(ring, WRITTEN, 1).value;
  Atomics.store(ring, READ, 1);
  assert.equal(notify(ring, READ), 1);
  assert.equal(await second, 'ok');
  assert.equal(ring[WRITTEN], 2);
});

test('A blocked main thread is woken by a native thread', (context) => {
  const example = loadExample(context);
  if (example === undefined) return;
  const ring = int32(1003);
  example.start(ring, 1000);

  for (let seen = 0; seen < 1000; seen = Atomics.load(ring, WRITTEN)) wait(ring, WRITTEN, seen);

  assert.equal(ring[1001], 1_000_000);
});

test('A worker can end while its native thread waits, and the memory stays valid', async (context) => {
  if (loadExample(context) === undefined) return;
  const ring = int32(3);
  for (let i = 0; i < 5; i++) {
    const agent = new Agent();
    await agent.run((ring) => require('../../examples/addon/build/frames.node').start(ring, 1e6), ring);
    await untilWaiting(ring, READ, 1);

    await agent.terminate();

    assert.equal(waiters(ring, READ).length, 0);
    assert.equal(notify(ring, READ), 0);
    ring.fill(0);
  }
});

test('A worker can end while its native thread waits for a lock that is never released', async (context) => {
  if (loadExample(context) === undefined) return;
  const words = int32(3);
  new AsyncLock(words.buffer).lock();
  const agent = new Agent();
  await agent.run((words) => require('../../examples/addon/build/frames.node').increment(words, 1), words);
  await untilWaiting(words, 0, 1);
  assert.deepEqual(waiters(words, 0),
    [{ address: addressOf(words, 0), kind: 'native', threadId: undefined,
       operation: 'futon::AsyncLock::lock', holder: 0 }]);

  await agent.terminate();

  assert.equal(waiters(words, 0).length, 0);
  assert.deepEqual([...words], [words[0], 0, 0]);
});

test('Invalid arrays throw an error that names the argument', (context) => {
  const example = loadExample(context);
  if (example === undefined) return;
  for (const ring of [undefined, {}, new SharedArrayBuffer(64), new Uint32Array(new SharedArrayBuffer(64)), new Int32Array(8)])
    assert.throws(() => example.start(ring, 1), { name: 'TypeError', message: /ring/ });
  assert.throws(() => example.start(int32(2), 1), RangeError);
  assert.throws(() => example.increment(int32(2), 1), { name: 'RangeError', message: /words/ });
  assert.throws(() => example.start(int32(3), 'x'), { name: 'TypeError', message: /frames/ });
});
