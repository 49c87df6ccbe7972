// SPDX-License-Identifier: MIT
'use strict';

// A lock built on Atomics alone works on the implementation under test.

const assert = require('node:assert/strict');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32, untilWaiting, waiting } = require('./support/wait_queue');
const { AsyncLock } = require('./support/async_lock_seed');

/// Increments two counters by reads and writes that would lose increments without the lock.
function increment(counters) {
  const first = counters[0];
  const second = counters[1];
  if (first !== second) throw new Error(`${first} is not ${second}: another thread is in the critical section`);
  counters[0] = first + 1;
  counters[1] = second + 1;
}

/// The same for an agent, which locks by blocking.
const incrementBlocking = `(word, counters, rounds) => {
  const { AsyncLock } = require('./async_lock_seed');
  const increment = ${increment};
  const lock = new AsyncLock(word.buffer);
  for (let i = 0; i < rounds; i++) {
    lock.lock();
    increment(counters);
    lock.unlock();
  }
}`;

/// The same for an agent that locks without blocking.
const incrementAsync = `async (word, counters, rounds) => {
  const { AsyncLock } = require('./async_lock_seed');
  const increment = ${increment};
  const lock = new AsyncLock(word.buffer);
  for (let i = 0; i < rounds; i++) await lock.executeLocked(() => increment(counters));
}`;

test('No increment is lost between workers that block and a main thread that does not', () =>
  withAgents(3, async (...agents) => {
    const word = int32(1);
    const counters = int32(2);
    const lock = new AsyncLock(word.buffer);
    const theirs = agents.map((agent) => agent.run(incrementBlocking, word, counters, 3000));

    for (let i = 0; i < 1000; i++) await lock.executeLocked(() => increment(counters));
    await Promise.all(theirs);

    assert.deepEqual([...counters], [10_000, 10_000]);
    assert.equal(word[0], 0);
    assert.equal(waiting(word, 0), 0);
  }));

test('No increment is lost if many callbacks are queued at once', () =>
  withAgents(2, async (blocking, async) => {
    const word = int32(1);
    const counters = int32(2);
    const lock = new AsyncLock(word.buffer);
    const theirs = [
      blocking.run(incrementBlocking, word, counters, 2000),
      async.run(incrementAsync, word, counters, 500),
    ];

    const ours = Array.from({ length: 500 }, () => lock.executeLocked(() => increment(counters)));
    await Promise.all([...ours, ...theirs]);

    assert.deepEqual([...counters], [3000, 3000]);
    assert.equal(waiting(word, 0), 0);
  }));

test('executeLocked on a free lock runs its callback at once', async () => {
  const lock = new AsyncLock(int32(1).buffer);
  let ran = false;

  const promise = lock.executeLocked(() => (ran = true));

  assert.equal(ran, true);
  await promise;
});

test('executeLocked waits for the owner of the lock, and settles with what its callback returns', () =>
  withAgents(1, async (agent) => {
    const word = int32(1);
    const lock = new AsyncLock(word.buffer);
    await agent.run((word) => {
      const { AsyncLock } = require('./async_lock_seed');
      globalThis.lock = new AsyncLock(word.buffer);
      lock.lock();
    }, word);
    let ran = false;
    const promise = lock.executeLocked(() => {
      ran = true;
      return 42;
    });
    assert.equal(waiting(word, 0), 1);
    assert.equal(ran, false);

    await agent.run(() => lock.unlock());

    assert.equal(await promise, 42);
  }));

test('lock blocks until the owner has unlocked', () =>
  withAgents(1, async (agent) => {
    const word = int32(1);
    const lock = new AsyncLock(word.buffer);
    lock.lock();
    const entered = agent.run((word) => {
      const { AsyncLock } = require('./async_lock_seed');
      const lock = new AsyncLock(word.buffer);
      lock.lock();
      const held = Atomics.load(word, 0);
      lock.unlock();
      return held;
    }, word);
    await untilWaiting(word, 0, 1);

    lock.unlock();

    assert.equal(await entered, 1);
    assert.equal(word[0], 0);
  }));

test('An exception in a callback rejects its promise and releases the lock', async () => {
  const word = int32(1);
  const lock = new AsyncLock(word.buffer);

  await assert.rejects(
    lock.executeLocked(() => {
      throw new RangeError('of the callback');
    }),
    RangeError,
  );

  assert.equal(word[0], 0);
  assert.equal(await lock.executeLocked(() => 'next'), 'next');
});
