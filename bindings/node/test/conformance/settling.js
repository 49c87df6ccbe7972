// SPDX-License-Identifier: MIT
'use strict';

// When a notified promise settles: inside notify if it belongs to the notifying agent, else by a task of its own agent.

const assert = require('node:assert/strict');
const { nativeDeviates } = require('../support/implementation');
const { test } = require('../support/test');
const { withAgents } = require('../support/agent');
const { int32, nextIteration, pending, stateOf, untilWaiting } = require('../support/wait_queue');

const postsTasks = nativeDeviates('posts a task for a notify in the same thread, so the promise settles late');

/// The log, and functions that append to it.
function loggers() {
  const log = [];
  return { log, into: (entry) => () => void log.push(entry) };
}

test('notify settles a promise of its own agent before it returns', postsTasks, async () => {
  const words = int32();
  const { value } = Atomics.waitAsync(words, 0, 0);

  Atomics.notify(words, 0);

  assert.equal(await stateOf(value), 'ok');
});

test('Reactions never run inside notify', async () => {
  const words = int32();
  const { log, into } = loggers();
  const reaction = Atomics.waitAsync(words, 0, 0).value.then(into('reaction'));

  Atomics.notify(words, 0);
  log.push('after notify');
  await reaction;

  assert.deepEqual(log, ['after notify', 'reaction']);
});

test(
  'Reactions run after the microtasks queued before notify and before those queued after it',
  postsTasks,
  async () => {
    const words = int32();
    const { log, into } = loggers();
    Atomics.waitAsync(words, 0, 0).value.then(into('reaction'));

    queueMicrotask(into('before'));
    Atomics.notify(words, 0);
    queueMicrotask(into('after'));
    await nextIteration();

    assert.deepEqual(log, ['before', 'reaction', 'after']);
  },
);

test('Reactions of several promises run in queue order', postsTasks, async () => {
  const words = int32();
  const { log, into } = loggers();
  for (const name of ['first', 'second', 'third']) Atomics.waitAsync(words, 0, 0).value.then(into(name));

  Promise.resolve().then(into('before'));
  Atomics.notify(words, 0);
  Promise.resolve().then(into('after'));
  await nextIteration();

  assert.deepEqual(log, ['before', 'first', 'second', 'third', 'after']);
});

test('Reactions run in queue order, not in the order in which they were attached', async () => {
  const words = int32();
  const { log, into } = loggers();
  const promises = ['first', 'second', 'third'].map(() => Atomics.waitAsync(words, 0, 0).value);
  const reactions = [2, 0, 1].map((i) => promises[i].then(into(i)));

  Atomics.notify(words, 0);
  await Promise.all(reactions);

  assert.deepEqual(log, [0, 1, 2]);
});

test('Promises of several elements settle in the order of their notifies', async () => {
  const words = int32();
  const { log, into } = loggers();
  const reactions = [0, 1, 2].map((index) => Atomics.waitAsync(words, index, 0).value.then(into(index)));

  for (const index of [2, 0, 1]) Atomics.notify(words, index);
  await Promise.all(reactions);

  assert.deepEqual(log, [2, 0, 1]);
});

test('Reactions run before the next tasks of the loop', postsTasks, async () => {
  const words = int32();
  const { log, into } = loggers();
  const iteration = new Promise((resolve) => {
    setImmediate(() => {
      log.push('task');
      resolve();
    });
  });
  Atomics.waitAsync(words, 0, 0).value.then(into('reaction'));

  Atomics.notify(words, 0);
  await iteration;

  assert.deepEqual(log, ['reaction', 'task']);
});

test('A notify in a microtask settles within the same run of microtasks', postsTasks, async () => {
  const words = int32();
  const { log, into } = loggers();
  Atomics.waitAsync(words, 0, 0).value.then(into('reaction'));
  const iteration = new Promise((resolve) => setImmediate(resolve)).then(into('task'));

  queueMicrotask(() => Atomics.notify(words, 0));
  await iteration;

  assert.deepEqual(log, ['reaction', 'task']);
});

test('A chain of waits and notifies of one agent runs within one iteration of the loop', postsTasks, async () => {
  const words = int32();
  let iterations = 0;
  const immediate = setImmediate(() => iterations++);

  for (let i = 0; i < 100; i++) {
    const { value } = Atomics.waitAsync(words, 0, 0);
    assert.equal(Atomics.notify(words, 0), 1);
    assert.equal(await value, 'ok');
  }
  clearImmediate(immediate);

  assert.equal(iterations, 0);
});

test('A promise of another agent settles in a task of that agent, not in the middle of its code', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const log = agent.run(async (words) => {
      const log = [];
      const { value } = Atomics.waitAsync(words, 0, 0);
      const reaction = value.then(() => log.push('reaction'));
      while (Atomics.load(words, 1) === 0); // the notify happens meanwhile
      log.push('job');
      await Promise.resolve().then(() => log.push('microtask'));
      await reaction;
      return log;
    }, words);
    await untilWaiting(words, 0, 1);

    assert.equal(Atomics.notify(words, 0), 1);
    Atomics.store(words, 1, 1);

    assert.deepEqual(await log, ['job', 'microtask', 'reaction']);
  }));

test('Promises of another agent settle in queue order', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    await agent.run((words) => {
      globalThis.log = [];
      globalThis.reactions = Array.from({ length: 100 }, (_, i) =>
        Atomics.waitAsync(words, 0, 0).value.then(() => log.push(i)),
      );
    }, words);

    assert.equal(Atomics.notify(words, 0, 30), 30);
    assert.equal(Atomics.notify(words, 0), 70);

    const log = await agent.run(async () => {
      await Promise.all(reactions);
      return log;
    });
    assert.deepEqual(
      log,
      Array.from({ length: 100 }, (_, i) => i),
    );
  }));

test('A promise settles that another agent notified while this agent was blocked', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const { value } = Atomics.waitAsync(words, 0, 0);
    const woken = agent.run((words) => {
      while (waiting(words, 1) === 0);
      return [Atomics.notify(words, 0), Atomics.notify(words, 1)];
    }, words);

    assert.equal(Atomics.wait(words, 1, 0), 'ok');

    assert.equal(await stateOf(value), pending);
    assert.equal(await value, 'ok');
    assert.deepEqual(await woken, [1, 1]);
  }));

test('An exception in a reaction rejects only the promise of that reaction', async () => {
  const words = int32();
  const first = Atomics.waitAsync(words, 0, 0).value.then(() => {
    throw new RangeError('of the reaction');
  });
  const second = Atomics.waitAsync(words, 0, 0).value;

  assert.equal(Atomics.notify(words, 0), 2);

  await assert.rejects(first, RangeError);
  assert.equal(await second, 'ok');
});

test('A reaction can notify and wait again', async () => {
  const words = int32();
  const last = Atomics.waitAsync(words, 1, 0).value;
  const chain = Atomics.waitAsync(words, 0, 0)
    .value.then(() => Atomics.waitAsync(words, 0, 0, 1).value)
    .then((result) => [result, Atomics.notify(words, 1)]);

  Atomics.notify(words, 0);

  assert.deepEqual(await chain, ['timed-out', 1]);
  assert.equal(await last, 'ok');
});
