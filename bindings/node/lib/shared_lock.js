// SPDX-License-Identifier: MIT
'use strict';
// Many readers, one of which may become the writer, or one writer: futon::SharedLock.

const { TypeError } = require('./primordials.js');
const { describe } = require('./describe.js');
const { failure, timedOut, timedOutLater } = require('./failure.js');
const { Hold, prepareToWatch, watch } = require('./lost_guards.js');
const { waitersAt } = require('./introspection.js');
const {
  Type, Primitive, operationOf, placeOf, act, ask, block, waitFor, requireMaking, inUse, requireSame, isStrict, makeStrict, dispose, TRY_TAKE,
  GIVE, RESET,
} = require('./primitive.js');

// Three kinds of waits for the same bytes; and that of an upgradeable hold to become exclusive, which has a queue of its own.
const TYPE = new Type('SharedLock', 5, 8);
const SHARED = new Type('SharedLock', 6, 8);
const UPGRADEABLE = new Type('SharedLock', 12, 8);
const UPGRADE = new Type('SharedLock', 13, 8, 8,
  (name) => failure('EPERM', `${name}: the lock is not held upgradeable, or another upgrade waits`));
const UPGRADES = 4;  // where its queue is, from the lock's address

let lossOf;

/** Holds the lock, exclusively, upgradeable or shared, until it unlocks it or goes out of the scope of a `using`. */
class SharedLockGuard {
  #place;
  #hold = { __proto__: null, isHeld: true };  // outlives the guard
  #taken;                                     // where, if that is known
  #isUpgrading = false;                       // while a promise waits

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

  /** Whether it holds it upgradeable. */
  get isUpgradeable() {
    return this.#place.type === UPGRADEABLE;
  }

  /** Unlocks before the end of the scope. */
  unlock() {
    this.#require(true, 'unlock', 'does not hold the lock');
    this[dispose]();
  }

