// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Threads of C++ and of JavaScript use the same primitives at once: threads that block, promises of workers and of the main
// thread, and coroutines of an event loop of C++.

const assert = require('node:assert/strict');
const { inspect, waitAsync, waiters } = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32, nextIteration } = require('./support/wait_queue');
const { loadTestAddon } = require('./support/example');
const {
  primitivesIn, COUNT, FAILED, DONE, FIRST, SECOND, ITEMS, PUT, TAKEN, CHOSEN, NEXT, ORDER, BYTES,
} = require('./support/family_memory');
const { play } = require('./support/family_scenarios');

const THERE = (...args) => require('./family_scenarios').play(...args);  // of an agent

async function untilItIs(words, index, value) {
  for (let now = Atomics.load(words, index); now !== value; now = Atomics.load(words, index))
    await waitAsync(words, index, now, 1000).value;
}

const PARTICIPANTS = 6;
const ROUNDS_OF_LATCHES = 300;

/// Has six threads play their parts: two of C++ that block, one of C++ with a loop, two workers, and this one.
async function together(context, name, rounds, options, check) {
  const addon = loadTestAddon(context, 'family');
  if (addon === undefined) return;
  const words = int32(BYTES / 4);
  const primitives = primitivesIn(words, options);
  options.prepare?.(primitives);
  await withAgents(2, async (blocking, pending) => {
    const its = [words, name];
    addon.start(...its, false, 0, PARTICIPANTS, rounds);
    addon.start(...its, false, 1, PARTICIPANTS, rounds);
    addon.start(...its, true, 2, PARTICIPANTS, rounds);
    await Promise.all([
      blocking.run(THERE, ...its, true, 3, PARTICIPANTS, rounds),
      pending.run(THERE, ...its, false, 4, PARTICIPANTS, rounds),
      play(...its, false, 5, PARTICIPANTS, rounds),
      untilItIs(words, DONE, 3),
    ]);
  });
  assert.equal(words[FAILED], 0);
  check(primitives, words, PARTICIPANTS * rounds);
  assert.deepEqual(waiters(), []);
}

test('A lock excludes the others, and loses no owner', (context) =>
  together(context, 'lock', 1000, {}, ({ lock }, words, all) => {
    assert.equal(words[COUNT], all);
    assert.equal(inspect(lock).isLocked, false);
    lock.tryLock().unlock();
  }));

test('A strict lock does, too', (context) =>
  together(context, 'lock', 300, { lock: { strict: true } }, ({ lock }, words, all) => {
    assert.equal(words[COUNT], all);
    assert.equal(inspect(lock).isLocked, false);
  }));

test('A shared lock has many readers, or one writer', (context) =>
  together(context, 'sharedLock', 999, {}, ({ sharedLock }, words, all) => {
    assert.deepEqual([words[FIRST], words[SECOND]], [all / 3, all / 3]);
    sharedLock.tryLock().unlock();
  }));

test('A semaphore gives no more permits than there are, and all come back', (context) =>
  together(context, 'semaphore', 1000, { semaphore: { permits: 3, maximum: 3 } }, ({ semaphore }, words, all) => {
    assert.equal(words[COUNT], all * 1.5);
    assert.equal(semaphore.available, 3);
  }));

test('All threads pass an event that is set, and none one that was reset', (context) =>
  together(context, 'event', 300, { event: { set: true } }, ({ events }, words, all) => {
    assert.equal(words[COUNT], all);
    assert.deepEqual(events.map((event) => event.isSet), [true, false]);
  }));

test('A signal goes to one thread, and is not lost', (context) =>
  together(context, 'signal', 1000, { signal: { set: true } }, ({ signal }, words, all) => {
    assert.equal(words[COUNT], all);
    assert.equal(signal.isSet, true);
  }));

test('No thread passes a latch before all have arrived', (context) =>
  together(context, 'latch', ROUNDS_OF_LATCHES, {
    latch: { count: PARTICIPANTS },
    prepare: ({ latchOf }) => {
      for (let round = 0; round < ROUNDS_OF_LATCHES; ++round) latchOf(round);
    },
  }, (_, words, all) => {
    assert.equal(words[COUNT], all);
  }));

test('A barrier keeps all in step', (context) =>
  together(context, 'barrier', 300, { barrier: { participants: PARTICIPANTS } }, ({ barrier }, words, all) => {
    assert.equal(words[COUNT], all);
    assert.throws(() => barrier.arrive(), RangeError);  // none is left
  }));

test('A condition tells each change to a thread that waits for it', (context) =>
  together(context, 'condition', 500, {}, ({ lock }, words, all) => {
    assert.deepEqual([words[ITEMS], words[PUT], words[TAKEN]], [0, all, all]);
    assert.equal(inspect(lock).isLocked, false);
  }));

test('A channel loses no message, gives each once, and keeps the order of each sender', (context) =>
  together(context, 'channel', 500, {}, ({ channel }, words) => {
    assert.equal(words[TAKEN], words[PUT]);
    assert.equal(words[PUT], PARTICIPANTS * 500 * 499 / 2);
    assert.deepEqual(channel.tryReceive(), { value: undefined, done: true });
  }));

