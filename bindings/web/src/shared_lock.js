// SPDX-License-Identifier: MIT
// Many readers, or one writer.

import { give, makeWaiter, tryTake, WAITING } from './claims.js';
import { load } from './engine.js';
import { failure, requireKind } from './failure.js';
import { Operation } from './operation.js';
import { readOptions } from './option_bag.js';
import { blockFor, dispose, placeOf, Primitive, requireUnused, waitFor } from './primitive.js';
import { change } from './word.js';

// The words: how many hold it shared, whether one holds it exclusively, whether it is strict, and WAITING; the claim.
const CLAIM = 1;
const WRITER = 1 << 29;
const STRICT = 1 << 30;
const READERS = WRITER - 1;

const NAME = 'SharedLock';
const SIZE = 8;
const HELD = 'the lock is still held';

// Each is a change of the first word, undefined if it cannot be.
export const takeExclusive = (seen) => (seen & (WRITER | READERS) ? undefined : seen | WRITER);
export const takeShared = (seen) => (seen & WRITER ? undefined : seen + 1);
const takeAs = (isShared) => (isShared ? takeShared : takeExclusive);

export const leaveExclusive = (seen) => (seen & WRITER ? seen & ~(WRITER | WAITING) : undefined);
// While others read, it serves no waiter.
export const leaveShared = (seen) => (seen & READERS ? seen - 1 & (seen & READERS - 1 ? -1 : ~WAITING) : undefined);
export const leaveForShared = (seen) => (seen & WRITER ? leaveExclusive(seen) + 1 : undefined);

const waiting = (place, isShared) => () => ({
  ...makeWaiter(place, takeAs(isShared), load(place.words, 0) & STRICT), finish: () => new SharedLockGuard(place, isShared),
});

/** Holds the lock, exclusively or shared, until it unlocks it or goes out of the scope of a `using`. */
class SharedLockGuard {
  #place;
  #isShared;
  #ownsLock = true;

  constructor(place, isShared) {
    this.#place = place;
    this.#isShared = isShared;
  }

  /** Whether it still holds the lock. */
  get ownsLock() {
    return this.#ownsLock;
  }

  /** Whether it holds it shared. */
  get isShared() {
    return this.#isShared;
  }

  /** Unlocks before the end of the scope. */
  unlock() {
    this.#leave('SharedLockGuard.unlock', this.#ownsLock, this.#isShared ? leaveShared : leaveExclusive);
  }

  [dispose]() {
    if (this.#ownsLock) this.unlock();
  }

  /** Turns an exclusive hold into a shared one, with no gap in which another writes. Returns the guard of that; this one holds nothing. */
  downgrade() {
    this.#leave('SharedLockGuard.downgrade', this.#ownsLock && !this.#isShared, leaveForShared);
    return new SharedLockGuard(this.#place, true);
  }

  #leave(name, isRight, leave) {
    if (isRight) this.#ownsLock = false;
    if (!isRight || !give(this.#place, leave)) throw failure('EPERM', name, 'the guard does not hold the lock so');
  }

  /// Even if a program puts a `then` on Object.prototype, a promise that is resolved with a guard is fulfilled with it.
  get then() {
    return undefined;
  }
}

const tryLock = (lock, isShared, verb) => {
  const place = placeOf(lock, NAME, verb);
  return tryTake(place, takeAs(isShared)) ? new SharedLockGuard(place, isShared) : undefined;
};

const blockForLock = (lock, isShared, verb, options) => {
  const place = placeOf(lock, NAME, verb);
  return blockFor(place, verb, options, waiting(place, isShared), HELD);
};

const waitForLock = async (lock, isShared, verb, options) => {
  const place = placeOf(lock, NAME, verb);
  return waitFor(place, verb, options, waiting(place, isShared), HELD);
};

const locking = (lock, isShared, verb) => {
  const place = placeOf(lock, NAME, verb);
  return new Operation(place, waiting(place, isShared));
};

const execute = async (lock, isShared, verb, callback, options) => {
  placeOf(lock, NAME, verb);
  requireKind(`${NAME}.${verb}`, 'callback', callback, 'function');
  const guard = await waitForLock(lock, isShared, verb, options);
  try {
    return await callback(guard);
  } finally {
    guard[dispose]();
  }
};

export class SharedLock extends Primitive {
  static byteLength = SIZE;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(NAME, SIZE, true, buffer, byteOffset);
    const place = placeOf(this, NAME, 'constructor');
    place.claimAt = CLAIM;
    if (readOptions(options, NAME, { strict: 'boolean' }).strict)
      requireUnused(!load(place.words, CLAIM) && change(place.words, 0, 0, STRICT), NAME);
  }

  tryLock() {
    return tryLock(this, false, 'tryLock');
  }

  tryLockShared() {
    return tryLock(this, true, 'tryLockShared');
  }

  lock(options = undefined) {
    return blockForLock(this, false, 'lock', options);
  }

  lockShared(options = undefined) {
    return blockForLock(this, true, 'lockShared', options);
  }

  locking() {
    return locking(this, false, 'locking');
  }

  lockingShared() {
    return locking(this, true, 'lockingShared');
  }

  lockAsync(options = undefined) {
    return waitForLock(this, false, 'lockAsync', options);
  }

  lockSharedAsync(options = undefined) {
    return waitForLock(this, true, 'lockSharedAsync', options);
  }

  executeLocked(callback, options = undefined) {
    return execute(this, false, 'executeLocked', callback, options);
  }

  executeLockedShared(callback, options = undefined) {
    return execute(this, true, 'executeLockedShared', callback, options);
  }
}
