// SPDX-License-Identifier: MIT
'use strict';

// A worker that uses one primitive for ever, in several ways at once, until it is terminated. Its word at ORDER + id is 1 while
// it may have what it has asked for, and 0 while it has asked for nothing.

const { workerData } = require('node:worker_threads');
const { selectAsync, select, wait, waitAsync, notify } = require('../..');
const { primitivesIn, COUNT, INSIDE, ITEMS, ORDER } = require('./family_memory');

const { words, name, id } = workerData;
const all = primitivesIn(words, { isMade: true });

const mark = (value) => Atomics.store(words, ORDER + id, value);

/// A call that blocks, or several promises at once. Each gives what `finish` takes.
async function take(i, primitive, verb, finish, ...args) {
  mark(1);
  if (i % 2 === 0) {
    await finish(primitive[verb](...args));
  } else {
    const attempt = async (options) => finish(await primitive[`${verb}Async`](...args, options));
    await Promise.all([attempt(), attempt({ timeout: 1e6 }), attempt().then(() => null)]);
  }
  mark(0);
}

/// With the lock.
function enter(guard) {
  Atomics.store(words, INSIDE, 1);
  for (let i = 0; i < 50; ++i) words[ITEMS] = words[ITEMS] + 1;
  Atomics.store(words, INSIDE, 0);
  guard.unlock();
}

const bodies = {
  lock: (i) => take(i, all.lock, 'lock', enter),
  executeLocked: () => all.lock.executeLocked(async () => {
    await null;
  }),
  sharedLock: (i) => take(i >> 1, all.sharedLock, ['lock', 'lockShared', 'lockUpgradeable'][i % 3], async (guard) => {
    if (i % 3 === 2 && i % 4 < 2) guard.upgrade().unlock();
    else if (i % 3 === 2) (await guard.upgradeAsync()).downgradeToUpgradeable().unlock();
    else (i % 4 === 0 && !guard.isShared ? guard.downgrade() : guard).unlock();
  }),
  semaphore: (i) => take(i, all.semaphore, 'acquire', (permits) => permits.release(), 1),
  event: async (i) => {
    all.events[0].set();
    await take(i, all.events[0], 'wait', () => all.events[0].reset(), ...(i % 2 === 0 ? [{ timeout: 1 }] : []));
  },
  signal: (i) => take(i, all.signal, 'wait', () => all.signal.set()),
  latch: (i) => {
    all.latchOf(0).countDown();
    return i % 2 === 0 ? all.latchOf(0).wait({ timeout: 0.1 }) :
      all.latchOf(0).waitAsync({ timeout: 0.1 });
  },
  barrier: async (i) => {
    if (i % 2 === 0) all.barrier.arriveAndWait();
    else await all.barrier.arriveAndWaitAsync();
  },
  condition: async (i) => {
    const guard = i % 2 === 0 ? all.lock.lock() : await all.lock.lockAsync();
    all.condition.notify(1 + i % 2);
    if (i % 4 < 2) all.condition.wait(guard, { timeout: 0.5 });
    else await all.condition.waitAsync(guard, { timeout: 0.5 });
    enter(guard);
  },
  channel: (i) => {
    const message = [id, i];
    return id === 0 ? take(i, all.channel, 'send', () => {}, message) : take(i, all.channel, 'receive', ({ value }) => {
      if (value[0] !== 0) throw new Error(`received ${value}`);
    });
  },
  select: async (i) => {
    mark(1);
    const operations = [all.lock.locking(), all.semaphore.acquiring(), all.signal.waiting(), all.sharedLock.locking()];
    const finish = [enter, (permit) => permit.release(), () => all.signal.set(), (guard) => guard.unlock()];
    const { index, value } = i % 2 === 0 ? select(operations) : await selectAsync(operations);
    finish[index](value);
    mark(0);
  },
  word: async (i) => {
    notify(words, ITEMS, 1);
    if (i % 2 === 0) wait(words, ITEMS, 0, 0.5);
    else await Promise.all([waitAsync(words, ITEMS, 0, 0.5).value, waitAsync(words, ITEMS, 0, { timeout: 0.5 }).value]);
  },
};

(async () => {
  for (let i = 0; ; ++i) {
    await bodies[name](i);
    Atomics.add(words, COUNT, 1);
    notify(words, COUNT);
    if (i % 8 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
})();
