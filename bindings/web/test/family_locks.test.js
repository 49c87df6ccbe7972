// SPDX-License-Identifier: MIT
// Semaphore and SharedLock: what each of their functions promises.

import { canBlock, Semaphore, SharedLock, toShared } from '../index.js';
import { equal, fails, fresh, nextTask, stateOf, test, withActors } from './harness.js';

const dispose = Symbol.dispose ?? Symbol.for('nodejs.dispose');
const both = [false, true];
const wordsOf = ({ buffer }) => new Int32Array(buffer);
const claimOf = (primitive) => Atomics.load(wordsOf(primitive), 1);

/// Until the queue of another thread has been seen in the word.
async function untilQueued(primitive) {
  while (Atomics.load(wordsOf(primitive), 0) >= 0) await nextTask();
}

async function untilClaimed(primitive) {
  while (claimOf(primitive) === 0) await nextTask();
}

test('PermitsAreAcquiredAllAtOnceOrNotAtAll', async () => {
  const semaphore = fresh(Semaphore, { permits: 3 });
  const two = semaphore.tryAcquire(2);
  equal(two.count, 2);
  equal(semaphore.available, 1);
  equal(semaphore.tryAcquire(2), undefined);
  two.release();
  equal(two.count, 0);
  equal(semaphore.available, 3);
  await fails(() => two.release(), 'EPERM', /put back already/);
  two[dispose]();
  equal(semaphore.available, 3);
  const one = await semaphore.acquireAsync();
  equal(one.detach(), 1);
  one[dispose]();
  equal(semaphore.available, 2);
  semaphore.release();
  if (canBlock()) semaphore.acquire(2)[dispose]();
  equal(semaphore.available, 3);
});

test('ASemaphoreHasAMaximum', async () => {
  const semaphore = fresh(Semaphore, { permits: 1, maximum: 2 });
  equal(semaphore.maximum, 2);
  semaphore.release();
  await fails(() => semaphore.release(), 'RangeError', /Semaphore.release: the permits would be more than 2/);
  equal(semaphore.available, 2);
  await fails(() => semaphore.tryAcquire(3), 'RangeError', /from 1 to 2, not 3/);
  await fails(() => semaphore.acquireAsync(0), 'RangeError');
  await fails(() => semaphore.tryAcquire(1.5), 'RangeError');
  await fails(() => semaphore.tryAcquire({ timeout: 1 }), 'TypeError', /count must be number, not Object/);
  await fails(() => fresh(Semaphore, { permits: 3, maximum: 2 }), 'RangeError', /options.permits/);
  await fails(() => fresh(Semaphore, { maximum: 2 ** 31 }), 'RangeError', /options.maximum/);
  await fails(() => fresh(Semaphore, { permits: -1 }), 'RangeError', /options.permits/);
  await fails(() => fresh(Semaphore, { strict: 1 }), 'TypeError', /options.strict/);
  const most = 2 ** 31 - 1;
  const large = fresh(Semaphore, { permits: most });
  equal(large.maximum, most);
  const waiting = large.acquireAsync(most);
  equal((await waiting).count, most);
  const next = large.acquireAsync(most);
  large.release(most);
  equal((await next).count, most);
  equal(large.available, 0);
});

test('PromisesOfASemaphoreAreServedInTheirOrder', async () => {
  for (const strict of both) {
    const semaphore = fresh(Semaphore, { strict });
    const served = [];
    const waits = [1, 2, 1].map((count, i) => semaphore.acquireAsync(count).then(() => served.push(i)));
    semaphore.release();
    await waits[0];
    semaphore.release();
    equal(await stateOf(waits[1]), 'pending', 'two at once');
    equal(await stateOf(waits[2]), 'pending', 'does not overtake');
    semaphore.release(2);
    await Promise.all(waits);
    equal(served.join(), '0,1,2');
    equal(semaphore.available, 0);
  }
});

test('AnAttemptToAcquirePermitsTimesOutOrIsAborted', async () => {
  for (const strict of both) {
    const semaphore = fresh(Semaphore, { strict });
    await fails(() => semaphore.acquireAsync(1, { timeout: 0 }), 'TimeoutError', /Semaphore.acquireAsync: there are too few permits/);
    const { stack } = await fails(() => semaphore.acquireAsync(1, { timeout: 1 }), 'TimeoutError');
    equal(stack === undefined || stack.includes('family_locks'), true, stack);
    if (canBlock()) {
      await fails(() => semaphore.acquire(1, { timeout: 0 }), 'TimeoutError', /Semaphore.acquire: there/);
      await fails(() => semaphore.acquire(1, { timeout: 10 }), 'TimeoutError');
    }
    const reason = new Error('enough');
    const abortion = new AbortController();
    const aborted = semaphore.acquireAsync(2, { signal: abortion.signal }).catch((error) => error);
    const next = semaphore.acquireAsync();
    semaphore.release();
    equal(await stateOf(next), 'pending');
    abortion.abort(reason);
    equal(await aborted, reason);
    equal((await next).count, 1, 'needs less');
    equal(await semaphore.acquireAsync(1, { signal: abortion.signal }).catch((error) => error), reason);
    equal(claimOf(semaphore), 0);
  }
});

