// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Locks whose holders end.

const assert = require('node:assert/strict');
const { Worker } = require('node:worker_threads');
const { AsyncLock, inspect, waiters } = require('..');
const { test } = require('./support/test');
const { Agent, withAgents } = require('./support/agent');
const { int32, nextIteration, untilWaiting } = require('./support/wait_queue');

const futon = JSON.stringify(require.resolve('..'));

/// A worker that runs `body(words)`; settles when it is gone.
function runInWorker(words, body) {
  const source = `(${body})(require('node:worker_threads').workerData, require(${futon}).AsyncLock)`;
  const worker = new Worker(source, { eval: true, workerData: words });
  worker.on('error', () => {});
  return new Promise((resolve) => worker.on('exit', resolve));
}

for (const [how, body] of [
  ['has nothing left to do', (words, AsyncLock) => void new AsyncLock(words.buffer).lock()],
  ['exits', (words, AsyncLock) => process.exit(new AsyncLock(words.buffer).lock().ownsLock ? 0 : 1)],
  ['throws', (words, AsyncLock) => {
    new AsyncLock(words.buffer).tryLock();
    throw new Error('it ends here');
  }],
  ['holds it by lockAsync', (words, AsyncLock) => void new AsyncLock(words.buffer).lockAsync()],
  ['is within executeLocked', (words, AsyncLock) =>
    void new AsyncLock(words.buffer).executeLocked(() => process.exit())],
  ['has replaced the methods', (words, AsyncLock) => {
    AsyncLock.prototype.unlock = () => {};
    void new AsyncLock(words.buffer).lock();
  }],
]) {
  test(`A worker that ${how} abandons its lock, and the next owner alone is told`, async () => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);

    await runInWorker(words, body);

    assert.equal(inspect(lock).isAbandoned, true);
    const guard = await lock.lockAsync({ timeout: 10_000 });
    assert.equal(guard.wasAbandoned, true);
    assert.equal(lock.wasAbandoned, true);
    guard.unlock();
    assert.equal(lock.lock().wasAbandoned, false);
    assert.equal(lock.wasAbandoned, false);
  });
}

for (const [how, take] of [
  ['lock', (lock) => lock.lock().wasAbandoned],
  ['tryLock', (lock) => lock.tryLock() && lock.wasAbandoned],
  ['lockAsync', async (lock) => (await lock.lockAsync()).wasAbandoned],
  ['executeLocked', (lock) => lock.executeLocked(() => lock.wasAbandoned)],
]) {
  test(`The next owner is told by ${how}`, async () => {
    const words = int32();
    await runInWorker(words, (words, AsyncLock) => void new AsyncLock(words.buffer).lock());
    assert.equal(await take(new AsyncLock(words.buffer)), true);
  });
}

for (const [how, hold] of [
  ['lock', (lock) => lock.lock().unlock()],
  ['tryLock', (lock) => lock.tryLock() && lock.unlock()],
  ['lockAsync', async (lock) => (await lock.lockAsync()).unlock()],
  ['executeLocked', (lock) => lock.executeLocked(() => undefined)],
]) {
  test(`An owner by ${how} that does not ask leaves the abandonment to the next one`, async () => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    await runInWorker(words, (words, AsyncLock) => void new AsyncLock(words.buffer).lock());

    await hold(lock);

    assert.equal(inspect(lock).isAbandoned, true);
    const next = lock.lock();
    require('node:util').inspect(next);  // to print a guard is not to ask
    assert.equal(inspect(lock).isAbandoned, true);
    assert.equal(next.wasAbandoned, true);
    assert.equal(inspect(lock).isAbandoned, false);
    assert.equal(next.wasAbandoned, true);
    next.unlock();
    assert.equal(await lock.executeLocked((guard) => guard.wasAbandoned), false);
  });
}

test('An owner that asks after it has released the lock takes nothing from the next one', async () => {
  const words = int32();
  const [first, second] = [new AsyncLock(words.buffer), new AsyncLock(words.buffer)];
  await runInWorker(words, (words, AsyncLock) => void new AsyncLock(words.buffer).lock());
  const guard = first.lock();
  guard.unlock();
  const next = second.lock();

  assert.equal(guard.wasAbandoned, true);
  assert.equal(first.wasAbandoned, true);
  assert.equal(inspect(second).isAbandoned, true);
  assert.equal(next.wasAbandoned, true);
});

test('The callback of executeLocked gets the guard, which holds the lock until its promise has settled', async () => {
  const words = int32();
  const lock = new AsyncLock(words.buffer);
  let kept;
  const result = await lock.executeLocked(async (guard) => {
    kept = guard;
    assert.equal(guard.ownsLock, true);
    await nextIteration();
    return guard.ownsLock;
  });
  assert.equal(result, true);
  assert.equal(kept.ownsLock, false);
  assert.equal(kept.wasAbandoned, false);
});

test('A thread that is blocked in lock is told', () =>
  withAgents(2, async (holder, next) => {
    const words = int32();
    await holder.run((words) => void new (require('../..').AsyncLock)(words.buffer).lock(), words);
    const told = next.run((words) => new (require('../..').AsyncLock)(words.buffer).lock().wasAbandoned, words);
    await untilWaiting(words, 0, 1);

    await holder.terminate();

    assert.equal(await told, true);
  }));

test('A promise that waits for the lock is told', () =>
  withAgents(1, async (holder) => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    await holder.run((words) => void new (require('../..').AsyncLock)(words.buffer).lock(), words);
    const guard = lock.lockAsync();
    const executed = lock.executeLocked(() => lock.wasAbandoned);

    await holder.terminate();

    assert.equal((await guard).wasAbandoned, true);
    (await guard).unlock();
    assert.equal(await executed, false);
  }));

