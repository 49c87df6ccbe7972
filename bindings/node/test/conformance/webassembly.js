// SPDX-License-Identifier: MIT
'use strict';

// Shared memory of WebAssembly: its buffers are SharedArrayBuffers, and growth makes a new one on the same block.

const assert = require('node:assert/strict');
const { test } = require('../support/test');
const { withAgents } = require('../support/agent');
const { untilWaiting } = require('../support/wait_queue');

const page = 65536;
const memory = () => new WebAssembly.Memory({ initial: 1, maximum: 4, shared: true });

test('wait, waitAsync and notify work on a shared memory', () =>
  withAgents(1, async (agent) => {
    const { buffer } = memory();
    const words = new Int32Array(buffer);
    const last = words.length - 1;
    const { value } = Atomics.waitAsync(words, last, 0);
    const blocked = agent.run((words, last) => Atomics.wait(words, last, 0), words, last);
    await untilWaiting(words, last, 2);

    assert.equal(Atomics.wait(words, last, 1), 'not-equal');
    assert.equal(Atomics.notify(words, last), 2);
    assert.deepEqual([await value, await blocked], ['ok', 'ok']);
  }));

test('The old and the new buffer of a memory that has grown share the wait queues', async () => {
  const shared = memory();
  const before = new Int32Array(shared.buffer);
  const { value } = Atomics.waitAsync(before, 7, 0);

  shared.grow(2);
  const after = new Int32Array(shared.buffer);

  assert.notEqual(after.buffer, before.buffer);
  assert.equal(after.length, (3 * page) / 4);
  assert.equal(Atomics.notify(after, 7), 1);
  assert.equal(await value, 'ok');
});

test('An index beyond the old buffer is out of range there, and in range in the new', () => {
  const shared = memory();
  const before = new Int32Array(shared.buffer);
  shared.grow(1);
  const after = new Int32Array(shared.buffer);

  assert.throws(() => Atomics.wait(before, page / 4, 0, 0), RangeError);
  assert.throws(() => Atomics.notify(before, page / 4), RangeError);
  assert.equal(Atomics.wait(after, page / 4, 0, 0), 'timed-out');
  assert.equal(Atomics.notify(after, page / 4), 0);
});

test('A memory that was posted to another agent has the same wait queues there', () =>
  withAgents(1, async (agent) => {
    const shared = memory();
    const words = new BigInt64Array(shared.buffer);
    const blocked = agent.run((shared) => {
      shared.grow(1);
      return Atomics.wait(new BigInt64Array(shared.buffer), 5, 0n);
    }, shared);
    await untilWaiting(words, 5, 1);

    assert.equal(Atomics.notify(words, 5), 1);
    assert.equal(await blocked, 'ok');
  }));