test('AnAbortThatRacesARelease', async () => {
  const semaphore = fresh(Semaphore);
  const abortion = new AbortController();
  const attempt = semaphore.acquireAsync(1, { signal: abortion.signal }).then(() => 1, () => 0);
  const next = semaphore.acquireAsync();
  semaphore.release();
  abortion.abort();
  equal(await attempt, 0);
  equal((await next).count, 1);
  equal(semaphore.available, 0);
});

test('AWorkerAndAPromiseWaitForPermits', () => withActors(1, async (actor) => {
  for (const strict of both) {
    const semaphore = fresh(Semaphore, { strict });
    const there = actor.run('call', toShared(semaphore), 'acquire', 2);
    await untilQueued(semaphore);
    const here = semaphore.acquireAsync();
    semaphore.release(3);
    equal(await there, 2);
    equal((await here).count, 1);
    equal(semaphore.available, 0);
  }
}));

test('ABigRequestIsServedAmongSmallOnes', async () => {
  for (const strict of both) {
    const semaphore = fresh(Semaphore, { permits: 2, strict });
    const one = semaphore.tryAcquire();
    const big = semaphore.acquireAsync(2);
    for (let other; (other = semaphore.tryAcquire()) !== undefined;) {
      other.release();
      await nextTask();
    }
    equal(claimOf(semaphore) !== 0, true, 'claimed');
    one.release();
    equal((await big).count, 2);
    equal(claimOf(semaphore), 0);
  }
});

test('ManyReadersHoldItOrOneWriter', async () => {
  const lock = fresh(SharedLock);
  const readers = [await lock.lockSharedAsync(), lock.tryLockShared()];
  equal(readers[1].isShared, true);
  equal(lock.tryLock(), undefined);
  for (const reader of readers) reader.unlock();
  const writer = canBlock() ? lock.lock() : await lock.lockAsync();
  equal(writer.isShared, false);
  equal(writer.ownsLock, true);
  equal(lock.tryLockShared(), undefined);
  equal(lock.tryLock(), undefined);
  writer[dispose]();
  writer[dispose]();
  equal(writer.ownsLock, false);
  await fails(() => writer.unlock(), 'EPERM', /does not hold the lock/);
  if (canBlock()) lock.lockShared({ timeout: 1 }).unlock();
  lock.tryLock().unlock();
  equal(wordsOf(lock).join(), '0,0');
});

test('AWriterBecomesAReaderWithoutAGap', async () => {
  const lock = fresh(SharedLock);
  const writer = lock.tryLock();
  const behind = lock.lockSharedAsync();
  const reader = writer.downgrade();
  equal(writer.ownsLock, false);
  equal(reader.isShared, true);
  equal(lock.tryLock(), undefined);
  (await behind).unlock();
  await fails(() => reader.downgrade(), 'EPERM');
  await fails(() => writer.downgrade(), 'EPERM');
  reader.unlock();
  lock.tryLock().unlock();
});

test('ReadersAndWritersOfThreadsAndPromisesWait', () => withActors(1, async (actor) => {
  for (const strict of both) {
    const lock = fresh(SharedLock, { strict });
    const held = lock.tryLock();
    const there = actor.run('lockAndUnlock', toShared(lock), 'lockShared');
    await untilQueued(lock);
    const reader = lock.lockSharedAsync();
    const writer = lock.lockAsync();
    held.unlock();
    equal(await there, true);
    equal(await stateOf(writer), 'pending');
    (await reader).unlock();
    const alone = await writer;
    const behind = actor.run('lockAndUnlock', toShared(lock), 'lock');
    await untilQueued(lock);
    alone.unlock();
    equal(await behind, false);
    lock.tryLock().unlock();
  }
}));

test('ACallbackRunsWithTheLockHeld', async () => {
  const lock = fresh(SharedLock);
  equal(await lock.executeLockedShared(async (guard) => {
    await nextTask();
    equal(lock.tryLock(), undefined);
    return guard.isShared;
  }), true);
  await fails(() => lock.executeLocked(() => { throw new RangeError('its own'); }), 'RangeError', /its own/);
  equal(await lock.executeLocked((guard) => (guard.unlock(), 7)), 7);
  await fails(() => lock.executeLocked(7), 'TypeError', /SharedLock.executeLocked: callback must be function/);
  lock.tryLock().unlock();
});

