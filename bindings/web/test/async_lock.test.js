// SPDX-License-Identifier: MIT
import { AsyncLock, canBlock, notify } from '../index.js';
import { equal, fails, nextTask, test, withActors } from './harness.js';

const makeBuffer = () => new SharedArrayBuffer(64);
const wordOf = (buffer) => Atomics.load(new Int32Array(buffer), 0);
const HELD = 1;
const RESERVED = 32;
const FROM = 255 << 9;

function set(buffer, at) {
  const word = new Int32Array(buffer, at, 1);
  Atomics.store(word, 0, 1);
  notify(word, 0);
}

test('AFreeLockIsZeroAndIsTakenAtOnce', async () => {
  const buffer = makeBuffer();
  const lock = new AsyncLock(buffer, 4);
  equal(lock.buffer, buffer);
  equal(lock.byteOffset, 4);
  equal(lock.tryLock() !== undefined, true);
  equal(new AsyncLock(buffer, 4).tryLock(), undefined);
  equal(new AsyncLock(buffer).tryLock() !== undefined, true);
  lock.unlock();
  equal(Atomics.load(new Int32Array(buffer), 1), 0);
  equal(lock.wasAbandoned, false);
  await fails(() => lock.unlock(), 'EPERM', /not held/);
});

test('BlockingIsForAThreadThatMay', async () => {
  const lock = new AsyncLock(makeBuffer());
  if (!canBlock()) return void await fails(() => lock.lock(), 'TypeError', /lockAsync/);
  const guard = lock.lock();
  await fails(() => lock.lock(), 'EDEADLK', /holds the lock already/);
  await fails(() => new AsyncLock(lock.buffer).lock(), 'EDEADLK');
  await fails(() => lock.lock({ timeout: 1 }), 'TimeoutError');
  await fails(() => lock.lock({ signal: new AbortController().signal }), 'TypeError', /useless/);
  guard.unlock();
  lock.lock({ timeout: 5 }).unlock();
  equal(wordOf(lock.buffer), 0);
});

test('AGuardReleasesItsOwnAcquisitionOnly', async () => {
  const lock = new AsyncLock(makeBuffer());
  const old = await lock.lockAsync();
  equal(old.ownsLock, true);
  lock.unlock();
  equal(old.ownsLock, false);
  const guard = await lock.lockAsync();
  equal(old.ownsLock, false);
  await fails(() => old.unlock(), 'EPERM', /guard/);
  equal(guard.ownsLock, true);
  equal(guard.wasAbandoned, false);
  guard[Symbol.dispose ?? Symbol.for('nodejs.dispose')]();
  guard[Symbol.dispose ?? Symbol.for('nodejs.dispose')]();
  equal(wordOf(lock.buffer), 0);
});

test('ExecuteLockedHoldsTheLockForItsCallback', async () => {
  const lock = new AsyncLock(makeBuffer());
  let isRun = false;
  const promise = lock.executeLocked(() => {
    isRun = true;
    return 7;
  });
  equal(isRun, true);
  equal(await promise, 7);
  equal(await lock.executeLocked(async () => {
    await undefined;
    return wordOf(lock.buffer) & HELD;
  }), HELD);
  const error = new RangeError('of the callback');
  equal(await lock.executeLocked(() => { throw error; }).catch((caught) => caught), error);
  equal(await lock.executeLocked(() => Promise.reject(error)).catch((caught) => caught), error);
  equal(wordOf(lock.buffer), 0);
  await fails(() => lock.executeLocked(() => lock.unlock()), 'EPERM', /callback/);
  await fails(() => lock.executeLocked(1), 'TypeError', /callback/);
});

test('ACallbackThatWaitsForItsOwnLockIsRefused', async () => {
  const lock = new AsyncLock(makeBuffer());
  await fails(() => lock.executeLocked(() => lock.executeLocked(() => 1)), 'EDEADLK', /callback/);
  await fails(() => lock.executeLocked(async () => { await lock.lockAsync(); }), 'EDEADLK', /callback/);
  let later;
  await lock.executeLocked(() => { later = lock.executeLocked(() => 2); });
  equal(await later, 2);
  equal(wordOf(lock.buffer) & HELD, 0);
});

test('WaitersOfALockAreServedInTheirOrder', async () => {
  for (const strict of [false, true]) {
    const lock = new AsyncLock(makeBuffer(), 0, { strict });
    const guard = await lock.lockAsync();
    const served = [];
    const waits = [0, 1, 2, 3, 4].map((i) => lock.executeLocked(() => void served.push(i)));
    guard.unlock();
    await Promise.all(waits);
    if (Atomics.waitAsync !== undefined) equal(served.join(), '0,1,2,3,4');
    equal(served.length, 5);
    equal(wordOf(lock.buffer) & HELD, 0);
  }
});

