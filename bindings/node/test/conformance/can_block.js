// SPDX-License-Identifier: MIT
'use strict';

// Agents that may not block: wait throws there, after all its other checks; waitAsync and notify work.

const assert = require('node:assert/strict');
const { futon, futonOnly } = require('../support/implementation');
const { test } = require('../support/test');
const { withAgents } = require('../support/agent');
const { int32, bigInt64, untilWaiting } = require('../support/wait_queue');
const { logger, untouchable } = require('../support/arguments');

const noSuchSwitch = futonOnly('Node has no agents that may not block');

/// Runs `body` while this thread may not block.
async function withoutBlocking(body) {
  futon.setCanBlock(false);
  try {
    return await body();
  } finally {
    futon.setCanBlock(true);
  }
}

test('Main threads and workers of Node may block', () =>
  withAgents(1, async (agent) => {
    assert.equal(Atomics.wait(int32(), 0, 0, 0), 'timed-out');
    assert.equal(await agent.run((words) => Atomics.wait(words, 0, 0, 0), int32()), 'timed-out');
  }));

test('wait throws a TypeError on an agent that may not block, even if it would not block', noSuchSwitch, () =>
  withoutBlocking(() => {
    for (const [value, timeout] of [
      [0, Infinity],
      [0, undefined],
      [0, 10],
      [0, 0],
      [0, -1],
      [1, Infinity],
      [1, 0],
    ]) {
      assert.throws(
        () => Atomics.wait(int32(), 0, value, timeout),
        (error) => error.constructor === TypeError && error.message.length > 0,
      );
      assert.throws(() => Atomics.wait(bigInt64(), 0, BigInt(value), timeout), TypeError);
    }
  }),
);

test('That TypeError comes after all coercions', noSuchSwitch, () =>
  withoutBlocking(() => {
    const { log, argument } = logger();

    assert.throws(
      () => Atomics.wait(int32(), argument('index', 0), argument('value', 1), argument('timeout', 0)),
      TypeError,
    );

    assert.deepEqual(log, ['index', 'value', 'timeout']);
  }),
);

test('An exception of a coercion comes before that TypeError', noSuchSwitch, () =>
  withoutBlocking(() => {
    class Thrown extends Error {}
    const poisoned = {
      valueOf() {
        throw new Thrown('by valueOf');
      },
    };

    assert.throws(() => Atomics.wait(int32(), poisoned, untouchable, untouchable), Thrown);
    assert.throws(() => Atomics.wait(int32(), 0, poisoned, untouchable), Thrown);
    assert.throws(() => Atomics.wait(int32(), 0, 0, poisoned), Thrown);
    assert.throws(() => Atomics.wait(int32(), 4, untouchable, untouchable), RangeError);
  }),
);

test('An agent that may not block can use waitAsync', noSuchSwitch, () =>
  withoutBlocking(async () => {
    const words = int32();

    assert.equal(Atomics.waitAsync(words, 0, 1).value, 'not-equal');
    assert.equal(Atomics.waitAsync(words, 0, 0, 0).value, 'timed-out');
    assert.equal(await Atomics.waitAsync(words, 0, 0, 1).value, 'timed-out');
    const { value } = Atomics.waitAsync(words, 0, 0);
    assert.equal(Atomics.notify(words, 0), 1);
    assert.equal(await value, 'ok');
  }),
);

test('An agent that may not block can notify a blocked one', noSuchSwitch, () =>
  withAgents(1, (agent) =>
    withoutBlocking(async () => {
      const words = int32();
      const result = agent.run((words) => Atomics.wait(words, 0, 0), words);
      await untilWaiting(words, 0, 1);

      assert.equal(Atomics.notify(words, 0), 1);
      assert.equal(await result, 'ok');
    }),
  ),
);

test('Whether an agent may block does not affect other agents', noSuchSwitch, () =>
  withAgents(1, (agent) =>
    withoutBlocking(async () => {
      assert.equal(await agent.run((words) => Atomics.wait(words, 0, 0, 0), int32()), 'timed-out');
    }),
  ),
);

test('A thread can block again once it may block again', noSuchSwitch, async () => {
  await withoutBlocking(() => {});

  assert.equal(Atomics.wait(int32(), 0, 0, 1), 'timed-out');
});
