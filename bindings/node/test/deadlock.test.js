// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Deadlocks of a thread with itself: an error where it is known, and none where there is none.

const assert = require('node:assert/strict');
const path = require('node:path');
const { AsyncLock, waiters } = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32, untilWaiting } = require('./support/wait_queue');

const deadlock = { name: 'Error', code: 'EDEADLK' };

for (const [how, hold] of [
  ['lock', (lock) => lock.lock()],
  ['tryLock', (lock) => lock.tryLock()],
  ['lockAsync', (lock) => lock.lockAsync()],
  ['executeLocked', (lock) => void lock.executeLocked(() => new Promise(() => {}))],
]) {
  test(`lock throws if this thread holds the lock by ${how}`, async () => {
    const lock = new AsyncLock(new SharedArrayBuffer(4));
    await hold(lock);
    assert.throws(() => lock.lock(), deadlock);
    assert.throws(() => lock.lock({ timeout: 1 }), { name: 'TimeoutError' });  // another thread may unlock meanwhile
    assert.throws(() => new AsyncLock(lock.buffer).lock(), deadlock);
    assert.equal(lock.tryLock(), undefined);
    lock.unlock();
    lock.lock().unlock();
  });
}

test('lock throws if another copy of the package in this thread holds the lock', () => {
  const root = path.join(__dirname, '..') + path.sep;
  for (const name of Object.keys(require.cache))
    if (name.startsWith(root) && !name.startsWith(__dirname)) delete require.cache[name];
  const other = require('..').AsyncLock;
  assert.notEqual(other, AsyncLock);
  const lock = new other(new SharedArrayBuffer(4));
  const theirs = lock.lock();
  const mine = new AsyncLock(lock.buffer);
  assert.throws(() => mine.lock(), deadlock);
  theirs.unlock();
  mine.lock().unlock();
});

test('lock throws within executeLocked of the same lock, and the lock is released', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  await assert.rejects(lock.executeLocked(() => lock.lock()), deadlock);
  assert.ok(lock.tryLock());
});

test('lock throws if another thread has handed the lock to a promise of this one', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  const first = await lock.lockAsync();
  const second = lock.lockAsync();
  first.unlock();  // settles the second, whose reactions have not run yet
  assert.throws(() => lock.lock(), deadlock);
  (await second).unlock();
});

test('lock blocks if the lock was made free by a store, and another thread has it', () =>
  withAgents(1, async (other) => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    lock.lock();
    Atomics.store(words, 0, 0);
    const released = other.run((words) => {
      const guard = new (require('../..').AsyncLock)(words.buffer).lock();
      Atomics.store(words, 1, 1);
      while (require('../..').waiters(words, 0).length === 0);
      guard.unlock();
    }, words);
    while (Atomics.load(words, 1) === 0);

    lock.lock().unlock();

    await released;
  }));

test('lock blocks while a promise of this thread is queued, and gets the lock', () =>
  withAgents(1, async (other) => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    const released = other.run(async (words) => {
      const guard = new (require('../..').AsyncLock)(words.buffer).lock();
      Atomics.store(words, 1, 1);
      while (Atomics.load(words, 1) !== 2);
      guard.unlock();
    }, words);
    while (Atomics.load(words, 1) === 0);
    const later = lock.lockAsync();
    const executed = lock.executeLocked(() => 'executed');
    Atomics.store(words, 1, 2);

    lock.lock().unlock();

    (await later).unlock();
    assert.equal(await executed, 'executed');
    await released;
  }));

for (const [how, nested] of [
  ['is returned', (lock) => lock.executeLocked(() => {})],
  ['is awaited', async (lock) => await lock.executeLocked(() => {})],
  ['is of lockAsync', async (lock) => (await lock.lockAsync()).unlock()],
  ['is awaited by a callback of another lock', async (lock) =>
    await new AsyncLock(new SharedArrayBuffer(4)).executeLocked(async () => await lock.executeLocked(() => {}))],
  ['is awaited by a callback that executeLocked has called within', async (lock) =>
    await Promise.all([lock.executeLocked(() => {}), lock.executeLocked(() => {})])],
]) {
  test(`executeLocked rejects what waits for the lock that its caller holds, if that ${how}`, async () => {
    const lock = new AsyncLock(new SharedArrayBuffer(4));

    const error = await lock.executeLocked(() => nested(lock)).catch((error) => error);

    assert.equal(error.code, 'EDEADLK');
    assert.match(error.stack, /deadlock\.test\.js/);
    assert.equal(waiters().length, 0);
    assert.ok(lock.tryLock());
  });
}

test('A callback that returns no promise may call executeLocked of its lock, which runs later', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  let later;
  const order = [];
  await lock.executeLocked(() => {
    later = lock.executeLocked(() => order.push('later'));
    order.push('first');
  });
  await later;
  assert.deepEqual(order, ['first', 'later']);
});

test('A callback that does not wait for a later executeLocked of its lock may have begun it', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  const order = [];
  let kept;
  await lock.executeLocked(async () => {
    void lock.executeLocked(() => order.push('not kept'));
    lock.executeLocked(() => order.push('its failure is handled')).catch((error) => order.push(error));
    kept = lock.executeLocked(() => order.push('kept'));
    await null;
    order.push('first');
  });
  await kept;
  assert.deepEqual(order, ['first', 'not kept', 'its failure is handled', 'kept']);
});

test('A callback that begins to wait late for what it has begun is refused', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  await assert.rejects(lock.executeLocked(async () => {
    const kept = lock.executeLocked(() => {});
    await null;
    await kept;
  }), deadlock);
  assert.ok(lock.tryLock());
});

test('The promise of a nested call is a promise as any other', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  let nested;
  await lock.executeLocked(() => {
    nested = lock.executeLocked(() => 'done');
    assert.ok(nested instanceof Promise);
  });
  assert.equal(await nested, 'done');
  assert.equal(await nested.then((value) => `${value} then`), 'done then');
  assert.equal(await nested.finally(() => {}), 'done');
  assert.deepEqual(await Promise.all([nested, Promise.race([nested])]), ['done', 'done']);
  assert.ok(nested.then(() => {}) instanceof Promise);
});

test('A callback may call executeLocked of another lock', async () => {
  const [one, two] = [new AsyncLock(new SharedArrayBuffer(4)), new AsyncLock(new SharedArrayBuffer(4))];
  assert.equal(await one.executeLocked(() => two.executeLocked(() => 'both')), 'both');
});

test('The queue is in order after a nested call was refused', async () => {
  const words = int32();
  const lock = new AsyncLock(words.buffer);
  const guard = lock.lock();
  const outer = lock.executeLocked(() => lock.executeLocked(() => {}));
  const after = lock.executeLocked(() => 'after');
  await untilWaiting(words, 0, 2);
  guard.unlock();
  await assert.rejects(outer, deadlock);
  assert.equal(await after, 'after');
});
