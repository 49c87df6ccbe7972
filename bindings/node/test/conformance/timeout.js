// SPDX-License-Identifier: MIT
'use strict';

// Time-outs: never early; a waiter stays queued until its time-out job runs; each race with notify has one winner.

const assert = require('node:assert/strict');
const { nativeDeviates } = require('../support/implementation');
const { test } = require('../support/test');
const { withAgents } = require('../support/agent');
const { stopwatch, busyFor } = require('../support/clock');
const { int32, bigInt64, untilWaiting, nextIteration, pending, stateOf, waiting } = require('../support/wait_queue');

const timeouts = [0.1, 0.5, 0.999, 1, 1.001, 1.5, 2, 3.3, 5, 7.77, 10, 16.6];

test('wait never times out early', () => {
  for (let round = 0; round < 3; round++) {
    for (const timeout of timeouts) {
      const watch = stopwatch();
      assert.equal(Atomics.wait(int32(), 0, 0, timeout), 'timed-out');
      assert.ok(watch.since() >= timeout, `${watch.since()} ms of ${timeout}`);
    }
  }
});

test('waitAsync never times out early', nativeDeviates('settles up to 2 ms early'), async () => {
  for (let round = 0; round < 3; round++) {
    for (const timeout of timeouts) {
      const watch = stopwatch();
      assert.equal(await Atomics.waitAsync(int32(), 0, 0, timeout).value, 'timed-out');
      assert.ok(watch.since() >= timeout, `${watch.since()} ms of ${timeout}`);
    }
  }
});

test('None of many waitAsync calls times out early', nativeDeviates('settles up to 2 ms early'), async () => {
  const words = int32();

  await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const timeout = ((i * 37) % 200) / 10 + 0.1;
      const watch = stopwatch();
      assert.equal(await Atomics.waitAsync(words, i % 4, 0, timeout).value, 'timed-out');
      assert.ok(watch.since() >= timeout, `${watch.since()} ms of ${timeout}`);
    }),
  );
});

test('A time-out begins after the coercion of the arguments', () => {
  const watch = stopwatch();
  const slow = {
    valueOf() {
      busyFor(10);
      return 5;
    },
  };

  assert.equal(Atomics.wait(int32(), 0, 0, slow), 'timed-out');

  assert.ok(watch.since() >= 15);
});

test('Strings, booleans and objects convert to the number of milliseconds', () => {
  for (const [timeout, least] of [
    ['5', 5],
    [' 2.5 ', 2.5],
    [true, 1],
    [{ valueOf: () => 4 }, 4],
    [[3], 3],
    [new Date(2), 2],
    ['0x3', 3],
  ]) {
    const watch = stopwatch();
    assert.equal(Atomics.wait(int32(), 0, 0, timeout), 'timed-out');
    assert.ok(watch.since() >= least);
  }
});

test('Waits time out in the order of their deadlines, not of the queue', async () => {
  const words = int32();
  let log;
  let spent;
  do {  // again if this thread was so slow that the deadlines are in another order
    log = [];
    const watch = stopwatch();
    const promises = [40, 1, 20].map((timeout) =>
      Atomics.waitAsync(words, 0, 0, timeout).value.then(() => log.push(timeout)),
    );
    spent = watch.since();
    await Promise.all(promises);
  } while (spent > 15);

  assert.deepEqual(log, [1, 20, 40]);
});

test('A wait that times out in the middle of the queue does not reorder the others', async () => {
  const words = int32();
  const first = Atomics.waitAsync(words, 0, 0).value;
  const second = Atomics.waitAsync(words, 0, 0, 1).value;
  const third = Atomics.waitAsync(words, 0, 0).value;

  assert.equal(await second, 'timed-out');
  assert.equal(waiting(words, 0), 2);

  assert.equal(Atomics.notify(words, 0, 1), 1);
  assert.equal(await first, 'ok');
  assert.equal(await stateOf(third), pending);
  assert.equal(Atomics.notify(words, 0, 1), 1);
  assert.equal(await third, 'ok');
});

test('After the first waiter has timed out, the next one is first', async () => {
  const words = int32();
  const first = Atomics.waitAsync(words, 0, 0, 1).value;
  const second = Atomics.waitAsync(words, 0, 0).value;

  assert.equal(await first, 'timed-out');

  assert.equal(Atomics.notify(words, 0, 1), 1);
  assert.equal(await second, 'ok');
});

