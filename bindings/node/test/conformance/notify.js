// SPDX-License-Identifier: MIT
'use strict';

// notify: how many it wakes, in which order, and what it returns.

const assert = require('node:assert/strict');
const { test } = require('../support/test');
const { withAgents } = require('../support/agent');
const { int32, bigInt64, untilWaiting, pending, stateOf, waiting } = require('../support/wait_queue');

/// Enqueues `count` promises of this thread.
function enqueue(words, index, count, value = 0) {
  return Array.from({ length: count }, () => Atomics.waitAsync(words, index, value).value);
}

test('notify returns 0 if there is no waiter', () => {
  for (const count of [undefined, 0, 1, Infinity]) {
    assert.equal(Atomics.notify(int32(), 0, count), 0);
    assert.equal(Atomics.notify(bigInt64(), 3, count), 0);
  }
});

test('notify returns a Number, +0 if it wakes no waiter', () => {
  assert.ok(Object.is(Atomics.notify(int32(), 0), 0));
  assert.ok(Object.is(Atomics.notify(int32(), 0, -0), 0));
  assert.ok(Object.is(Atomics.notify(bigInt64(), 0), 0));
});

for (const [description, args, expected] of [
  ['no count', [], 5],
  ['undefined', [undefined], 5],
  ['Infinity', [Infinity], 5],
  ['2^53', [2 ** 53], 5],
  ['2^32', [2 ** 32], 5],
  ['2^32 + 1', [2 ** 32 + 1], 5],
  ['2^31', [2 ** 31], 5],
  ['2^64', [2 ** 64], 5],
  ['the largest number', [Number.MAX_VALUE], 5],
  ['5', [5], 5],
  ['6', [6], 5],
  ['3', [3], 3],
  ['1', [1], 1],
  ['2.9', [2.9], 2],
  ['"2"', ['2'], 2],
  ['true', [true], 1],
  ['an object that is 2', [{ valueOf: () => 2 }], 2],
  ['0', [0], 0],
  ['-0', [-0], 0],
  ['0.9', [0.9], 0],
  ['-1', [-1], 0],
  ['-2^31', [-(2 ** 31)], 0],
  ['-2^32 + 3', [3 - 2 ** 32], 0],
  ['-Infinity', [-Infinity], 0],
  ['NaN', [NaN], 0],
  ['null', [null], 0],
  ['false', [false], 0],
  ['""', [''], 0],
  ['a string that spells no number', ['none'], 0],
]) {
  test(`notify with ${description} wakes ${expected} of five waiters, from the head`, async () => {
    const words = int32();
    const promises = enqueue(words, 0, 5);

    assert.equal(Atomics.notify(words, 0, ...args), expected);
    assert.equal(waiting(words, 0), 5 - expected);

    assert.deepEqual(await Promise.all(promises.slice(0, expected)), Array(expected).fill('ok'));
    for (const promise of promises.slice(expected)) assert.equal(await stateOf(promise), pending);
    assert.equal(Atomics.notify(words, 0), 5 - expected);
    await Promise.all(promises);
  });
}

test('notify wakes only the waiters of its own element', async () => {
  const words = int32();
  const queues = [0, 1, 2, 3].map((index) => enqueue(words, index, index + 1));

  assert.equal(Atomics.notify(words, 2), 3);

  assert.deepEqual(await Promise.all(queues[2]), ['ok', 'ok', 'ok']);
  for (const promise of [...queues[0], ...queues[1], ...queues[3]]) assert.equal(await stateOf(promise), pending);
  assert.deepEqual(
    [0, 1, 2, 3].map((index) => Atomics.notify(words, index)),
    [1, 2, 0, 4],
  );
  await Promise.all(queues.flat());
});

test('notify does not change the word and does not compare it', async () => {
  const words = int32();
  const [promise] = enqueue(words, 0, 1);
  words[0] = 42;

  assert.equal(Atomics.notify(words, 0), 1);

  assert.equal(words[0], 42);
  assert.equal(await promise, 'ok');
});

