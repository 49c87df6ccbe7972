// SPDX-License-Identifier: MIT
'use strict';
// Many readers, or one writer: futon::SharedLock.

const { TypeError } = require('./primordials.js');
const { describe } = require('./describe.js');
const { failure, timedOut, timedOutLater } = require('./failure.js');
const { Hold, prepareToWatch, watch } = require('./lost_guards.js');
const {
  Type, Primitive, operationOf, placeOf, act, block, waitFor, requireMaking, inUse, dispose, MAKE, TRY_TAKE, GIVE, RESET,
} = require('./primitive.js');

// Two kinds of waits for the same bytes.
const TYPE = new Type('SharedLock', 5, 8);
const SHARED = new Type('SharedLock', 6, 8);

let lossOf;

/** Holds the lock, exclusively or shared, until it unlocks it or goes out of the scope of a `using`. */
class SharedLockGuard {
  #place;
  #hold = { __proto__: null, isHeld: true };  // outlives the guard
  #taken;                                     // where, if that is known

  constructor(place, caller) {
    this.#place = place;
    try {
      this.#taken = prepareToWatch(caller);
      watch(this, lossOf);
    } catch {
      // The stack is full: a loss of this guard is not told.
    }
  }

  static {
    lossOf = (guard) => {
      const hold = guard.#hold;
      return hold.isHeld ? new Hold('a SharedLock', () => hold.isHeld, guard.#taken) : undefined;
    };
  }

  /** Whether it still holds the lock. */
  get ownsLock() {
    return this.#hold.isHeld;
  }

  /** Whether it holds it shared. */
  get isShared() {
    return this.#place.type === SHARED;
  }

  /** Unlocks before the end of the scope. */
  unlock() {
    if (!this.#hold.isHeld) throw failure('EPERM', 'SharedLockGuard.unlock: the guard does not hold the lock');
    this[dispose]();
  }

  /** The same, if it still holds the lock. */
  [dispose]() {
    if (!this.#hold.isHeld) return;
    this.#hold.isHeld = false;
    if (!act(this.#place, GIVE)) throw failure('EPERM', 'SharedLockGuard.unlock: the lock is not held so');
  }

  /** Turns an exclusive hold into a shared one, with no gap in which another writes. Returns the guard of that; this one holds nothing. */
  downgrade() {
    if (!this.#hold.isHeld || this.isShared)
      throw failure('EPERM', 'SharedLockGuard.downgrade: the guard does not hold the lock exclusively');
    if (!act(this.#place, RESET)) throw failure('EPERM', 'SharedLockGuard.downgrade: the lock is not held so');
    this.#hold.isHeld = false;
    return new SharedLockGuard(this.#place.as(SHARED));
  }

  // Even if a program puts a `then` on Object.prototype, a promise that is resolved with a guard is fulfilled with it.
  get then() {
    return undefined;
  }
}

const start = async (lock, type, verb, caller, options) => {
  const place = placeOf(lock, TYPE, verb).as(type);
  const name = `SharedLock.${verb}`;
  const read = await waitFor(place, name, caller, options);
  if (read.isLate) throw timedOutLater(name, start, read.site);
  return new SharedLockGuard(place, start);
};

const startToExecute = async (lock, type, verb, caller, callback, options) => {
  placeOf(lock, TYPE, verb);
  if (typeof callback !== 'function')
    throw new TypeError(`SharedLock.${verb}: callback must be a function, not ${describe(callback)}`);
  const guard = await start(lock, type, verb, caller, options);
  try {
    return await callback(guard);
  } finally {
    guard[dispose]();
  }
};

class SharedLock extends Primitive {
  static byteLength = TYPE.size;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(TYPE, buffer, byteOffset);
    if (requireMaking(options, 'SharedLock', { __proto__: null, strict: 'boolean' })?.strict &&
      !act(placeOf(this, TYPE, 'constructor'), MAKE)) throw inUse('SharedLock');
  }

  tryLock() {
    const place = placeOf(this, TYPE, 'tryLock');
    return act(place, TRY_TAKE) ? new SharedLockGuard(place, tryLock) : undefined;
  }

  tryLockShared() {
    const place = placeOf(this, TYPE, 'tryLockShared').as(SHARED);
    return act(place, TRY_TAKE) ? new SharedLockGuard(place, tryLockShared) : undefined;
  }

  lock(options = undefined) {
    const place = placeOf(this, TYPE, 'lock');
    if (!block(place, 'SharedLock.lock', options)) throw timedOut('SharedLock.lock', lock);
    return new SharedLockGuard(place, lock);
  }

  lockShared(options = undefined) {
    const place = placeOf(this, TYPE, 'lockShared').as(SHARED);
    if (!block(place, 'SharedLock.lockShared', options)) throw timedOut('SharedLock.lockShared', lockShared);
    return new SharedLockGuard(place, lockShared);
  }

  locking() {
    const place = placeOf(this, TYPE, 'locking');
    return operationOf(place, () => new SharedLockGuard(place));
  }

  lockingShared() {
    const place = placeOf(this, TYPE, 'lockingShared').as(SHARED);
    return operationOf(place, () => new SharedLockGuard(place));
  }

  lockAsync(options = undefined) {
    return start(this, TYPE, 'lockAsync', lockAsync, options);
  }

  lockSharedAsync(options = undefined) {
    return start(this, SHARED, 'lockSharedAsync', lockSharedAsync, options);
  }

  executeLocked(callback, options = undefined) {
    return startToExecute(this, TYPE, 'executeLocked', executeLocked, callback, options);
  }

  executeLockedShared(callback, options = undefined) {
    return startToExecute(this, SHARED, 'executeLockedShared', executeLockedShared, callback, options);
  }
}

// Where the stack of a time-out begins, even if a program replaces the functions of the prototype.
const { lock, lockShared, tryLock, tryLockShared, lockAsync, lockSharedAsync, executeLocked, executeLockedShared } = SharedLock.prototype;

module.exports = { SharedLock, SharedLockGuard };