test('A select takes what it has chosen, and nothing else', (context) => {
  const prepare = ({ channel }) => channel.send('token');
  const options = { semaphore: { permits: 1, maximum: 1 }, signal: { set: true }, prepare };
  return together(context, 'select', 500, options, ({ lock, semaphore, signal, channel }, words, all) => {
    assert.equal(words.subarray(CHOSEN, CHOSEN + 4).reduce((sum, count) => sum + count), all);
    assert.deepEqual([inspect(lock).isLocked, semaphore.available, signal.isSet], [false, 1, true]);
    assert.equal(channel.tryReceive().value, 'token');
    assert.equal(channel.tryReceive(), undefined);
  });
});

// Who is queued, in this order: in C++ a thread that blocks and a coroutine, in JavaScript a worker and promises.
const IN_ORDER = [
  'thread', 'main', 'worker', 'task', 'worker promise', 'thread', 'main', 'thread', 'main', 'task', 'thread', 'worker promise',
];
const isTask = (id) => IN_ORDER[id] !== 'thread' && IN_ORDER[id] !== 'worker';

/// Enqueues them, has `release` serve them, and returns their numbers in the order in which they were served.
async function served(context, name, options, prepare, release) {
  const addon = loadTestAddon(context, 'family');
  if (addon === undefined) return undefined;
  const words = int32(BYTES / 4);
  const primitives = primitivesIn(words, options);
  const { queue, held } = prepare(primitives);
  await withAgents(2, async (blocking, pending) => {
    const ends = [];
    for (const [id, kind] of IN_ORDER.entries()) {
      const its = [words, name];
      if (kind === 'thread' || kind === 'task') addon.start(...its, kind === 'task', id, IN_ORDER.length, 1);
      if (kind === 'worker') ends.push(blocking.run(THERE, ...its, true, id, IN_ORDER.length, 1));
      if (kind === 'worker promise') ends.push(pending.run(THERE, ...its, false, id, IN_ORDER.length, 1));
      if (kind === 'main') ends.push(play(...its, false, id, IN_ORDER.length, 1));
      while (waiters(words, queue).length !== id + 1) await nextIteration();
    }
    for (let i = 0; i < IN_ORDER.length; ++i) {
      if (i === 0 || held === undefined) release(primitives, held);
      if (held === undefined) await untilItIs(words, NEXT, i + 1);
    }
    await Promise.all(ends);
    await untilItIs(words, DONE, IN_ORDER.filter((kind) => kind === 'thread' || kind === 'task').length);
  });
  assert.equal(words[FAILED], 0);
  assert.deepEqual(waiters(), []);
  return [...words.subarray(ORDER, ORDER + IN_ORDER.length)];
}

const first = [...IN_ORDER.keys()];

// What is passed by hand, also to a promise.
const PASSED = [
  ['An AutoResetEvent', 'signalInOrder', () => ({ queue: 10 }), ({ signal }) => signal.set()],
  ['A Condition', 'conditionInOrder', () => ({ queue: 1 }), ({ condition }) => assert.equal(condition.notify(1), 1)],
];
for (const [what, name, prepare, release] of PASSED) {
  test(`${what} serves threads and tasks of both languages in queue order`, async (context) => {
    const order = await served(context, name, {}, prepare, release);
    if (order !== undefined) assert.deepEqual(order, first);
  });
}

// What a task is only offered: it may be overtaken if its loop is late. No thread ever is.
const OFFERED = [
  ['A strict AsyncLock', 'lockInOrder', { lock: { strict: true } }, ({ lock }) => ({ queue: 0, held: lock.tryLock() })],
  ['A strict SharedLock', 'sharedLockInOrder', { sharedLock: { strict: true } },
    ({ sharedLock }) => ({ queue: 2, held: sharedLock.tryLock() })],
  ['A strict Semaphore', 'semaphoreInOrder', { semaphore: { permits: 1, strict: true } },
    ({ semaphore }) => {
      semaphore.tryAcquire().detach();
      return { queue: 4, held: { unlock: () => semaphore.release() } };
    }],
];
for (const [what, name, options, prepare] of OFFERED) {
  test(`${what} serves threads of both languages in queue order`, async (context) => {
    const order = await served(context, name, options, prepare, (primitives, held) => held.unlock());
    if (order === undefined) return;
    assert.deepEqual([...order].sort((a, b) => a - b), first);
    for (const [place, id] of order.entries()) {
      for (const before of order.slice(0, place))
        assert.ok(before < id || isTask(id), `${before}, which was queued later, has overtaken thread ${id}: ${order}`);
    }
  });
}

test('An object of C++ lies within its array, at a multiple of its alignment', (context) => {
  const addon = loadTestAddon(context, 'family');
  if (addon === undefined) return;
  const words = int32(8);

  assert.deepEqual([0, 16].map((offset) => addon.refuses(words, offset)), [false, false]);
  assert.deepEqual([4, 20, 32, 2 ** 30].map((offset) => addon.refuses(words, offset)), [true, true, true, true]);
  assert.equal(addon.refuses(words.subarray(1), 12), false);
});
