// SPDX-License-Identifier: MIT
// The lock of C++, held by threads of C++, by threads of JavaScript and by the page.

import { connect } from '../../../bindings/web/module.js';
import { equal, fails, nextTask, test } from '../../../bindings/web/test/harness.js';
import { withActors } from './actors.js';
import { memoryOf } from './memory.js';

const HELD = 1;

export function testLock(Module) {
  const { waitAsync, notify, AsyncLock, waiters } = connect(Module);
  const { makeWords, makeList } = memoryOf(Module);
  const makeLock = (options) => {
    const words = makeWords();
    return new AsyncLock(words.buffer, words.byteOffset, options);
  };
  const wordsOf = (lock) => new Int32Array(lock.buffer, lock.byteOffset, 1);
  const wordOf = (lock) => Atomics.load(wordsOf(lock), 0);

  async function untilWaiting(lock, count) {
    while (waiters(wordsOf(lock), 0).length !== count) await nextTask();
  }

  test('AFreeLockIsZeroAndIsTakenAtOnce', async () => {
    const lock = makeLock();
    equal(lock.tryLock() !== undefined, true);
    equal(new AsyncLock(lock.buffer, lock.byteOffset).tryLock(), undefined);
    equal(wordOf(lock), HELD);
    lock.unlock();
    equal(wordOf(lock), 0);
    equal(lock.wasAbandoned, false);
    await fails(() => lock.unlock(), 'EPERM', /not held/);
  });

  test('AGuardReleasesItsOwnAcquisitionOnly', () => withActors(Module, 1, async (actor) => {
    const lock = makeLock();
    const old = await lock.lockAsync();
    equal(old.ownsLock, true);
    equal(await actor.run('unlock', lock.byteOffset), undefined);  // any thread may
    equal(old.ownsLock, false);
    const guard = await lock.lockAsync();
    equal(old.ownsLock, false);
    await fails(() => old.unlock(), 'EPERM', /guard/);
    equal(guard.ownsLock, true);
    equal(guard.wasAbandoned, false);
    guard[Symbol.dispose ?? Symbol.for('nodejs.dispose')]();
    guard[Symbol.dispose ?? Symbol.for('nodejs.dispose')]();
    equal(wordOf(lock), 0);
    await actor.run('lock', lock.byteOffset);
    await fails(() => old.unlock(), 'EPERM', /guard/);
    equal(old.ownsLock || guard.ownsLock, false);
    lock.unlock();
    equal(/^EPERM/.test(await actor.run('unlock', lock.byteOffset)), true);
  }));

  test('AGuardOfALockThatCppHasReleasedOwnsTheNextOneNot', async () => {
    const lock = makeLock();
    const old = await lock.lockAsync();
    equal(Module._test_try_unlock(lock.byteOffset), 1);
    const guard = await lock.lockAsync();
    equal(old.ownsLock, false);
    await fails(() => old.unlock(), 'EPERM');
    guard.unlock();
  });

  test('APromiseThatIsOverLeavesTheNextOneAlone', async () => {
    const outer = makeLock();
    const other = makeLock();
    equal(other.tryLock() !== undefined, true);
    let next;
    await outer.executeLocked(async () => {
      const over = outer.lockAsync({ timeout: 1 });
      over.catch(() => {});
      while (waiters(wordsOf(outer), 0).length > 0) await nextTask();
      next = other.lockAsync();  // where the other was
      await untilWaiting(other, 1);
      await fails(() => over, 'TimeoutError');
      equal(waiters(wordsOf(other), 0).length, 1);
    });
    other.unlock();
    (await next).unlock();
  });

  test('ManyLocksAreHeldAtATime', async () => {
    const locks = Array.from({ length: 100 }, () => makeLock());
    const guards = [];
    for (const lock of locks) guards.push(await lock.lockAsync());
    equal(guards.every((guard) => guard.ownsLock), true);
    for (const guard of guards) guard.unlock();
    equal(locks.some((lock) => wordOf(lock) !== 0), false);
  });

  test('AThreadIsToldThatItHoldsTheLock', () => withActors(Module, 1, async (actor) => {
    const lock = makeLock();
    const [again, timed, signal, owns, ownsAfter, twice] = await actor.run('lockTwice', lock.byteOffset);
    equal(/^EDEADLK.*holds the lock already/.test(again), true, again);
    equal(/^TimeoutError|^23/.test(timed), true, timed);
    equal(/useless/.test(signal), true, signal);
    equal(owns, true);
    equal(ownsAfter, false);
    equal(/^EPERM/.test(twice), true, twice);
  }));

  test('ExecuteLockedHoldsTheLockForItsCallback', async () => {
    const lock = makeLock();
    let isRun = false;
    const promise = lock.executeLocked(() => {
      isRun = true;
      return 7;
    });
    equal(isRun, true);
    equal(await promise, 7);
    equal(await lock.executeLocked(async () => {
      await undefined;
      return wordOf(lock) & HELD;
    }), HELD);
    const error = new RangeError('of the callback');
    equal(await lock.executeLocked(() => { throw error; }).catch((caught) => caught), error);
    equal(await lock.executeLocked(() => Promise.reject(error)).catch((caught) => caught), error);
    equal(wordOf(lock), 0);
    await fails(() => lock.executeLocked(() => lock.unlock()), 'EPERM', /callback/);
    await fails(() => lock.executeLocked(1), 'TypeError', /callback/);
  });

  test('ACallbackThatWaitsForItsOwnLockIsRefused', async () => {
    const lock = makeLock();
    await fails(() => lock.executeLocked(() => lock.executeLocked(() => 1)), 'EDEADLK', /callback/);
    await fails(() => lock.executeLocked(async () => { await lock.lockAsync(); }), 'EDEADLK', /callback/);
    equal(waiters(wordsOf(lock), 0).length, 0);
    const same = new AsyncLock(structuredClone(lock.buffer), lock.byteOffset);
    await fails(() => lock.executeLocked(async () => { await same.lockAsync(); }), 'EDEADLK', /callback/);
    let later;
    await lock.executeLocked(() => { later = lock.executeLocked(() => 2); });
    equal(await later, 2);
    equal(wordOf(lock) & HELD, 0);
  });

  test('PromisesAreServedInTheirOrder', async () => {
    for (const strict of [false, true]) {
      const lock = makeLock({ strict });
      const guard = await lock.lockAsync();
      const served = [];
      const waits = [0, 1, 2, 3, 4].map((i) => lock.executeLocked(() => void served.push(i)));
      guard.unlock();
      await Promise.all(waits);
      equal(served.join(), '0,1,2,3,4');
      equal(wordOf(lock) & HELD, 0);
    }
  });

  test('AStrictLockServesThreadsInTheirOrder', async () => {
    const lock = makeLock({ strict: true });
    const list = makeList();
    const guard = await lock.lockAsync();
    for (let i = 1; i <= 3; ++i) {
      Module._test_lock(lock.byteOffset, list.address, i);
      await untilWaiting(lock, i);
    }
    const last = lock.executeLocked(() => list.append(4));
    equal(waiters(wordsOf(lock), 0).map(({ kind }) => kind).join(), 'native,native,native,lockAsync');
    guard.unlock();
    await last;
    equal(list.read().join(), '1,2,3,4');
  });

  test('StrictIsOfTheLockAndRefusedOnceItIsUsed', async () => {
    const plain = makeLock();
    plain.tryLock();
    await fails(() => new AsyncLock(plain.buffer, plain.byteOffset, { strict: true }), 'Error', /strict/);
    plain.unlock();
    const lock = makeLock({ strict: true });
    equal(wordOf(lock), 8);
    equal(lock.tryLock() !== undefined, true);
    new AsyncLock(lock.buffer, lock.byteOffset, { strict: true }).unlock();
    equal(wordOf(lock), 8);
  });

  test('AnAttemptTimesOutOrIsAborted', async () => {
    for (const strict of [false, true]) {
      const lock = makeLock({ strict });
      const guard = await lock.lockAsync();
      await fails(() => lock.lockAsync({ timeout: 1 }), 'TimeoutError', /still held/);
      await fails(() => lock.executeLocked(() => { throw new Error('was run'); }, { timeout: 0 }), 'TimeoutError');
      const abortion = new AbortController();
      const reason = new Error('enough');
      const attempts = [1, 2, 3].map(() => lock.lockAsync({ signal: abortion.signal }).catch((error) => error));
      const next = lock.lockAsync();
      equal(waiters(wordsOf(lock), 0).length, 4);
      abortion.abort(reason);
      equal(waiters(wordsOf(lock), 0).length, 1, 'they have left at once');
      for (const error of await Promise.all(attempts)) equal(error, reason);
      equal(await lock.lockAsync({ signal: abortion.signal }).catch((error) => error), reason);
      guard.unlock();
      (await next).unlock();
      (await lock.lockAsync()).unlock();
    }
  });

  test('AnAbortPassesOnWhatWasUnderWay', async () => {
    for (const strict of [false, true]) {
      const lock = makeLock({ strict });
      const guard = await lock.lockAsync();
      const abortion = new AbortController();
      const first = lock.lockAsync({ signal: abortion.signal }).catch((error) => error.name);
      const next = lock.lockAsync();
      guard.unlock();  // wakes the first
      abortion.abort();
      equal(await first, 'AbortError');
      (await next).unlock();
      equal(wordOf(lock) & HELD, 0);
    }
  });

  test('ALockThatCppHoldsIsWaitedFor', async () => {
    const lock = makeLock();
    const list = makeList();
    const until = makeWords();
    Module._test_hold(lock.byteOffset, list.address, 1, until.byteOffset);
    await list.until(1, waitAsync);
    equal(lock.tryLock(), undefined);
    const next = lock.lockAsync();
    Atomics.store(until, 0, 1);
    notify(until, 0);
    (await next).unlock();
  });

  for (const strict of [false, true]) {
    test(`OneOwnerAtATime${strict ? 'OfAStrictLock' : ''}`, () => withActors(Module, 2, async (...actors) => {
      const lock = makeLock({ strict });
      const counter = makeWords();
      const list = makeList();
      const ends = actors.map((actor) => actor.run('contend', lock.byteOffset, counter.byteOffset, 200));
      for (let i = 0; i < 3; ++i) Module._test_contend(lock.byteOffset, counter.byteOffset, 2000, list.address);
      for (let i = 0; i < 200; ++i) {
        await lock.executeLocked(async () => {
          const value = counter[0];
          if (i % 10 === 0) await undefined;
          counter[0] = value + 1;
        });
      }
      await Promise.all(ends);
      await list.until(3, waitAsync);
      equal(counter[0], 6600);
      equal(wordOf(lock) & HELD, 0);
    }));
  }

  test('ArgumentsOfALockAreNamedThatCannotBeTaken', async () => {
    const { buffer } = makeLock();
    await fails(() => new AsyncLock(new ArrayBuffer(4)), 'TypeError', /SharedArrayBuffer/);
    await fails(() => new AsyncLock(buffer, '0'), 'TypeError', /byteOffset/);
    for (const at of [-4, 2, buffer.byteLength, NaN, Infinity])
      await fails(() => new AsyncLock(buffer, at), 'RangeError', /byteOffset/);
    await fails(() => makeLock({ fair: true }), 'TypeError', /fair/);
    await fails(() => makeLock({ strict: 1 }), 'TypeError', /strict/);
    const lock = makeLock();
    await fails(() => AsyncLock.prototype.tryLock.call({}), 'TypeError', /this/);
    await fails(() => AsyncLock.prototype.lockAsync.call({}), 'TypeError', /this/);
    await fails(() => lock.lockAsync({ timeout: 'x' }), 'TypeError', /timeout/);
    await fails(() => structuredClone(lock), 'DataCloneError');
  });
}
