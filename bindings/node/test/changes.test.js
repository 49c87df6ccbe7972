// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// changes: the values of a word, one after the other.

const assert = require('node:assert/strict');
const { changes, notify } = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32, bigInt64, untilWaiting } = require('./support/wait_queue');

test('The first value is what the word holds, and then each that it is seen to have', async () => {
  for (const [words, value] of [[int32(), 1], [bigInt64(), 1n]]) {
    const values = changes(words, 1);
    assert.equal((await values.next()).value, value - value);
    const next = values.next();
    await untilWaiting(words, 1, 1);
    notify(words, 1);  // without a change
    await untilWaiting(words, 1, 1);
    words[1] = value;
    notify(words, 1);
    assert.deepEqual(await next, { value, done: false });
    words[1] = value + value;
    assert.equal((await values.next()).value, value + value);
    assert.deepEqual(await values.return(7), { value: 7, done: true });
  }
});

test('A loop follows what another thread counts, and ends', async () => {
  await withAgents(1, async (agent) => {
    const words = int32();
    const counted = agent.run((buffer) => {
      const { notify: wake } = require('../..');
      const own = new Int32Array(buffer);
      for (let i = 1; i <= 100; ++i) {
        Atomics.store(own, 0, i);
        wake(own, 0);
      }
    }, words.buffer);
    let last = -1;
    for await (const value of changes(words, 0)) {
      assert.ok(value > last);
      last = value;
      if (value === 100) break;
    }
    await counted;
  });
});

test('The loop goes on beside one that finds a change each time', async () => {
  const words = int32();
  let turns = 0;
  setImmediate(function turn() {
    if (++turns < 3) setImmediate(turn);
  });
  for await (const value of changes(words, 0)) {
    if (turns === 3) break;
    assert.ok(value < 1e6);
    ++words[0];
  }
});

test('An abort ends it with the reason of the signal', async () => {
  const words = int32();
  const controller = new AbortController();
  const values = changes(words, 0, { signal: controller.signal, ref: false });
  await values.next();
  const next = values.next();
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(next, reason);
  assert.equal((await values.next()).done, true);
});

test('Misuse is refused at the call', () => {
  assert.throws(() => changes(new Int32Array(1), 0), TypeError);
  assert.throws(() => changes(int32(), 9), RangeError);
  assert.throws(() => changes(int32(), 0, { signal: 7 }), TypeError);
});