  /** The same, if it still holds the lock. If an upgrade waits, that rejects when it is over, and the lock is released then. */
  [dispose]() {
    if (!this.#hold.isHeld) return;
    this.#hold.isHeld = false;
    if (!this.#isUpgrading && !act(this.#place, GIVE)) throw failure('EPERM', 'SharedLockGuard.unlock: the lock is not held so');
  }

  /** Turns the hold into a shared one, with no gap in which another writes. Returns the guard of that; this one holds nothing. */
  downgrade() {
    this.#require(!this.isShared, 'downgrade', 'does not hold the lock exclusively or upgradeable');
    return this.#weakened('downgrade', this.#place, SHARED);
  }

  /** The same of an exclusive hold, which becomes an upgradeable one. */
  downgradeToUpgradeable() {
    this.#require(this.#place.type === TYPE, 'downgradeToUpgradeable', 'does not hold the lock exclusively');
    return this.#weakened('downgradeToUpgradeable', this.#place.as(UPGRADE), UPGRADEABLE);
  }

  /** Turns an upgradeable hold into an exclusive one if none reads. Returns the guard of that, and this one holds nothing; else undefined. */
  tryUpgrade() {
    this.#requireUpgradeable('tryUpgrade');
    const readers = ask(this.#place.as(UPGRADE), TRY_TAKE);
    if (readers < 0) throw UPGRADE.refusal('SharedLockGuard.tryUpgrade');
    return readers === 0 ? this.#become(TYPE) : undefined;
  }

  /** The same once the readers have left. If that fails, the hold stays upgradeable. */
  upgrade(options = undefined) {
    this.#requireUpgradeable('upgrade');
    const name = 'SharedLockGuard.upgrade';
    if (!block(this.#place.as(UPGRADE), name, options)) throw timedOut(name, upgrade);
    return this.#become(TYPE);
  }

  /** The same without blocking. */
  async upgradeAsync(options = undefined) {
    this.#requireUpgradeable('upgradeAsync');
    const name = 'SharedLockGuard.upgradeAsync';
    this.#isUpgrading = true;
    let held = UPGRADEABLE;
    try {
      const read = await waitFor(this.#place.as(UPGRADE), name, upgradeAsync, options);
      if (read.isLate) throw timedOutLater(name, upgradeAsync, read.site);
      held = TYPE;
    } finally {
      this.#isUpgrading = false;
      if (!this.#hold.isHeld) act(this.#place.as(held), GIVE);
    }
    if (!this.#hold.isHeld) throw failure('EPERM', `${name}: the guard was released meanwhile`);
    return this.#become(TYPE);
  }

  #require(isRight, verb, lack) {
    if (!this.#hold.isHeld || !isRight) throw failure('EPERM', `SharedLockGuard.${verb}: the guard ${lack}`);
    if (this.#isUpgrading) throw failure('EPERM', `SharedLockGuard.${verb}: the guard is being upgraded`);
  }

  #requireUpgradeable(verb) {
    this.#require(this.isUpgradeable, verb, 'does not hold the lock upgradeable');
  }

  #weakened(verb, place, type) {
    if (!act(place, RESET)) throw failure('EPERM', `SharedLockGuard.${verb}: the lock is not held so`);
    return this.#become(type);
  }

  /// The guard of what the hold has become.
  #become(type) {
    this.#hold.isHeld = false;
    return new SharedLockGuard(this.#place.as(type));
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
    const strict = requireMaking(options, 'SharedLock', { __proto__: null, strict: 'boolean' })?.strict;
    const place = placeOf(this, TYPE, 'constructor');
    if (strict && !makeStrict(place)) throw inUse('SharedLock', 'strict');
    if (strict === false) requireSame('SharedLock', 'strict', false, isStrict(place));
  }

  tryLock() {
    const place = placeOf(this, TYPE, 'tryLock');
    return act(place, TRY_TAKE) ? new SharedLockGuard(place, tryLock) : undefined;
  }

  tryLockShared() {
    const place = placeOf(this, TYPE, 'tryLockShared').as(SHARED);
    return act(place, TRY_TAKE) ? new SharedLockGuard(place, tryLockShared) : undefined;
  }

  tryLockUpgradeable() {
    const place = placeOf(this, TYPE, 'tryLockUpgradeable').as(UPGRADEABLE);
    return act(place, TRY_TAKE) ? new SharedLockGuard(place, tryLockUpgradeable) : undefined;
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

  lockUpgradeable(options = undefined) {
    const place = placeOf(this, TYPE, 'lockUpgradeable').as(UPGRADEABLE);
    if (!block(place, 'SharedLock.lockUpgradeable', options)) throw timedOut('SharedLock.lockUpgradeable', lockUpgradeable);
    return new SharedLockGuard(place, lockUpgradeable);
  }

  locking() {
    const place = placeOf(this, TYPE, 'locking');
    return operationOf(place, () => new SharedLockGuard(place));
  }

  lockingShared() {
    const place = placeOf(this, TYPE, 'lockingShared').as(SHARED);
    return operationOf(place, () => new SharedLockGuard(place));
  }

  lockingUpgradeable() {
    const place = placeOf(this, TYPE, 'lockingUpgradeable').as(UPGRADEABLE);
    return operationOf(place, () => new SharedLockGuard(place));
  }

  lockAsync(options = undefined) {
    return start(this, TYPE, 'lockAsync', lockAsync, options);
  }

  lockSharedAsync(options = undefined) {
    return start(this, SHARED, 'lockSharedAsync', lockSharedAsync, options);
  }

  lockUpgradeableAsync(options = undefined) {
    return start(this, UPGRADEABLE, 'lockUpgradeableAsync', lockUpgradeableAsync, options);
  }

  executeLocked(callback, options = undefined) {
    return startToExecute(this, TYPE, 'executeLocked', executeLocked, callback, options);
  }

  executeLockedShared(callback, options = undefined) {
    return startToExecute(this, SHARED, 'executeLockedShared', executeLockedShared, callback, options);
  }

  /** Its waiters, in the order of their queue; an upgrade that waits is first. */
  waiters() {
    const { address } = placeOf(this, TYPE, 'waiters');
    return waitersAt(address, waitersAt(address + UPGRADES));
  }
}

// Where the stack of a time-out begins, even if a program replaces the functions of the prototype.
const {
  lock, lockShared, lockUpgradeable, tryLock, tryLockShared, tryLockUpgradeable, lockAsync, lockSharedAsync, lockUpgradeableAsync,
  executeLocked, executeLockedShared,
} = SharedLock.prototype;
const { upgrade, upgradeAsync } = SharedLockGuard.prototype;

module.exports = { SharedLock, SharedLockGuard };
