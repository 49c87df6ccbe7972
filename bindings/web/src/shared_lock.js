// SPDX-License-Identifier: MIT
// Many readers, one of which may become the writer, or one writer. While an upgrade waits, its claim keeps new readers out.

import { FIRST, WAITING } from './claim_word.js';
import { give, makeWaiter, tryTake } from './claims.js';
import { load } from './engine.js';
import { failure, requireKind } from './failure.js';
import { dispose, Operation } from './operation.js';
import { blockFor, makePlace, waitFor } from './place.js';
import { placeOf, Primitive } from './primitive.js';
import { EXCLUSIVE, READERS, SHARED, SIZE, STRICT, UPGRADEABLE } from './shared_lock_word.js';
import { change } from './word.js';

const NAME = 'SharedLock';
const GUARD = `${NAME}Guard`;

/// A change of the first word: a hold in the mode `from` becomes one in the mode `to`; either may be zero, for none. Undefined
/// if others are in the way. A hold that gets weaker serves waiters; but a reader that leaves while others read does not.
export const turning = (from, to) => (seen) => {
  const rest = seen - from;
  const inTheWay = to === EXCLUSIVE ? STRICT - 1 : to & UPGRADEABLE | EXCLUSIVE;
  const servesWaiters = to < from && !(from === SHARED && rest & READERS);
  return rest & inTheWay ? undefined : rest + to & (servesWaiters ? ~WAITING : -1);
};

/** Holds the lock, exclusively, upgradeable or shared, until it unlocks it or goes out of the scope of a `using`. */
class SharedLockGuard {
  #words;
  #mode;
  #ownsLock = true;
  #isUpgrading = false;

  constructor(words, mode) {
    this.#words = words;
    this.#mode = mode;
  }

  /** Whether it still holds the lock. */
  get ownsLock() {
    return this.#ownsLock;
  }

  /** Whether it holds it shared. */
  get isShared() {
    return this.#mode === SHARED;
  }

  /** Whether it holds it upgradeable. */
  get isUpgradeable() {
    return this.#mode === UPGRADEABLE;
  }

  /** Unlocks before the end of the scope. */
  unlock() {
    this.#turn('unlock', 0);
  }