test('AnAttemptToLockTimesOutOrIsAborted', async () => {
  for (const strict of both) {
    const lock = fresh(SharedLock, { strict });
    const held = lock.tryLock();
    await fails(() => lock.lockAsync({ timeout: 1 }), 'TimeoutError', /SharedLock.lockAsync: the lock is still held/);
    await fails(() => lock.executeLockedShared(() => 1, { timeout: 0 }), 'TimeoutError', /SharedLock.executeLockedShared/);
    if (canBlock()) {
      await fails(() => lock.lock({ timeout: 0 }), 'TimeoutError', /SharedLock.lock:/);
      await fails(() => lock.lockShared({ timeout: 10 }), 'TimeoutError');
    }
    const reason = new Error('enough');
    const abortion = new AbortController();
    const aborted = lock.lockSharedAsync({ signal: abortion.signal }).catch((error) => error);
    await untilClaimed(lock);
    abortion.abort(reason);
    equal(await aborted, reason);
    equal(claimOf(lock), 0, 'the claim');
    held.unlock();
    lock.tryLock().unlock();
  }
});

test('AWriterIsServedAmongReadersAndAReaderAmongWriters', async () => {
  const lock = fresh(SharedLock);
  const reader = lock.tryLockShared();
  const writing = lock.lockAsync();
  for (let other; (other = lock.tryLockShared()) !== undefined;) {
    other.unlock();
    await nextTask();
  }
  reader.unlock();
  const writer = await writing;
  const reading = lock.lockSharedAsync();
  await untilClaimed(lock);
  writer.unlock();
  equal(lock.tryLock(), undefined, 'claimed by the reader, or held by it');
  (await reading).unlock();
  (await lock.lockAsync()).unlock();
});

test('AClaimOfAThreadThatHasEndedIsVoid', () => withActors(2, async (one, other) => {
  const semaphore = fresh(Semaphore, { strict: true });
  one.run('callForEver', toShared(semaphore), 'acquireAsync', 5).catch(() => {});
  await untilClaimed(semaphore);
  await one.end();
  const there = other.run('call', toShared(semaphore), 'acquire');
  const here = semaphore.acquireAsync();
  semaphore.release(2);
  equal(await there, 1);
  equal((await here).count, 1);
}));

test('AClaimantThatCannotTakeYetKeepsItsClaim', async () => {
  const semaphore = fresh(Semaphore, { permits: 1, strict: true });
  const big = semaphore.acquireAsync(2);
  const claim = claimOf(semaphore);
  equal(semaphore.tryAcquire(), undefined, 'kept out');
  equal(claimOf(semaphore) !== claim, true, 'has a deadline');
  while (claimOf(semaphore) !== claim) await nextTask();
  semaphore.release();
  equal((await big).count, 2);
});

test('TheLongestWaitIsNextEvenIfAnotherHasLaidAClaim', async () => {
  const one = fresh(Semaphore, { strict: true });
  const other = new Semaphore(one.buffer);
  const served = [];
  /// The claim of each is of two milliseconds of its own.
  const acquire = (semaphore, name) => {
    for (const before = Date.now() >> 1; Date.now() >> 1 === before;);
    return semaphore.acquireAsync().then(() => served.push(name));
  };
  const first = acquire(one, 'first');
  const claim = claimOf(one);
  const waits = [first, acquire(other, 'second'), acquire(one, 'third')];
  equal(claimOf(one), claim);
  one.release();
  await first;
  await stateOf(Promise.all(waits));  // whichever of the two has laid the claim first, it is the second's now
  equal(claimOf(one) !== 0 && claimOf(one) !== claim, true);
  one.release();
  await Promise.race(waits.slice(1));
  one.release();
  await Promise.all(waits);
  equal(served.join(), 'first,second,third');
});

test('AThreadBlocksThoughItsOwnPromiseIsBeforeIt', () => withActors(1, async (actor) => {
  for (const strict of both) {
    const semaphore = fresh(Semaphore, { strict });
    const end = actor.run('blockBehindOwn', toShared(semaphore));
    await actor.told('waits');
    semaphore.release();
    await end;
    equal(semaphore.available, 1);
  }
}));

test('WhoWaitsInAThreadThatEndsTakesNothing', () => withActors(2, async (...actors) => {
  const semaphore = fresh(Semaphore);
  for (const [i, name] of ['acquire', 'acquireAsync'].entries()) {
    // It asks for more than there will be: a browser ends a worker some time after the call, and it could take what there is.
    actors[i].run('callForEver', toShared(semaphore), name, 5).catch(() => {});
    await untilClaimed(semaphore);
    const here = semaphore.acquireAsync();
    await actors[i].end();
    semaphore.release();
    equal((await here).count, 1);
  }
}));

test('ManyOperationsLeaveNothingBehind', async () => {
  const semaphore = fresh(Semaphore, { permits: 1 });
  const lock = fresh(SharedLock);
  for (let i = 0; i < 500; ++i) {
    const permits = await semaphore.acquireAsync();
    const behind = semaphore.acquireAsync();
    permits.release();
    (await behind).release();
    const reader = await lock.lockSharedAsync();
    const writer = lock.lockAsync({ timeout: 1e6 });
    reader.unlock();
    (await writer).unlock();
  }
  equal(semaphore.available, 1);
  equal(claimOf(semaphore), 0);
  equal(wordsOf(lock)[0] & 0x7fffffff, 0);
});
