// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Condition: a wait releases the lock and has it again, whatever ends it.

const assert = require('node:assert/strict');
const { AsyncLock, Condition, setCanBlock, toShared, fromShared } = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32, nextIteration, pending, stateOf } = require('./support/wait_queue');

/// A lock, a condition and two words of data in one buffer.
function setUp() {
  const words = int32(4);
  return { words, lock: new AsyncLock(words.buffer), changed: new Condition(words.buffer, 4) };
}

async function untilQueued(primitive, count) {
  while (primitive.waiters().length !== count) await nextIteration();
}

test('A wait by promise releases the lock, and holds it again when it is notified', async () => {
  const { lock, changed } = setUp();
  const guard = await lock.lockAsync();
  const wait = changed.waitAsync(guard);
  assert.equal(guard.ownsLock, false);
  assert.equal(changed.waiters()[0].operation, 'futon::Condition::wait');

  const other = lock.tryLock();
  assert.ok(other.ownsLock);
  assert.equal(changed.notify(1), 1);
  assert.equal(await stateOf(wait), pending);
  other.unlock();
  assert.equal(await wait, 'ok');
  assert.ok(guard.ownsLock);
  assert.equal(changed.notify(), 0);
  guard.unlock();
  lock.tryLock().unlock();
});

test('Threads and promises wait in one queue', async () => {
  await withAgents(2, async (first, second) => {
    const { words, lock, changed } = setUp();
    const consume = (buffer) => {
      const { AsyncLock: Lock, Condition: Changed } = require('../..');
      const items = new Int32Array(buffer);
      const own = new Lock(buffer);
      const found = new Changed(buffer, 4);
      const guard = own.lock();
      while (items[2] === 0) found.wait(guard);
      --items[2];
      ++items[3];
      guard.unlock();
      return guard.ownsLock;
    };
    const blocked = first.run(consume, words.buffer);
    await untilQueued(changed, 1);
    const guard = await lock.lockAsync();
    const wait = changed.waitAsync(guard);
    const last = second.run(consume, words.buffer);
    await untilQueued(changed, 3);

    const put = (count) => lock.executeLocked(() => {
      words[2] += count;
      return changed.notify(count);
    });
    assert.equal(await put(1), 1);
    assert.equal(await blocked, false);
    assert.equal(await stateOf(wait), pending);
    assert.equal(await put(2), 2);
    assert.equal(await wait, 'ok');
    --words[2];
    guard.unlock();
    await last;
    assert.deepEqual([words[2], words[3]], [0, 2]);
  });
});

test('A wait that times out, or is aborted, has the lock again before it ends', async () => {
  const { lock, changed } = setUp();
  const guard = lock.lock();
  assert.equal(changed.wait(guard, { timeout: 1 }), 'timed-out');
  assert.ok(guard.ownsLock);
  assert.equal(await changed.waitAsync(guard, { timeout: 1 }), 'timed-out');
  assert.ok(guard.ownsLock);
  assert.equal(await changed.waitAsync(guard, { timeout: 0 }), 'timed-out');
  assert.ok(guard.ownsLock);

  const controller = new AbortController();
  const wait = changed.waitAsync(guard, { signal: controller.signal });
  const other = lock.tryLock();
  const reason = new Error('enough');
  controller.abort(reason);
  await nextIteration();
  assert.equal(await stateOf(wait), pending);  // another owner holds the lock
  assert.equal(changed.waiters().length, 0);
  other.unlock();
  await assert.rejects(wait, reason);
  assert.ok(guard.ownsLock);

  await assert.rejects(changed.waitAsync(guard, { signal: controller.signal }), reason);
  assert.ok(guard.ownsLock);
  guard.unlock();
});

test('An abort after the notification does not take the lock away', async () => {
  for (const isHeld of [true, false]) {
    const { lock, changed } = setUp();
    const guard = lock.lock();
    const controller = new AbortController();
    const wait = changed.waitAsync(guard, { signal: controller.signal });
    const other = isHeld ? lock.tryLock() : undefined;
    changed.notify(1);
    controller.abort();
    other?.unlock();
    assert.equal(await wait, 'ok');
    assert.ok(guard.ownsLock);
    guard.unlock();
    lock.tryLock().unlock();
  }
});

test('A guard that is unlocked while it waits unlocks when the wait is over', async () => {
  const { lock, changed } = setUp();
  let wait;
  const error = { code: 'EPERM' };
  await assert.rejects(lock.executeLocked((guard) => {
    wait = changed.waitAsync(guard);
  }), error);
  changed.notify();
  assert.equal(await wait, 'ok');
  lock.tryLock().unlock();
});

test('Misuse is refused', async () => {
  const { words, lock, changed } = setUp();
  const guard = lock.lock();
  assert.throws(() => changed.wait(lock), { name: 'TypeError', message: /guard must be the guard of an AsyncLock, not an object/ });
  await assert.rejects(changed.waitAsync(undefined), { name: 'TypeError', message: /not undefined/ });
  assert.throws(() => changed.notify(0), RangeError);
  assert.throws(() => changed.notify('1'), TypeError);
  assert.throws(() => changed.wait(guard, { size: 1 }), TypeError);
  assert.ok(guard.ownsLock);
  guard.unlock();
  assert.throws(() => changed.wait(guard), { code: 'EPERM', message: 'Condition.wait: the guard does not hold the lock' });
  await assert.rejects(changed.waitAsync(guard), { code: 'EPERM' });

  setCanBlock(false);
  try {
    const held = lock.tryLock();
    assert.throws(() => changed.wait(held), { name: 'TypeError', message: /may not block/ });
    held.unlock();
  } finally {
    setCanBlock(true);
  }

  const own = lock.lock();
  const wait = changed.waitAsync(own);
  const different = new AsyncLock(words.buffer, 8).lock();
  await assert.rejects(changed.waitAsync(different), { message: /the waiters of this condition use another lock/ });
  assert.equal(different.ownsLock, false);
  changed.notify();
  assert.equal(await wait, 'ok');
  assert.equal(fromShared(toShared(changed)).byteOffset, 4);
});

test('A thread that ends while it waits leaves the queue, and its lock free', async () => {
  await withAgents(2, async (blocked, waiting) => {
    const { words, lock, changed } = setUp();
    blocked.run((buffer) => {
      const { AsyncLock: Lock, Condition: Changed } = require('../..');
      new Changed(buffer, 4).wait(new Lock(buffer).lock());
    }, words.buffer).catch(() => {});
    await untilQueued(changed, 1);
    await waiting.run((buffer) => {
      const { AsyncLock: Lock, Condition: Changed } = require('../..');
      new Changed(buffer, 4).waitAsync(new Lock(buffer).lock()).catch(() => {});
    }, words.buffer);
    await untilQueued(changed, 2);
    await Promise.all([blocked.terminate(), waiting.terminate()]);
    assert.equal(changed.waiters().length, 0);
    assert.equal(changed.notify(), 0);
    lock.lock({ timeout: 1000 }).unlock();
  });
});
