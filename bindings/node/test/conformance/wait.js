// SPDX-License-Identifier: MIT
'use strict';

// wait: compares, enqueues its waiter, blocks, and returns "ok", "not-equal" or "timed-out".

const assert = require('node:assert/strict');
const { test } = require('../support/test');
const { withAgents } = require('../support/agent');
const { int32, bigInt64, untilWaiting, nextIteration, waiting } = require('../support/wait_queue');

test('wait returns "not-equal" at once if the word holds another value, whatever the time-out', () => {
  for (const timeout of [undefined, Infinity, NaN, 1e9, 1, 0, -1, -Infinity]) {
    assert.equal(Atomics.wait(int32(), 0, 1, timeout), 'not-equal');
    assert.equal(Atomics.wait(bigInt64(), 0, 1n, timeout), 'not-equal');
  }
});

test('wait compares all 64 bits of a BigInt64Array', () => {
  const words = bigInt64();
  words[0] = 2n ** 32n + 5n;

  assert.equal(Atomics.wait(words, 0, 5n, 0), 'not-equal');
  assert.equal(Atomics.wait(words, 0, 2n ** 32n, 0), 'not-equal');
  assert.equal(Atomics.wait(words, 0, 2n ** 33n + 5n, 0), 'not-equal');
  assert.equal(Atomics.wait(words, 0, 2n ** 32n + 5n, 0), 'timed-out');
});

test('wait compares only the 32 bits of its element of an Int32Array', () => {
  const words = int32(3);
  words.set([1, 2, 3]);

  assert.equal(Atomics.wait(words, 1, 2, 0), 'timed-out');
  assert.equal(Atomics.wait(words, 1, 1, 0), 'not-equal');
  assert.equal(Atomics.wait(words, 1, 3, 0), 'not-equal');
});

test('wait counts the index from the beginning of the view', () => {
  const all = int32(8);
  const view = new Int32Array(all.buffer, 8, 4);
  all[2 + 3] = 42;

  assert.equal(Atomics.wait(view, 3, 42, 0), 'timed-out');
  assert.equal(Atomics.wait(view, 3, 0, 0), 'not-equal');
});

test('wait returns "timed-out" at once if its time-out is not positive, and leaves no waiter queued', () => {
  const words = int32();

  for (const timeout of [0, -0, -1, -Infinity, null, false, '', '-5', [], { valueOf: () => 0 }]) {
    assert.equal(Atomics.wait(words, 0, 0, timeout), 'timed-out');
    assert.equal(waiting(words, 0), 0);
    assert.equal(Atomics.notify(words, 0), 0);
  }
});

test('wait that times out is dequeued', () => {
  const words = int32();

  assert.equal(Atomics.wait(words, 0, 0, 1), 'timed-out');

  assert.equal(Atomics.notify(words, 0), 0);
});

test('wait blocks its thread until a notify wakes it, and returns "ok"', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const result = agent.run((words) => Atomics.wait(words, 0, 0), words);

    await untilWaiting(words, 0, 1);

    assert.equal(Atomics.notify(words, 0), 1);
    assert.equal(await result, 'ok');
  }));

test('wait on a BigInt64Array blocks until a notify wakes it', () =>
  withAgents(1, async (agent) => {
    const words = bigInt64();
    words[3] = -(2n ** 40n);
    const result = agent.run((words) => Atomics.wait(words, 3, -(2n ** 40n)), words);

    await untilWaiting(words, 3, 1);

    assert.equal(Atomics.notify(words, 3), 1);
    assert.equal(await result, 'ok');
  }));

for (const [description, timeout] of Object.entries({
  'no time-out': undefined,
  NaN: NaN,
  Infinity: Infinity,
  'a string that spells no number': 'none',
  'an object': {},
  'the largest number': Number.MAX_VALUE,
  '2^63': 2 ** 63,
  '2^64': 2 ** 64,
  '2^53': 2 ** 53,
  '2^32': 2 ** 32,
  '2^31': 2 ** 31,
})) {
  test(`wait with ${description} is still queued when a wait that began later has timed out`, () =>
    withAgents(1, async (agent) => {
      const words = int32();
      const result = agent.run((words, timeout) => Atomics.wait(words, 0, 0, timeout), words, timeout);
      await untilWaiting(words, 0, 1);

      assert.equal(Atomics.wait(words, 1, 0, 20), 'timed-out');

      assert.equal(Atomics.notify(words, 0), 1);
      assert.equal(await result, 'ok');
    }));
}

test('wait of this thread is woken by another thread', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const woken = agent.run((words) => {
      let woken = 0;
      while (woken === 0) woken = Atomics.notify(words, 0);
      return woken;
    }, words);

    assert.equal(Atomics.wait(words, 0, 0), 'ok');
    assert.equal(await woken, 1);
  }));

test('A store to the word does not wake a wait', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const result = agent.run((words) => Atomics.wait(words, 0, 0), words);
    await untilWaiting(words, 0, 1);

    for (const write of [
      () => (words[0] = 1),
      () => Atomics.store(words, 0, 2),
      () => Atomics.add(words, 0, 3),
      () => Atomics.sub(words, 0, 1),
      () => Atomics.exchange(words, 0, 7),
      () => Atomics.compareExchange(words, 0, 7, 8),
      () => Atomics.and(words, 0, 12),
      () => Atomics.or(words, 0, 3),
      () => Atomics.xor(words, 0, 1),
      () => words.fill(9),
    ]) {
      write();
      await nextIteration();
      assert.equal(waiting(words, 0), 1);
    }

    assert.equal(Atomics.notify(words, 0), 1);
    assert.equal(await result, 'ok');
  }));

test('wait waits if the word was changed and changed back', () => {
  const words = int32();
  words[0] = 1;
  words[0] = 0;

  assert.equal(Atomics.wait(words, 0, 0, 0), 'timed-out');
});

test('wait waits after a notify that found no waiter: a notify is not stored', () => {
  const words = int32();

  assert.equal(Atomics.notify(words, 0, 5), 0);

  assert.equal(Atomics.wait(words, 0, 0, 1), 'timed-out');
});

test('No wake-up is lost between the comparison and the sleep', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const rounds = 2000;
    const theirs = agent.run(
      (words, rounds) => {
        const results = new Set();
        for (let round = 1; round <= rounds; round++) {
          while (Atomics.load(words, 0) !== round) results.add(Atomics.wait(words, 0, round - 1));
          Atomics.store(words, 1, round);
          Atomics.notify(words, 1);
        }
        return [...results];
      },
      words,
      rounds,
    );

    const ours = new Set();
    for (let round = 1; round <= rounds; round++) {
      Atomics.store(words, 0, round);
      Atomics.notify(words, 0);
      while (Atomics.load(words, 1) !== round) ours.add(Atomics.wait(words, 1, round - 1));
    }

    for (const result of [...ours, ...(await theirs)]) assert.ok(['ok', 'not-equal'].includes(result), result);
  }));

test('A store before a notify is visible after the wait that it woke', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const data = int32(1024);
    const seen = agent.run(
      (words, data) => {
        Atomics.wait(words, 0, 0);
        return data.every((value, index) => value === index + 1);
      },
      words,
      data,
    );
    await untilWaiting(words, 0, 1);

    for (let i = 0; i < data.length; i++) data[i] = i + 1;
    Atomics.notify(words, 0);

    assert.equal(await seen, true);
  }));
