// SPDX-License-Identifier: MIT
'use strict';

// Growable SharedArrayBuffers: waiters survive growth, and the index is checked against the length at the begin of the
// call.

const assert = require('node:assert/strict');
const { nativeDeviates, needsResizing } = require('../support/implementation');
const harness = require('../support/test');
const { withAgents } = require('../support/agent');
const { untilWaiting, pending, stateOf } = require('../support/wait_queue');

const growable = (byteLength = 16, maxByteLength = 65536 * 4) => new SharedArrayBuffer(byteLength, { maxByteLength });

function test(title, ...optionsAndBody) {
  const body = optionsAndBody.pop();
  return harness.test(title, { ...optionsAndBody[0], ...needsResizing }, body);
}

const readsLengthLate = nativeDeviates('compares the index with the length after its coercion, not before');

const calls = {
  wait: (words, index) => Atomics.wait(words, index, 1, 0),
  waitAsync: (words, index) => Atomics.waitAsync(words, index, 1, 0),
  notify: (words, index) => Atomics.notify(words, index),
};

for (const [name, call] of Object.entries(calls)) {
  test(`${name} accepts views of a growable buffer, length-tracking or not`, () => {
    const buffer = growable(32);
    const tracking = new Int32Array(buffer, 8);
    const fixed = new Int32Array(buffer, 8, 2);

    call(tracking, 5);
    assert.throws(() => call(tracking, 6), RangeError);
    assert.throws(() => call(fixed, 2), RangeError);
    buffer.grow(64);
    call(tracking, 13);
    assert.throws(() => call(tracking, 14), RangeError);
    call(fixed, 1);
    assert.throws(() => call(fixed, 2), RangeError);
  });

  test(
    `${name} throws for an index that was out of range before its coercion grew the buffer`,
    readsLengthLate,
    () => {
      const buffer = growable(16);
      const words = new Int32Array(buffer);
      const index = {
        valueOf() {
          buffer.grow(32);
          return 4;
        },
      };

      assert.throws(() => call(words, index), RangeError);
      assert.equal(words.length, 8);
      call(words, 4);
    },
  );

  test(`${name} accepts an index in range whose coercion grows the buffer`, () => {
    const buffer = growable(16);
    const words = new Int32Array(buffer);
    const index = {
      valueOf() {
        buffer.grow(4096 * 8);
        return 3;
      },
    };

    call(words, index);
    assert.equal(words.length, 8192);
  });

  test(`${name} on an empty growable buffer throws a RangeError until it has grown`, () => {
    const buffer = growable(0);
    const words = new Int32Array(buffer);

    assert.throws(() => call(words, 0), RangeError);
    buffer.grow(4);
    call(words, 0);
  });
}

for (const [name, call] of Object.entries(calls)) {
  test(`${name} does not count the bytes after the last whole element of a length-tracking view`, () => {
    const buffer = growable(8);
    const words = new Int32Array(buffer);
    buffer.grow(10);

    call(words, 1);
    assert.throws(() => call(words, 2), RangeError);
    buffer.grow(12);
    call(words, 2);
  });
}

test('Promises and blocked threads stay queued while the buffer grows', () =>
  withAgents(1, async (agent) => {
    const buffer = growable(16);
    const words = new Int32Array(buffer);
    const { value } = Atomics.waitAsync(words, 3, 0);
    const blocked = agent.run((words) => Atomics.wait(words, 3, 0), words);
    await untilWaiting(words, 3, 2);

    for (let byteLength = 64; byteLength <= buffer.maxByteLength; byteLength *= 4) buffer.grow(byteLength);

    assert.equal(await stateOf(value), pending);
    assert.equal(Atomics.notify(new Int32Array(buffer), 3), 2);
    assert.deepEqual([await value, await blocked], ['ok', 'ok']);
  }));

test('Elements beyond the initial length can be waited on once the buffer has grown', () =>
  withAgents(1, async (agent) => {
    const buffer = growable(16);
    const words = new Int32Array(buffer);
    buffer.grow(buffer.maxByteLength);
    const last = words.length - 1;
    const blocked = agent.run((buffer, last) => Atomics.wait(new Int32Array(buffer), last, 0), buffer, last);
    await untilWaiting(words, last, 1);

    assert.equal(Atomics.notify(words, last), 1);
    assert.equal(await blocked, 'ok');
  }));

test('Another agent can grow the buffer during a wait', () =>
  withAgents(1, async (agent) => {
    const buffer = growable(16);
    const words = new Int32Array(buffer);
    const { value } = Atomics.waitAsync(words, 0, 0);

    const taken = await agent.run((buffer) => {
      buffer.grow(1024);
      return Atomics.notify(new Int32Array(buffer, 0, 200), 0);
    }, buffer);

    assert.equal(taken, 1);
    assert.equal(await value, 'ok');
    assert.equal(words.length, 256);
  }));
