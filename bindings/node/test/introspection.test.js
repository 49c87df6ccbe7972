// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// waiters() and addressOf().

const assert = require('node:assert/strict');
const { threadId } = require('node:worker_threads');
const { addressOf, AsyncLock, notify, waitAsync, waiters } = require('..');
const { test } = require('./support/test');
const { Agent, withAgents } = require('./support/agent');
const { bigInt64, int32, nextIteration, untilWaiting } = require('./support/wait_queue');

test('waiters lists a queue in its order, with the thread of each waiter', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const theirs = await agent.run(() => require('node:worker_threads').threadId);
    const first = waitAsync(words, 1, 0);
    const blocked = agent.run((words) => Atomics.wait(words, 1, 0), words);
    await untilWaiting(words, 1, 2);
    const last = waitAsync(words, 1, 0);

    const address = addressOf(words, 1);
    assert.deepEqual(waiters(words, 1), [
      { address, kind: 'waitAsync', threadId, operation: 'futon::wait', holder: undefined },
      { address, kind: 'wait', threadId: theirs, operation: 'futon::wait', holder: undefined },
      { address, kind: 'waitAsync', threadId, operation: 'futon::wait', holder: undefined },
    ]);
    assert.deepEqual(waiters(words, 0), []);

    assert.equal(notify(words, 1), 3);
    assert.deepEqual(await Promise.all([first.value, blocked, last.value]), ['ok', 'ok', 'ok']);
    assert.deepEqual(waiters(words, 1), []);
  }));

test('waiters tells waiters for a lock from other waiters', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const theirs = await agent.run(() => require('node:worker_threads').threadId);
    const lock = new AsyncLock(words.buffer);
    lock.lock();
    const guard = lock.lockAsync();
    const blocked = agent.run((words) => {
      const { AsyncLock } = require('../..');
      const lock = new AsyncLock(words.buffer);
      lock.lock();
      lock.unlock();
    }, words);
    await untilWaiting(words, 0, 2);

    const address = addressOf(words, 0);
    assert.deepEqual(waiters(words, 0), [
      { address, kind: 'lockAsync', threadId, operation: 'futon::AsyncLock::lock', holder: 0 },
      { address, kind: 'lock', threadId: theirs, operation: 'futon::AsyncLock::lock', holder: 0 },
    ]);

    lock.unlock();
    (await guard).unlock();
    await blocked;
    assert.deepEqual(waiters(words, 0), []);
  }));

test('waiters without arguments lists the waiters of all words', async () => {
  const [a, b] = [int32(), bigInt64()];
  const waits = [];
  for (let i = 0; i < 100; i++) waits.push(waitAsync(a, i % 4, 0).value, waitAsync(b, i % 4, 0n).value);

  const addresses = waiters().map(({ address }) => address);
  for (let i = 0; i < 4; i++) {
    assert.equal(addresses.filter((address) => address === addressOf(a, i)).length, 25);
    assert.equal(addresses.filter((address) => address === addressOf(b, i)).length, 25);
  }

  for (let i = 0; i < 4; i++) assert.equal(notify(a, i) + notify(b, i), 50);
  await Promise.all(waits);
  assert.deepEqual(waiters(), []);
});

test('addressOf is the same in all threads, and differs by the distance of the elements', () =>
  withAgents(1, async (agent) => {
    const words = bigInt64();
    const theirs = await agent.run((words) => require('../..').addressOf(words, 3), words);

    assert.equal(addressOf(words, 3), theirs);
    assert.equal(addressOf(words, 3) - addressOf(words, 0), 24);
    assert.equal(addressOf(new Int32Array(words.buffer, 8), 0), addressOf(words, 1));
  }));

test('waiters names the operation of each waiter where different ones wait', async () => {
  const words = int32();
  const lock = new AsyncLock(words.buffer);
  lock.lock();
  const guards = [lock.lockAsync(), lock.lockAsync()];
  const wait = waitAsync(words, 1, 0).value;

  assert.deepEqual(waiters().map(({ address, operation }) => [address - addressOf(words, 0), operation]).sort(), [
    [0, 'futon::AsyncLock::lock'],
    [0, 'futon::AsyncLock::lock'],
    [4, 'futon::wait'],
  ]);

  notify(words, 1);
  await wait;
  lock.unlock();
  for (const guard of guards) (await guard).unlock();
});

test('waiters throws for an array that cannot be waited on', () => {
  assert.throws(() => waiters(new Int32Array(1), 0), TypeError);
  assert.throws(() => waiters({}, 0), TypeError);
  assert.throws(() => waiters(int32(), 4), RangeError);
});

test('waiters does not call setters on Array.prototype or Object.prototype', () => {
  const words = int32();
  waitAsync(words, 0, 0);
  let calls = 0;
  const setter = { configurable: true, set: () => calls++, get: () => 'evil' };
  const places = [Array.prototype, Object.prototype].flatMap((object) => [0, 1, 2].map((index) => [object, index]));
  for (const [object, index] of places) Object.defineProperty(object, index, setter);
  Object.defineProperty(Object.prototype, 'numbers', setter);
  let queue;
  try {
    queue = waiters(words, 0);
  } finally {
    for (const [object, index] of places) delete object[index];
    delete Object.prototype.numbers;
  }
  assert.equal(queue.length, 1);
  assert.equal(queue[0].kind, 'waitAsync');
  assert.equal(queue[0].operation, 'futon::wait');
  assert.equal(calls, 0);
  notify(words, 0);
});

test('A worker that asks for waiters all the time can be terminated', async () => {
  for (let i = 0; i < 20; ++i) {
    const words = int32();
    const agent = new Agent();
    agent.run((words) => {
      const { inspect, waiters, AsyncLock } = require('../..');
      const lock = new AsyncLock(words.buffer);
      for (;;) {
        inspect(lock);
        waiters();
        ++words[1];
      }
    }, words);
    while (Atomics.load(words, 1) < 10) await nextIteration();
    await agent.terminate();
  }
});