test('notify wakes blocked threads and promises from one queue, longest wait first', () =>
  withAgents(3, async (first, third, fourth) => {
    const words = int32();
    const block = (words) => Atomics.wait(words, 0, 0);
    const queue = [];
    const add = async (result) => {
      queue.push(result);
      await untilWaiting(words, 0, queue.length);
    };

    await add(first.run(block, words));
    await add(Atomics.waitAsync(words, 0, 0).value);
    await third.run((words) => void (globalThis.queued = Atomics.waitAsync(words, 0, 0).value), words);
    await add(third.run(() => queued));
    await add(fourth.run(block, words));
    await add(Atomics.waitAsync(words, 0, 0).value);

    while (queue.length > 0) {
      assert.equal(Atomics.notify(words, 0, 1), 1);
      assert.equal(await queue.shift(), 'ok');
      assert.equal(waiting(words, 0), queue.length);
      for (const result of queue) assert.equal(await stateOf(result), pending);
    }
  }));

test('notify without a count wakes waiters of every kind, and counts each', () =>
  withAgents(3, async (...agents) => {
    const words = int32();
    const promises = enqueue(words, 0, 2);
    await agents[0].run((words) => void (globalThis.queued = Atomics.waitAsync(words, 0, 0).value), words);
    const blocked = agents.slice(1).map((agent) => agent.run((words) => Atomics.wait(words, 0, 0), words));
    await untilWaiting(words, 0, 5);

    assert.equal(Atomics.notify(words, 0), 5);

    assert.deepEqual(await Promise.all([...promises, agents[0].run(() => queued), ...blocked]), Array(5).fill('ok'));
    assert.equal(waiting(words, 0), 0);
  }));

test('notify wakes a blocked agent together with the promises that it had enqueued before', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const results = agent.run(async (words) => {
      const before = [Atomics.waitAsync(words, 0, 0).value, Atomics.waitAsync(words, 0, 0).value];
      const blocked = Atomics.wait(words, 0, 0);
      return [blocked, ...(await Promise.all(before))];
    }, words);
    await untilWaiting(words, 0, 3);

    assert.equal(Atomics.notify(words, 0, 2), 2);
    assert.equal(waiting(words, 0), 1);
    assert.equal(Atomics.notify(words, 0, 2), 1);

    assert.deepEqual(await results, ['ok', 'ok', 'ok']);
  }));

test('notify does not count a waiter that a reaction enqueues', async () => {
  const words = int32();
  const [promise] = enqueue(words, 0, 1);
  const again = promise.then(() => Atomics.waitAsync(words, 0, 0));

  assert.equal(Atomics.notify(words, 0), 1);
  const { async, value } = await again;

  assert.equal(async, true);
  assert.equal(await stateOf(value), pending);
  assert.equal(Atomics.notify(words, 0), 1);
  assert.equal(await value, 'ok');
});

test('notify counts waiters that were enqueued while its arguments were coerced', async () => {
  const words = int32();
  const promises = [];
  const enqueueing = (result) => ({
    valueOf() {
      promises.push(...enqueue(words, 0, 1));
      return result;
    },
  });

  assert.equal(Atomics.notify(words, enqueueing(0), enqueueing(5)), 2);

  assert.deepEqual(await Promise.all(promises), ['ok', 'ok']);
});

test('Any agent can notify any other', () =>
  withAgents(2, async (sleeper, waker) => {
    const words = int32();
    const result = sleeper.run((words) => Atomics.wait(words, 0, 0), words);
    const [promise] = enqueue(words, 0, 1);
    await untilWaiting(words, 0, 2);

    assert.equal(await waker.run((words) => Atomics.notify(words, 0), words), 2);

    assert.deepEqual([await result, await promise], ['ok', 'ok']);
  }));

test('The sum of the results of notify is the number of waits that returned "ok"', () =>
  withAgents(2, async (...agents) => {
    const words = int32();
    const waits = 400;
    const oks = agents.map((agent) =>
      agent.run(
        async (words, waits) => {
          let ok = 0;
          for (let i = 0; i < waits; i++) {
            const timeout = (i % 4) / 4;
            const { value } = Atomics.waitAsync(words, 0, 0, timeout);
            if (Atomics.wait(words, 0, 0, timeout) === 'ok') ok++;
            if ((await value) === 'ok') ok++;
          }
          Atomics.add(words, 1, 1);
          return ok;
        },
        words,
        waits,
      ),
    );

    let taken = 0;
    for (let i = 0; Atomics.load(words, 1) < agents.length; i++) taken += Atomics.notify(words, 0, i % 3);

    const sum = (await Promise.all(oks)).reduce((a, b) => a + b);
    assert.equal(taken, sum);
    assert.equal(waiting(words, 0), 0);
  }));