  /** The same, if it still holds the lock. If an upgrade waits, that rejects when it is over, and the lock is released then. */
  [dispose]() {
    if (this.#ownsLock && !this.#isUpgrading) this.unlock();
    this.#ownsLock = false;
  }

  /** Turns the hold into a shared one, with no gap in which another writes. Returns the guard of that; this one holds nothing. */
  downgrade() {
    return this.#turn('downgrade', SHARED);
  }

  /** The same of an exclusive hold, which becomes an upgradeable one. */
  downgradeToUpgradeable() {
    return this.#turn('downgradeToUpgradeable', UPGRADEABLE);
  }

  /** Turns an upgradeable hold into an exclusive one if none reads. Returns the guard of that, and this one holds nothing; else
   * undefined. */
  tryUpgrade() {
    return this.#turn('tryUpgrade', EXCLUSIVE, this.isUpgradeable);
  }

  /** The same once the readers have left. If that fails, the hold stays upgradeable. */
  upgrade(options = undefined) {
    blockFor(this.#upgrading('upgrade'), options);
    return this.#become(EXCLUSIVE);
  }

  /** The same without blocking. */
  async upgradeAsync(options = undefined) {
    const verb = 'upgradeAsync';
    const operation = this.#upgrading(verb);
    this.#isUpgrading = true;
    try {
      await waitFor(operation, options);
      this.#mode = EXCLUSIVE;
    } finally {
      this.#isUpgrading = false;
      if (!this.#ownsLock) give(this.#words, turning(this.#mode, 0));
    }
    this.#require(verb, true);
    return this.#become(EXCLUSIVE);
  }

  /// In a list of its own: it must not be behind a promise to lock that waits for it.
  #upgrading(verb) {
    this.#require(verb, this.isUpgradeable);
    const begin = (words) => makeWaiter(words, turning(UPGRADEABLE, EXCLUSIVE), true, undefined, FIRST);
    return new Operation(makePlace(GUARD, this.#words), begin, verb, 'others still read');
  }

  #require(verb, isRight) {
    if (!isRight || !this.#ownsLock || this.#isUpgrading || !(load(this.#words, 0) & (this.isShared ? READERS : this.#mode)))
      throw failure('EPERM', `${GUARD}.${verb}`, 'the guard does not hold the lock so, or it is being upgraded');
  }

  /// The guard of the hold in another mode, undefined if others are in the way, or if it is zero.
  #turn(verb, mode, isRight = mode < this.#mode) {
    this.#require(verb, isRight);
    return give(this.#words, turning(this.#mode, mode)) ? this.#become(mode) : undefined;
  }

  /// The guard of what the hold has become, if it is none that ends.
  #become(mode) {
    this.#ownsLock = false;
    return mode ? new SharedLockGuard(this.#words, mode) : undefined;
  }

  /// Even if a program puts a `then` on Object.prototype, a promise that is resolved with a guard is fulfilled with it.
  get then() {
    return undefined;
  }
}

const tryLock = (lock, verb, mode) => {
  const { words } = placeOf(lock, NAME, verb);
  return tryTake(words, turning(0, mode)) ? new SharedLockGuard(words, mode) : undefined;
};

const locking = (lock, verb, mode) => new Operation(placeOf(lock, NAME, verb), (words) => makeWaiter(
  words, turning(0, mode), load(words, 0) & STRICT, () => new SharedLockGuard(words, mode)), verb, 'the lock is still held');

async function execute(operation, callback, options) {
  requireKind(`${NAME}.${operation.verb}`, 'callback', callback, 'function');
  const guard = await waitFor(operation, options);
  try {
    return await callback(guard);
  } finally {
    guard[dispose]();
  }
}

export class SharedLock extends Primitive {
  static byteLength = SIZE;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(NAME, SIZE, makePlace, buffer, byteOffset, options, { strict: 'boolean' },
      ({ strict }, words) => (strict && change(words, 0, 0, STRICT)) || !(load(words, 0) & STRICT) !== strict);
  }

  tryLock() {
    return tryLock(this, 'tryLock', EXCLUSIVE);
  }

  tryLockShared() {
    return tryLock(this, 'tryLockShared', SHARED);
  }

  tryLockUpgradeable() {
    return tryLock(this, 'tryLockUpgradeable', UPGRADEABLE);
  }

  lock(options = undefined) {
    return blockFor(locking(this, 'lock', EXCLUSIVE), options);
  }

  lockShared(options = undefined) {
    return blockFor(locking(this, 'lockShared', SHARED), options);
  }

  lockUpgradeable(options = undefined) {
    return blockFor(locking(this, 'lockUpgradeable', UPGRADEABLE), options);
  }

  locking() {
    return locking(this, 'locking', EXCLUSIVE);
  }

  lockingShared() {
    return locking(this, 'lockingShared', SHARED);
  }

  lockingUpgradeable() {
    return locking(this, 'lockingUpgradeable', UPGRADEABLE);
  }

  async lockAsync(options = undefined) {
    return waitFor(locking(this, 'lockAsync', EXCLUSIVE), options);
  }

  async lockSharedAsync(options = undefined) {
    return waitFor(locking(this, 'lockSharedAsync', SHARED), options);
  }

  async lockUpgradeableAsync(options = undefined) {
    return waitFor(locking(this, 'lockUpgradeableAsync', UPGRADEABLE), options);
  }

  async executeLocked(callback, options = undefined) {
    return execute(locking(this, 'executeLocked', EXCLUSIVE), callback, options);
  }

  async executeLockedShared(callback, options = undefined) {
    return execute(locking(this, 'executeLockedShared', SHARED), callback, options);
  }
}
