// SPDX-License-Identifier: MIT
'use strict';

// Calls on an almost full stack: they may throw, but they break nothing and lose no waiter.

const assert = require('node:assert/strict');
const { test } = require('../support/test');
const { int32, bigInt64, nextIteration, waiting } = require('../support/wait_queue');

/// Options of a test that makes promises on a full stack. The hooks that Node's test runner sets for each promise throw there,
/// and Node 18 takes that for the end of the process, whatever code made the promise.
const makesPromises = process.versions.modules === '108' ? { skip: 'the test runner of Node 18 cannot' } : {};

/// Runs `body` in each frame on the way back from a full stack: from where it cannot run to where it can, which is as many
/// frames as the version of Node makes it. It may throw only because the stack is full. It runs once before that, for compiling it
/// takes more stack than running it.
function atTheLimit(body) {
  body();
  const descend = () => {
    try {
      descend();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    try {
      body();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  };
  descend();
}

for (const [kind, make, zero] of [
  ['Int32Array', int32, 0],
  ['BigInt64Array', bigInt64, 0n],
]) {
  test(`waitAsync on a ${kind} on a full stack throws, or its promise settles`, makesPromises, async () => {
    const words = make();
    const promises = [];

    atTheLimit(() => {
      const { value } = Atomics.waitAsync(words, 0, zero);
      promises[promises.length] = value;
    });

    assert.ok(promises.length > 1);
    assert.equal(Atomics.notify(words, 0), promises.length);
    for (const promise of promises) assert.equal(await promise, 'ok');
    assert.equal(waiting(words, 0), 0);
  });

  test(`waitAsync on a ${kind} with a time-out on a full stack throws, or its promise settles`, makesPromises, async () => {
    const words = make();
    const promises = [];

    atTheLimit(() => {
      const { value } = Atomics.waitAsync(words, 0, zero, 5);
      promises[promises.length] = value;
    });

    for (const promise of promises) assert.equal(await promise, 'timed-out');
    while (waiting(words, 0) > 0) await nextIteration();
    assert.equal(Atomics.notify(words, 0), 0);
  });

  test(`notify on a ${kind} on a full stack returns or throws, and each promise that it dequeued settles`, async () => {
    const words = make();
    const promises = Array.from({ length: 5000 }, () => Atomics.waitAsync(words, 0, zero).value);

    atTheLimit(() => Atomics.notify(words, 0, 1));
    const left = waiting(words, 0);

    assert.equal(Atomics.notify(words, 0), left);
    assert.deepEqual(new Set(await Promise.all(promises)), new Set(['ok']));
  });

  test(`wait on a ${kind} on a full stack returns or throws, and leaves no waiter queued`, () => {
    const words = make();

    atTheLimit(() => Atomics.wait(words, 0, zero, 0));

    assert.equal(waiting(words, 0), 0);
    assert.equal(Atomics.wait(words, 0, zero, 0), 'timed-out');
  });
}

test('Validation throws as usual once the stack has room again', () => {
  atTheLimit(() => {
    try {
      Atomics.wait({}, 0, 0);
    } catch (error) {
      if (error instanceof RangeError) throw error;
    }
  });

  assert.throws(() => Atomics.wait({}, 0, 0), TypeError);
  assert.throws(() => Atomics.notify(int32(), 4), RangeError);
});
