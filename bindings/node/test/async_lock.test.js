// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// AsyncLock: what each of its functions promises.

const assert = require('node:assert/strict');
const { AsyncLock, waiters } = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32, nextIteration, pending, stateOf, untilWaiting } = require('./support/wait_queue');

const dispose = Symbol.dispose ?? Symbol.for('nodejs.dispose');

function fresh() {
  const words = int32();
  return { words, lock: new AsyncLock(words.buffer) };
}

test('tryLock locks if the lock is free', () => {
  const { words, lock } = fresh();

  assert.ok(lock.tryLock());
  assert.equal(words[0], 1);
  assert.equal(lock.tryLock(), undefined);
  lock.unlock();
  assert.equal(words[0], 0);
});

test('lock returns a guard that unlocks, once', () => {
  const { words, lock } = fresh();

  const guard = lock.lock();
  assert.equal(guard.ownsLock, true);
  assert.equal(words[0], 1);
  guard.unlock();
  assert.equal(guard.ownsLock, false);
  assert.equal(words[0], 0);
  assert.throws(() => guard.unlock(), { code: 'EPERM' });
});

test('Disposing a guard unlocks, or does nothing after unlock', () => {
  const { words, lock } = fresh();

  lock.lock()[dispose]();
  assert.equal(words[0], 0);

  const guard = lock.lock();
  guard.unlock();
  lock.lock();
  guard[dispose]();
  assert.equal(words[0], 1);
});

test('unlock throws if the lock is not held, and does not change the word', () => {
  const { words, lock } = fresh();

  assert.throws(() => lock.unlock(), { name: 'Error', code: 'EPERM', message: /is not held/ });
  assert.equal(words[0], 0);
});

test('AsyncLock objects of the same bytes are one lock, those of other bytes are not', () => {
  const words = int32();
  const [first, second, other] = [0, 0, 4].map((offset) => new AsyncLock(words.buffer, offset));

  first.lock();

  assert.equal(second.tryLock(), undefined);
  assert.ok(other.tryLock());
  second.unlock();
  assert.ok(first.tryLock());
});

test('executeLocked runs its callback at once if the lock is free', async () => {
  const { words, lock } = fresh();
  let seen;

  const promise = lock.executeLocked(() => {
    seen = words[0];
    return 42;
  });

  assert.equal(seen, 1);
  assert.equal(words[0], 0);
  assert.equal(await promise, 42);
});

test('executeLocked runs its callback later, in queue order, if the lock is held', async () => {
  const { lock } = fresh();
  const order = [];
  lock.lock();
  const promises = [1, 2, 3].map((i) => lock.executeLocked(() => order.push(i)));
  assert.deepEqual(order, []);

  lock.unlock();
  await Promise.all(promises);

  assert.deepEqual(order, [1, 2, 3]);
});

test('executeLocked holds the lock until the promise of its callback has settled', async () => {
  const { words, lock } = fresh();
  let finish;
  const promise = lock.executeLocked(() => new Promise((resolve) => (finish = resolve)));

  await nextIteration();
  assert.equal(words[0], 1);
  finish('done');

  assert.equal(await promise, 'done');
  assert.equal(words[0], 0);
});

test('An exception of the callback releases the lock and rejects the promise', async () => {
  const { words, lock } = fresh();

  await assert.rejects(lock.executeLocked(() => { throw new EvalError('sync'); }), EvalError);
  await assert.rejects(lock.executeLocked(async () => { throw new EvalError('async'); }), EvalError);

  assert.equal(words[0], 0);
});

test('executeLocked throws a TypeError for a callback that is not a function', async () => {
  const { lock } = fresh();
  await assert.rejects(lock.executeLocked(1), { name: 'TypeError', message: /callback/ });
});

test('lockAsync gives a guard at once if the lock is free, else when it is released', async () => {
  const { words, lock } = fresh();
  const first = await lock.lockAsync();
  assert.equal(first.ownsLock, true);
  const second = lock.lockAsync();
  assert.equal(await stateOf(second), pending);

  first.unlock();

  const guard = await second;
  assert.equal(words[0] & 1, 1);
  guard.unlock();
  assert.ok(lock.tryLock());
});

test('lockAsync rejects when its time-out is over, and is dequeued', async () => {
  const { words, lock } = fresh();
  lock.lock();

  await assert.rejects(lock.lockAsync({ timeout: 1 }), { name: 'TimeoutError' });
  await assert.rejects(lock.lockAsync({ timeout: 0 }), { name: 'TimeoutError' });

  assert.equal(waiters(words, 0).length, 0);
  lock.unlock();
  assert.ok(lock.tryLock());
});

test('lockAsync rejects when its signal aborts, and the next waiter gets the lock', async () => {
  const { lock } = fresh();
  const controller = new AbortController();
  lock.lock();
  const aborted = lock.lockAsync({ signal: controller.signal });
  const next = lock.lockAsync();

  controller.abort();
  lock.unlock();

  await assert.rejects(aborted, { name: 'AbortError' });
  (await next).unlock();
  await assert.rejects(lock.lockAsync({ signal: controller.signal }), { name: 'AbortError' });
  assert.ok(lock.tryLock());
});