test('StrictIsOfTheLockAndRefusedOnceItIsUsed', async () => {
  const buffer = makeBuffer();
  const plain = new AsyncLock(buffer, 4);
  plain.tryLock();
  await fails(() => new AsyncLock(buffer, 4, { strict: true }), 'Error', /strict/);
  const lock = new AsyncLock(buffer, 0, { strict: true });
  equal(wordOf(buffer), 4);
  equal(lock.tryLock() !== undefined, true);
  new AsyncLock(buffer, 0, { strict: true }).unlock();
  equal(wordOf(buffer), 4);
  equal(await lock.executeLocked(() => 1), 1);
});

test('AnAttemptTimesOutOrIsAborted', async () => {
  for (const strict of [false, true]) {
    const lock = new AsyncLock(makeBuffer(), 0, { strict });
    const guard = await lock.lockAsync();
    await fails(() => lock.lockAsync({ timeout: 1 }), 'TimeoutError', /still held/);
    await fails(() => lock.executeLocked(() => { throw new Error('was run'); }, { timeout: 0 }), 'TimeoutError');
    const abortion = new AbortController();
    const reason = new Error('enough');
    const attempts = [1, 2, 3].map(() => lock.lockAsync({ signal: abortion.signal }).catch((error) => error));
    const next = lock.lockAsync();
    abortion.abort(reason);
    for (const error of await Promise.all(attempts)) equal(error, reason);
    equal(await lock.lockAsync({ signal: abortion.signal }).catch((error) => error), reason);
    guard.unlock();
    (await next).unlock();  // the places that were given up swallow no wake-up
    (await lock.lockAsync()).unlock();
  }
});

test('AnAbortBetweenTheHandoffAndItsTurnGivesTheLockToTheNext', async () => {
  for (const strict of [false, true]) {
    const lock = new AsyncLock(makeBuffer(), 0, { strict });
    const guard = await lock.lockAsync();
    const abortion = new AbortController();
    const reason = new Error('enough');
    const aborted = lock.lockAsync({ signal: abortion.signal }).catch((error) => error);
    const next = lock.lockAsync();
    guard.unlock();
    abortion.abort(reason);
    equal(await aborted, reason);
    (await next).unlock();
    equal(lock.tryLock() !== undefined, true);
  }
});

test('OneOwnerAtATimeAmongWorkersAndThisThread', () => withActors(3, async (...actors) => {
  for (const strict of [false, true]) {
    const buffer = makeBuffer();
    const lock = new AsyncLock(buffer, 0, { strict });
    const counter = new Int32Array(buffer, 8, 1);
    const ends = actors.map((actor) => actor.run('contend', buffer, 100, { strict }));
    for (let i = 0; i < 100; ++i) {
      await lock.executeLocked(async () => {
        const value = counter[0];
        if (i % 10 === 0) await undefined;
        counter[0] = value + 1;
      });
    }
    await Promise.all(ends);
    equal(counter[0], 400);
    equal(wordOf(buffer) & HELD, 0);
  }
}));

test('BlockedWorkersExcludeEachOther', () => withActors(2, async (...actors) => {
  for (const strict of [false, true]) {
    const buffer = makeBuffer();
    await Promise.all(actors.map((actor) => actor.run('contendBlocking', buffer, 2000, { strict })));
    equal(new Int32Array(buffer)[2], 4000);
  }
}));

test('AnAbortedPromiseThatIsHandedTheLockIsNoOwner', () => withActors(1, async (actor) => {
  for (const strict of [false, true]) {
    const buffer = makeBuffer();
    new AsyncLock(buffer, 0, { strict });
    equal(await actor.run('lockAmidAborted', buffer), 'AbortError');
  }
}));

test('AThreadBlocksBehindItsOwnPromises', () => withActors(1, async (actor) => {
  for (const strict of [false, true]) {
    const buffer = makeBuffer();
    const lock = new AsyncLock(buffer, 0, { strict });
    const guard = await lock.lockAsync();
    const queued = actor.told('queued');
    const end = actor.run('lockBehindOwn', buffer);
    await queued;
    guard.unlock();
    equal(await end, 'AbortError');
    equal(new Int32Array(buffer)[2], 2);
  }
}));

test('AnOfferToAThreadThatDoesNotRunExpires', () => withActors(1, async (actor) => {
  for (const strict of [false, true]) {
    // An arrival takes what has expired; so does a waiter that was queued before the offer.
    for (const isQueued of [false, true]) {
      const buffer = makeBuffer();
      const lock = new AsyncLock(buffer, 0, { strict });
      const guard = await lock.lockAsync();
      const queued = actor.told('queued');
      const end = actor.run('queueAndBlock', buffer);
      await queued;
      let next;
      if (isQueued) next = lock.lockAsync();
      guard.unlock();
      next ??= lock.lockAsync();
      (await next).unlock();
      set(buffer, 16);
      equal(await end, true);
    }
  }
}));