test('A blocked thread that times out does not affect the queued promises', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const first = Atomics.waitAsync(words, 0, 0).value;
    const blocked = agent.run((words) => Atomics.wait(words, 0, 0, 5), words);
    const second = Atomics.waitAsync(words, 0, 0).value;

    assert.equal(await blocked, 'timed-out');

    assert.equal(Atomics.notify(words, 0, 1), 1);
    assert.equal(await first, 'ok');
    assert.equal(await stateOf(second), pending);
    assert.equal(Atomics.notify(words, 0), 1);
    assert.equal(await second, 'ok');
  }));

test('A promise whose deadline is due stays queued until its time-out job runs: a notify makes it "ok"', async () => {
  const words = int32();
  const { value } = Atomics.waitAsync(words, 0, 0, 1);

  busyFor(20);

  assert.equal(waiting(words, 0), 1);
  assert.equal(Atomics.notify(words, 0), 1);
  assert.equal(await value, 'ok');
});

test('A promise of a busy agent can be notified after its deadline', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const { value } = Atomics.waitAsync(words, 0, 0, 1);
    const taken = agent.run((words) => {
      const until = process.hrtime.bigint() + 20_000_000n;
      while (process.hrtime.bigint() < until);
      const taken = Atomics.notify(words, 0);
      Atomics.store(words, 1, 1);
      return taken;
    }, words);

    while (Atomics.load(words, 1) === 0);

    assert.equal(await taken, 1);
    assert.equal(await value, 'ok');
  }));

test('A blocking wait does not run the time-out jobs of its agent', async () => {
  const words = int32();
  const { value } = Atomics.waitAsync(words, 0, 0, 1);

  assert.equal(Atomics.wait(words, 1, 0, 20), 'timed-out');

  assert.equal(waiting(words, 0), 1);
  assert.equal(Atomics.notify(words, 0), 1);
  assert.equal(await value, 'ok');
});

test('A promise that was notified does not time out later', async () => {
  const words = int32();
  const { value } = Atomics.waitAsync(words, 0, 0, 5);

  assert.equal(Atomics.notify(words, 0), 1);
  busyFor(10);
  await nextIteration();

  assert.equal(await value, 'ok');
});

test('The time-out of a settled promise dequeues no other waiter', async () => {
  const words = int32();
  const first = Atomics.waitAsync(words, 0, 0, 5).value;
  Atomics.notify(words, 0);
  const second = Atomics.waitAsync(words, 0, 0).value;

  assert.equal(await Atomics.waitAsync(words, 1, 0, 15).value, 'timed-out');

  assert.equal(await first, 'ok');
  assert.equal(await stateOf(second), pending);
  assert.equal(Atomics.notify(words, 0), 1);
  assert.equal(await second, 'ok');
});

test('wait returns "ok" if it was notified before its deadline', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const result = agent.run((words) => Atomics.wait(words, 0, 0, 1e6), words);
    await untilWaiting(words, 0, 1);

    assert.equal(Atomics.notify(words, 0), 1);
    assert.equal(await result, 'ok');
  }));

test('A promise that times out settles in a task, after the current job and its microtasks', async () => {
  const words = int32();
  const log = [];
  const reaction = Atomics.waitAsync(words, 0, 0, 0.01).value.then(() => log.push('timed out'));

  busyFor(5);
  log.push('job');
  await Promise.resolve().then(() => log.push('microtask'));
  await reaction;

  assert.deepEqual(log, ['job', 'microtask', 'timed out']);
});

test('Each race of a notify and a time-out has one winner', async () => {
  const words = bigInt64();
  const results = { ok: 0, 'timed-out': 0 };
  let taken = 0;
  const waits = Array.from({ length: 500 }, async (_, i) => {
    const { value } = Atomics.waitAsync(words, 0, 0n, (i % 10) / 5 + 0.1);
    results[await value]++;
  });

  while (waiting(words, 0) > 0) {
    taken += Atomics.notify(words, 0, 2);
    await nextIteration();
  }
  await Promise.all(waits);

  assert.equal(results.ok, taken);
  assert.equal(results['timed-out'], 500 - taken);
});
