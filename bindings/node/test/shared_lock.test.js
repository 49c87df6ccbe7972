// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// SharedLock: what each of its functions promises.

const assert = require('node:assert/strict');
const { SharedLock } = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32, nextIteration, pending, stateOf } = require('./support/wait_queue');

const dispose = Symbol.dispose ?? Symbol.for('nodejs.dispose');
const fresh = (options) => new SharedLock(new SharedArrayBuffer(8), 0, options);
async function untilQueued(lock, count) {
  while (lock.waiters().length !== count) await nextIteration();
}

test('Many readers hold it, or one writer', () => {
  const lock = fresh();
  const readers = [lock.lockShared(), lock.tryLockShared()];
  assert.equal(readers[1].isShared, true);
  assert.equal(lock.tryLock(), undefined);
  for (const reader of readers) reader.unlock();
  const writer = lock.lock();
  assert.equal(writer.isShared, false);
  assert.equal(lock.tryLockShared(), undefined);
  assert.equal(lock.tryLock(), undefined);
  writer[dispose]();
  writer[dispose]();
  assert.equal(writer.ownsLock, false);
  assert.throws(() => writer.unlock(), { code: 'EPERM', message: /does not hold the lock/ });
  lock.tryLock().unlock();
});

test('A writer becomes a reader without a gap', () => {
  const lock = fresh();
  const writer = lock.lock();
  const reader = writer.downgrade();
  assert.equal(writer.ownsLock, false);
  assert.equal(reader.isShared, true);
  assert.equal(lock.tryLock(), undefined);
  lock.tryLockShared().unlock();
  assert.throws(() => reader.downgrade(), { code: 'EPERM' });
  reader.unlock();
  lock.tryLock().unlock();
});

test('Threads and promises, readers and writers, wait in one queue', async () => {
  await withAgents(1, async (agent) => {
    const words = int32(2);
    const lock = new SharedLock(words.buffer);
    const held = lock.lock();
    const first = lock.lockSharedAsync();
    const second = agent.run((buffer) => {
      const { SharedLock: Lock } = require('../..');
      const guard = new Lock(buffer).lockShared();
      guard.unlock();
      return guard.isShared;
    }, words.buffer);
    await untilQueued(lock, 2);
    const writer = lock.lockAsync();
    await untilQueued(lock, 3);
    held.unlock();
    assert.equal(await second, true);
    assert.equal(await stateOf(writer), pending);
    (await first).unlock();
    assert.equal((await writer).isShared, false);
    (await writer).unlock();
  });
});

test('A callback runs with the lock held, until its promise has settled', async () => {
  const lock = fresh();
  const found = await lock.executeLockedShared(async (guard) => {
    await nextIteration();
    assert.equal(lock.tryLock(), undefined);
    return guard.isShared;
  });
  assert.equal(found, true);
  await assert.rejects(lock.executeLocked(() => { throw new RangeError('its own'); }), { message: 'its own' });
  assert.equal(await lock.executeLocked((guard) => (guard.unlock(), 7)), 7);
  await assert.rejects(lock.executeLocked(7), { name: 'TypeError', message: /SharedLock.executeLocked: callback must be a function/ });
  lock.tryLock().unlock();
});

test('An attempt times out, or is aborted', async () => {
  const lock = fresh({ strict: true });
  const held = lock.lock();
  const expected = { name: 'TimeoutError', message: /the lock was still held when the time-out was over/ };
  assert.throws(() => lock.lock({ timeout: 0 }), expected);
  assert.throws(() => lock.lockShared({ timeout: 1 }), expected);
  await assert.rejects(lock.lockAsync({ timeout: 1 }), expected);
  await assert.rejects(lock.executeLockedShared(() => 1, { timeout: 0 }), expected);
  const reason = new Error('enough');
  const controller = new AbortController();
  const aborted = lock.lockSharedAsync({ signal: controller.signal });
  controller.abort(reason);
  await assert.rejects(aborted, reason);
  assert.equal(lock.waiters().length, 0);
  held.unlock();
});

test('A waiter of a thread that ends leaves the queue', async () => {
  await withAgents(1, async (agent) => {
    const words = int32(2);
    const lock = new SharedLock(words.buffer);
    const held = lock.lock();
    await agent.run((buffer) => {
      const { SharedLock: Lock } = require('../..');
      new Lock(buffer).lockAsync().catch(() => {});
    }, words.buffer);
    await untilQueued(lock, 1);
    const next = lock.lockSharedAsync();
    await untilQueued(lock, 2);
    await agent.terminate();
    await untilQueued(lock, 1);
    held.unlock();
    (await next).unlock();
    lock.tryLock().unlock();
  });
});
