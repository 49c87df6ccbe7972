// SPDX-License-Identifier: MIT
'use strict';

// Which waiters share a wait queue: those of one byte of one shared block, whatever array, kind, object or agent named
// it.

const assert = require('node:assert/strict');
const { test } = require('../support/test');
const { withAgents } = require('../support/agent');
const { int32, bigInt64, untilWaiting, pending, stateOf, waiting } = require('../support/wait_queue');

test('An Int32Array and a BigInt64Array whose elements begin at one byte share a queue', async () => {
  const longs = bigInt64();
  const words = new Int32Array(longs.buffer);
  const first = Atomics.waitAsync(longs, 1, 0n).value;
  const second = Atomics.waitAsync(words, 2, 0).value;

  assert.equal(waiting(longs, 1), 2);
  assert.equal(Atomics.notify(words, 2, 1), 1);
  assert.equal(await first, 'ok');
  assert.equal(await stateOf(second), pending);
  assert.equal(Atomics.notify(longs, 1, 1), 1);
  assert.equal(await second, 'ok');
});

test('Elements that overlap but begin at different bytes share no queue', async () => {
  const longs = bigInt64();
  const words = new Int32Array(longs.buffer);
  const { value } = Atomics.waitAsync(words, 1, 0);

  assert.equal(Atomics.notify(longs, 0), 0);
  assert.equal(await stateOf(value), pending);

  assert.equal(Atomics.notify(words, 1), 1);
  await value;
});

test('Views with different offsets share the queues of the bytes they share', async () => {
  const words = int32(8);
  const view = new Int32Array(words.buffer, 12);
  const { value } = Atomics.waitAsync(view, 2, 0);

  assert.equal(Atomics.notify(words, 2), 0);
  assert.equal(Atomics.notify(words, 5), 1);
  assert.equal(await value, 'ok');
});

test('Two arrays over one buffer share its queues', async () => {
  const words = int32();
  const { value } = Atomics.waitAsync(new Int32Array(words.buffer), 3, 0);

  assert.equal(Atomics.notify(new Int32Array(words.buffer), 3), 1);
  assert.equal(await value, 'ok');
});

test('Two SharedArrayBuffer objects on one block share its queues', async () => {
  const words = int32();
  const clone = structuredClone(words);
  assert.notEqual(clone.buffer, words.buffer);
  const { value } = Atomics.waitAsync(words, 1, 0);

  assert.equal(Atomics.notify(clone, 1), 1);
  assert.equal(await value, 'ok');
});

test('Equal indices of different buffers share no queue', async () => {
  const words = int32();
  const others = int32();
  const { value } = Atomics.waitAsync(words, 0, 0);

  assert.equal(Atomics.notify(others, 0), 0);
  assert.equal(await stateOf(value), pending);

  assert.equal(Atomics.notify(words, 0), 1);
  await value;
});

test('Each element of a buffer has a queue of its own', async () => {
  const words = int32(1000);
  const promises = Array.from(words, (_, index) => Atomics.waitAsync(words, index, 0).value);

  for (let index = 0; index < words.length; index++) assert.equal(waiting(words, index), 1);
  for (let index = words.length - 1; index >= 0; index--) {
    assert.equal(Atomics.notify(words, index), 1);
    assert.equal(await promises[index], 'ok');
  }
});

test('All agents share the queues', () =>
  withAgents(2, async (one, other) => {
    const words = new Int32Array(new SharedArrayBuffer(64), 16);
    await one.run((words) => void (globalThis.queued = Atomics.waitAsync(words, 1, 0).value), words);
    const blocked = other.run((buffer) => Atomics.wait(new Int32Array(buffer), 5, 0), words.buffer);
    await untilWaiting(words, 1, 2);

    assert.equal(Atomics.notify(new BigInt64Array(words.buffer, 16), 0), 0);
    assert.equal(Atomics.notify(new Int32Array(words.buffer, 20), 0), 2);
    assert.deepEqual([await one.run(() => queued), await blocked], ['ok', 'ok']);
  }));

test('One agent can have many waiters in one queue, promises and one that blocks it', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const results = agent.run(async (words) => {
      const promises = Array.from({ length: 9 }, () => Atomics.waitAsync(words, 0, 0).value);
      return [Atomics.wait(words, 0, 0), ...(await Promise.all(promises))];
    }, words);

    await untilWaiting(words, 0, 10);

    assert.equal(Atomics.notify(words, 0), 10);
    assert.deepEqual(await results, Array(10).fill('ok'));
  }));

test('A queue of many promises is woken in FIFO order', async () => {
  const words = int32();
  const log = [];
  const promises = Array.from({ length: 10_000 }, (_, i) =>
    Atomics.waitAsync(words, 0, 0).value.then(() => log.push(i)),
  );

  assert.equal(Atomics.notify(words, 0, 1), 1);
  assert.equal(Atomics.notify(words, 0, 4999), 4999);
  assert.equal(Atomics.notify(words, 0), 5000);
  await Promise.all(promises);

  assert.deepEqual(
    log,
    Array.from({ length: 10_000 }, (_, i) => i),
  );
});

test('A store before a notify that woke no waiter is visible after a later "not-equal"', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const rounds = 500;
    const seen = agent.run(
      (words, rounds) => {
        let stale = 0;
        for (let round = 1; round <= rounds; round++) {
          while (Atomics.wait(words, 0, round - 1, 0) !== 'not-equal');
          if (words[1] !== round) stale++;
          Atomics.store(words, 2, round);
        }
        return stale;
      },
      words,
      rounds,
    );

    for (let round = 1; round <= rounds; round++) {
      words[1] = round;
      Atomics.store(words, 0, round);
      Atomics.notify(words, 0);
      while (Atomics.load(words, 2) !== round);
    }

    assert.equal(await seen, 0);
  }));
