// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// setCanBlock: a thread that must not block.

const assert = require('node:assert/strict');
const { AsyncLock, canBlock, notify, setCanBlock, wait, waitAsync } = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32 } = require('./support/wait_queue');

/// Runs `body` on a thread that must not block.
async function withoutBlocking(body) {
  setCanBlock(false);
  try {
    return await body();
  } finally {
    setCanBlock(true);
  }
}

test('A thread may block by default, and setCanBlock changes that', () => {
  assert.equal(canBlock(), true);
  setCanBlock(false);
  assert.equal(canBlock(), false);
  setCanBlock(true);
  assert.equal(canBlock(), true);
});

test('wait throws a TypeError in a thread that must not block, whatever the word and the time-out', () =>
  withoutBlocking(() => {
    const words = int32();
    for (const [value, timeout] of [[0, 0], [1, 0], [0, 1], [1, undefined]])
      assert.throws(() => wait(words, 0, value, timeout), { name: 'TypeError', message: /may not block/ });
  }));

test('An exception of a coercion comes before that TypeError', () =>
  withoutBlocking(() => {
    const words = int32();
    const timeout = {
      valueOf() {
        throw new EvalError('first');
      },
    };
    assert.throws(() => wait(words, 0, 0, timeout), EvalError);
    assert.throws(() => wait(words, 4, 0), RangeError);
  }));

test('waitAsync and notify work in a thread that must not block', () =>
  withoutBlocking(async () => {
    const words = int32();
    const { value } = waitAsync(words, 0, 0);
    assert.equal(notify(words, 0), 1);
    assert.equal(await value, 'ok');
  }));

test('lock throws a TypeError in a thread that must not block, even if the lock is free; tryLock does not', () =>
  withoutBlocking(async () => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    assert.throws(() => lock.lock(), { name: 'TypeError', message: /may not block/ });
    assert.equal(words[0], 0);
    assert.ok(lock.tryLock());
    lock.unlock();
    assert.equal(await lock.executeLocked(() => 1), 1);
  }));

test('setCanBlock affects its own thread only', () =>
  withAgents(1, async (agent) => {
    setCanBlock(false);
    try {
      assert.equal(await agent.run((words) => Atomics.wait(words, 0, 0, 1), int32()), 'timed-out');
    } finally {
      setCanBlock(true);
    }
  }));

test('setCanBlock accepts a boolean only', () => {
  for (const value of [undefined, 0, 'no', null])
    assert.throws(() => setCanBlock(value), { name: 'TypeError', message: /value must be a boolean/ });
});