test('An abort after the unlock that woke lockAsync has no effect', async () => {
  const { lock } = fresh();
  const controller = new AbortController();
  lock.lock();
  const promise = lock.lockAsync({ signal: controller.signal });

  lock.unlock();
  controller.abort();

  assert.equal((await promise).ownsLock, true);
});

test('lockAsync locks a free lock even if its time-out is not positive', async () => {
  const { lock } = fresh();
  (await lock.lockAsync({ timeout: 0 })).unlock();
  (await lock.lockAsync({ timeout: -1 })).unlock();
});

test('A thousand waiters acquire the lock one at a time', async () => {
  const { words, lock } = fresh();
  lock.lock();
  let inside = 0;
  const promises = Array.from({ length: 1000 }, async () => {
    const guard = await lock.lockAsync();
    assert.equal(++inside, 1);
    await null;
    --inside;
    guard.unlock();
  });
  assert.equal(waiters(words, 0).length, 1000);

  lock.unlock();
  await Promise.all(promises);

  assert.ok(lock.tryLock());
});

test('A blocked worker and a promise wait in one queue', () =>
  withAgents(1, async (agent) => {
    const { words, lock } = fresh();
    lock.lock();
    const blocked = agent.run((words) => {
      const { AsyncLock } = require('../..');
      const lock = new AsyncLock(words.buffer);
      lock.lock();
      words[1] = words[1] * 10 + 1;
      lock.unlock();
    }, words);
    await untilWaiting(words, 0, 1);
    const promise = lock.executeLocked(() => (words[1] = words[1] * 10 + 2));
    assert.equal(waiters(words, 0).length, 2);

    lock.unlock();
    await Promise.all([blocked, promise]);

    assert.ok(words[1] === 12 || words[1] === 21);  // the waiter that is woken first may find that the other has barged
    assert.equal(words[0] & 1, 0);
  }));

test('A lock whose word is initialized with 8 is handed off to the first waiter at each unlock', async () => {
  const { words, lock } = fresh();
  words[0] = 8;
  lock.lock();
  const order = [];
  const promises = [1, 2, 3].map((i) => lock.executeLocked(() => order.push(i)));

  lock.unlock();
  assert.equal(lock.tryLock(), undefined);
  await Promise.all(promises);

  assert.deepEqual(order, [1, 2, 3]);
  assert.ok(lock.tryLock());
  lock.unlock();
  assert.equal(words[0] & 9, 8);
});

test('An invalid buffer or offset throws an error that names it', () => {
  for (const buffer of [undefined, null, new ArrayBuffer(8), int32(), {}])
    assert.throws(() => new AsyncLock(buffer), { name: 'TypeError', message: /buffer/ });
  for (const offset of [-4, 1, 2, 16, 1e9, NaN, Infinity, 0.5])
    assert.throws(() => new AsyncLock(int32().buffer, offset), { name: 'RangeError', message: /byteOffset/ });
  for (const offset of [null, '0', 0n, Symbol()])
    assert.throws(() => new AsyncLock(int32().buffer, offset), { name: 'TypeError', message: /byteOffset/ });
  assert.throws(() => new AsyncLock(new SharedArrayBuffer(0)), RangeError);
  assert.throws(() => AsyncLock(int32().buffer), TypeError);
});

test('lockAsync rejects invalid options with a TypeError that names them', async () => {
  const { words, lock } = fresh();
  await assert.rejects(lock.lockAsync(null), { name: 'TypeError', message: /options/ });
  await assert.rejects(lock.lockAsync({ signal: 1 }), { name: 'TypeError', message: /options\.signal/ });
  await assert.rejects(lock.lockAsync({ timeout: 1n }), { name: 'TypeError', message: /timeout/ });
  assert.equal(words[0], 0);
});

test('A then on Object.prototype does not keep lockAsync from giving its guard', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  lock.lock();
  Object.defineProperty(Object.prototype, 'then', {
    configurable: true,
    get() {
      if (this?.constructor?.name === 'AsyncLockGuard') throw new Error('on purpose');
      return undefined;
    },
  });
  try {
    const waiting = lock.lockAsync();
    lock.unlock();
    (await waiting).unlock();
  } finally {
    delete Object.prototype.then;
  }
  assert.ok(lock.tryLock());
});

test('A guard and executeLocked unlock even if the program has replaced AsyncLock.prototype.unlock', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  const { unlock } = AsyncLock.prototype;
  AsyncLock.prototype.unlock = () => {};
  try {
    lock.lock().unlock();
    assert.equal(await lock.executeLocked(() => 1), 1);
  } finally {
    AsyncLock.prototype.unlock = unlock;
  }
  assert.ok(lock.tryLock());
});

test('executeLocked rejects with the exception of a callback that has unlocked the lock itself', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  await assert.rejects(lock.executeLocked(() => {
    lock.unlock();
    throw new Error('on purpose');
  }), { message: 'on purpose' });
  await assert.rejects(lock.executeLocked(() => lock.unlock()), { code: 'EPERM' });
  assert.ok(lock.tryLock());
});