/// Calls `use` with a lock that the actor holds until the word at 16 is set, and which a promise of this thread has reserved, because
/// the turn was longer than its offer and its patience. The thread has learnt before that its turns are long. A machine that is busy
/// elsewhere may make a turn too long for a reservation: then once more.
async function withReservation(actor, strict, use) {
  for (let attempt = 0; attempt < 20; ++attempt) {
    const buffer = makeBuffer();
    const lock = new AsyncLock(buffer, 0, { strict });
    const abortion = new AbortController();
    const guard = await lock.lockAsync();
    const late = lock.lockAsync({ signal: abortion.signal });
    const computeUntil = (isDone) => {
      const until = performance.now() + 20;
      while (!isDone() || performance.now() < until);
    };
    computeUntil(() => true);
    await nextTask();
    guard.unlock();
    actor.told('held');
    const end = actor.run('hold', buffer);
    computeUntil(() => Atomics.load(new Int32Array(buffer), 5) !== 0);
    for (let task = 0; task < 100 && !(wordOf(buffer) & RESERVED); ++task) await nextTask();
    const isReserved = (wordOf(buffer) & RESERVED) !== 0;
    if (isReserved) {
      await use(lock, late, abortion);
    } else {
      set(buffer, 16);
      (await late).unlock();
    }
    await end;
    (await lock.lockAsync()).unlock();
    equal(wordOf(buffer) & (HELD | RESERVED), 0);
    if (isReserved) return;
  }
  throw new Error('no promise that was late has reserved the lock in twenty attempts');
}

test('ALockIsKeptForAPromiseThatWasLate', () => withActors(1, async (actor) => {
  for (const strict of [false, true]) {
    await withReservation(actor, strict, async (lock, late) => {
      set(lock.buffer, 16);
      (await late).unlock();
    });
  }
}));

test('ALatePromiseThatIsAbortedGivesItsReservationBack', () => withActors(1, async (actor) => {
  for (const strict of [false, true]) {
    await withReservation(actor, strict, async (lock, late, abortion) => {
      const reason = new Error('enough');
      abortion.abort(reason);
      equal(await late.catch((error) => error), reason);
      while (wordOf(lock.buffer) & FROM) await nextTask();
      equal(lock.tryLock(), undefined);
      set(lock.buffer, 16);
    });
  }
}));

test('ABlockedOwnerIsWaitedForByAPromise', () => withActors(1, async (actor) => {
  const buffer = makeBuffer();
  const held = actor.told('held');
  const end = actor.run('hold', buffer);
  await held;
  const next = new AsyncLock(buffer).lockAsync();
  set(buffer, 16);
  (await next).unlock();
  await end;
}));

test('AnyThreadUnlocksWhatATerminatedOneHeld', () => withActors(1, async (actor) => {
  const buffer = makeBuffer();
  const held = actor.told('held');
  actor.run('holdForEver', buffer).catch(() => {});
  await held;
  await actor.end();
  const lock = new AsyncLock(buffer);
  const next = lock.lockAsync();
  lock.unlock();
  (await next).unlock();
  equal(wordOf(buffer) & HELD, 0);
}));

test('ArgumentsOfALockAreNamedThatCannotBeTaken', async () => {
  await fails(() => new AsyncLock(new ArrayBuffer(4)), 'TypeError', /SharedArrayBuffer/);
  await fails(() => new AsyncLock(makeBuffer(), '0'), 'TypeError', /byteOffset/);
  for (const at of [-4, 2, 64, NaN, Infinity]) await fails(() => new AsyncLock(makeBuffer(), at), 'RangeError', /byteOffset/);
  await fails(() => new AsyncLock(new SharedArrayBuffer(2)), 'RangeError', /leave 4 bytes/);
  await fails(() => new AsyncLock(makeBuffer(), 0, { fair: true }), 'TypeError', /fair/);
  await fails(() => new AsyncLock(makeBuffer(), 0, { strict: 1 }), 'TypeError', /strict/);
  const lock = new AsyncLock(makeBuffer());
  await fails(() => AsyncLock.prototype.tryLock.call({}), 'TypeError', /this/);
  await fails(() => AsyncLock.prototype.lockAsync.call({}), 'TypeError', /this/);
  await fails(() => lock.lockAsync({ timeout: 'x' }), 'TypeError', /timeout/);
  await fails(() => structuredClone(lock), 'DataCloneError');
});