test('A lock that another thread has released is not abandoned by the thread that locked it', () =>
  withAgents(1, async (holder) => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    await holder.run((words) => void new (require('../..').AsyncLock)(words.buffer).lock(), words);
    lock.unlock();
    const guard = lock.lock();

    await holder.terminate();

    assert.equal(guard.ownsLock, true);
    assert.equal(inspect(lock).isLocked, true);
    guard.unlock();
    assert.equal(lock.lock().wasAbandoned, false);
  }));

test('All locks of a worker are abandoned, also those that it has no reference to any more', () =>
  withAgents(1, async (holder) => {
    const words = int32(200);
    await holder.run((words) => {
      for (let i = 0; i < 200; ++i) new (require('../..').AsyncLock)(words.buffer, 4 * i).lock();
      for (let i = 0; i < 200; i += 3) new (require('../..').AsyncLock)(words.buffer, 4 * i).unlock();
    }, words);

    await holder.terminate();

    for (let i = 0; i < 200; ++i) {
      const lock = new AsyncLock(words.buffer, 4 * i);
      assert.ok(lock.tryLock());
      assert.equal(lock.wasAbandoned, i % 3 !== 0);
    }
  }));

test('The memory of a held lock stays while the worker lives, though no code refers to it', () =>
  withAgents(1, async (holder) => {
    await holder.run(() => {
      require('node:v8').setFlagsFromString('--expose-gc');
      const gc = require('node:vm').runInNewContext('gc');
      for (let i = 0; i < 50; ++i) {
        new (require('../..').AsyncLock)(new SharedArrayBuffer(1 << 20)).lock();
        gc();
      }
    });

    await holder.terminate();
  }));

test('A strict lock stays strict when it is abandoned', async () => {
  const words = int32();
  const lock = new AsyncLock(words.buffer, 0, { strict: true });
  await runInWorker(words, (words, AsyncLock) => void new AsyncLock(words.buffer).lock());
  assert.equal(lock.lock().wasAbandoned, true);
  assert.equal(inspect(lock).isStrict, true);
});

test('inspect and waiters show which thread holds a lock', () =>
  withAgents(2, async (holder, next) => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    assert.equal(inspect(lock).holder, undefined);
    const id = await holder.run((words) => {
      new (require('../..').AsyncLock)(words.buffer).lock();
      return require('node:worker_threads').threadId;
    }, words);
    next.run((words) => void new (require('../..').AsyncLock)(words.buffer).lock(), words);
    await untilWaiting(words, 0, 1);

    const state = inspect(lock);
    assert.equal(state.isLocked, true);
    assert.equal(state.holder, id);
    assert.deepEqual(state.waiters, waiters(words, 0));
    assert.equal(waiters(words, 0)[0].holder, id);
    assert.match(require('node:util').inspect(lock), new RegExp(`^AsyncLock \\{[^]*isLocked: true[^]*holder: ${id}\\s\\}$`));
  }));

const seconds = Number(process.env.FUTON_STRESS_SECONDS ?? 4);
const limit = { timeout: 60_000 + seconds * 1000 };

test('Workers that are terminated at any time never leave a lock stuck, and each abandonment is told once', limit, async () => {
  const [INSIDE, TOLD, SILENT, ENTERED] = [1, 2, 3, 4];
  const words = int32(8);
  const lock = new AsyncLock(words.buffer);
  const source = `
    const { AsyncLock } = require(${futon});
    const words = require('node:worker_threads').workerData;
    const lock = new AsyncLock(words.buffer);
    function enter(wasAbandoned) {
      const wasInside = Atomics.exchange(words, ${INSIDE}, 1) === 1;
      if (wasAbandoned) Atomics.add(words, ${TOLD}, 1);
      if (wasInside && !wasAbandoned) Atomics.add(words, ${SILENT}, 1);
      for (let i = 0; i < 100; ++i) words[${ENTERED}] = words[${ENTERED}] + 1;
      Atomics.store(words, ${INSIDE}, 0);
    }
    (async () => {
      for (;;) {
        const guard = lock.lock();
        enter(guard.wasAbandoned);
        guard.unlock();
        const later = await lock.lockAsync();
        enter(later.wasAbandoned);
        later.unlock();
        await lock.executeLocked(async () => {
          enter(lock.wasAbandoned);
          await null;
        });
      }
    })();`;
  const start = () => new Worker(source, { eval: true, workerData: words });
  const workers = Array.from({ length: 8 }, start);
  const end = performance.now() + seconds * 1000;
  let mine = 0;
  let ended = workers.length;
  let seed = 1;
  while (performance.now() < end) {
    seed = (seed * 48271) % 0x7fffffff;
    const victim = seed % workers.length;
    const entered = Atomics.load(words, ENTERED);
    while (Atomics.load(words, ENTERED) === entered) await nextIteration();
    for (let i = seed % 50; i > 0; --i) await nextIteration();
    await workers[victim].terminate();
    workers[victim] = start();
    ++ended;
    const guard = await lock.lockAsync({ timeout: 30_000 });
    if (guard.wasAbandoned) ++mine;
    else assert.equal(words[INSIDE], 0, 'an owner ended within, and the next one was not told');
    words[INSIDE] = 0;
    guard.unlock();
  }
  await Promise.all(workers.map((worker) => worker.terminate()));

  const guard = await lock.lockAsync({ timeout: 30_000 });
  assert.ok(guard.wasAbandoned || words[INSIDE] === 0);
  assert.equal(words[SILENT], 0);
  assert.ok(words[TOLD] + mine <= ended, 'some abandonment was told twice');
  assert.equal(inspect(lock).isAbandoned, false);
  assert.equal(waiters().length, 0);
});
