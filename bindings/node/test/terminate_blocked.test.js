// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// A worker that is blocked, and is given what it waits for when it has been terminated: it goes back, or to the next in the queue.

const assert = require('node:assert/strict');
const path = require('node:path');
const { Worker } = require('node:worker_threads');
const { waiters } = require('..');
const { test } = require('./support/test');
const { int32, nextIteration } = require('./support/wait_queue');
const { primitivesIn, BYTES, DONE } = require('./support/family_memory');

const WORKER = path.join(__dirname, 'support', 'blocked_worker.js');

const isThere = ({ channel }) => assert.deepEqual(channel.tryReceive()?.value, [7]);
const send = ({ channel }) => assert.equal(channel.trySend([7]), 'ok');

// `prepare` comes before the worker blocks, `queue` when it has. What they return is passed on.
const cases = {
  message: { give: send, isBack: isThere },
  'message with a time-out': { give: send, isBack: isThere },
  signal: { give: ({ signal }) => signal.set(), isBack: ({ signal }) => assert.equal(signal.tryWait(), true) },
  permit: { give: ({ semaphore }) => semaphore.release(), isBack: ({ semaphore }) => assert.equal(semaphore.available, 1) },
  'choice of a select': { give: send, isBack: isThere },
  notification: {
    queue({ condition, lock }) {
      const guard = lock.lock();
      return { guard, answer: condition.waitAsync(guard, { timeout: 30_000 }) };
    },
    give: ({ condition }) => assert.equal(condition.notify(1), 1),
    async isBack(all, { guard, answer }) {
      assert.equal(await answer, 'ok');
      guard.unlock();
    },
  },
  lock: {
    prepare: ({ lock }) => lock.lock(),
    give: (all, guard) => guard.unlock(),
    async isBack({ lock }) {
      const guard = await lock.lockAsync({ timeout: 30_000 });
      assert.equal(guard.wasAbandoned, false, 'no code of the worker ran with the lock');
      guard.unlock();
    },
  },
  'shared hold': {
    prepare: ({ sharedLock }) => sharedLock.lock(),
    give: (all, guard) => guard.unlock(),
    isBack: ({ sharedLock }) => sharedLock.lock({ timeout: 30_000 }).unlock(),
  },
};

for (const [name, { prepare, queue, give, isBack }] of Object.entries(cases)) {
  test(`A worker that is terminated while it blocks leaves a ${name} that it is given then`, async () => {
    for (let round = 0; round < 5; ++round) {
      const words = int32(BYTES / 4);
      const all = primitivesIn(words, { semaphore: { permits: 0 } });
      const prepared = prepare?.(all);
      const worker = new Worker(WORKER, { workerData: { words, name } });
      const failed = new Promise((_, reject) => worker.on('error', reject));
      failed.catch(() => {});
      while (waiters().length === 0) await Promise.race([nextIteration(), failed]);
      const behind = queue?.(all);

      const ended = worker.terminate();
      give(all, prepared);
      await ended;

      assert.equal(words[DONE], 0, 'its code went on');
      await isBack(all, behind);
      assert.deepEqual(waiters(), []);
    }
  });
}
