// SPDX-License-Identifier: MIT
// Many readers, one of which may become the writer, or one writer.

import { CLAIM, FIRST, WAITING } from './claim_word.js';
import { give, makeWaiter, tryTake } from './claims.js';
import { load } from './engine.js';
import { failure, requireKind } from './failure.js';
import { dispose, Operation } from './operation.js';
import { blockFor, makePlace, waitFor } from './place.js';
import { placeOf, Primitive } from './primitive.js';
import { change } from './word.js';

// The words: how many hold it shared, whether one holds it upgradeable or exclusively, whether it is strict, and WAITING; the claim. While an
// upgrade waits, its claim keeps new readers out.
const STRICT = 1 << 30;

// The modes: what a hold adds to the word.
export const SHARED = 1;
export const UPGRADEABLE = 1 << 28;
export const EXCLUSIVE = 1 << 29;
const READERS = UPGRADEABLE - 1;

const NAME = 'SharedLock';
const GUARD = 'SharedLockGuard';
const SIZE = 8;

/// What must not be there for another hold in that mode.
const othersOf = (mode) => (mode === EXCLUSIVE ? STRICT - 1 : mode & UPGRADEABLE | EXCLUSIVE);

// Each is a change of the first word, undefined if it cannot be.
export const taking = (mode) => (seen) => (seen & othersOf(mode) ? undefined : seen + mode);

/// Gives up a hold, or keeps it in a weaker mode. While others read, a reader that leaves serves no waiter.
export const leaving = (mode, kept = 0) => (seen) => {
  const held = mode === SHARED ? READERS : mode;
  return seen & held ? seen - mode + kept & (seen & held - mode ? -1 : ~WAITING) : undefined;
};

/// As if it left, and took the lock exclusively.
export const upgrade = (seen) => taking(EXCLUSIVE)(seen - UPGRADEABLE);

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
    this.#leave('unlock', true);
  }

  /** The same, if it still holds the lock. If an upgrade waits, that rejects when it is over, and the lock is released then. */
  [dispose]() {
    if (this.#ownsLock && !this.#isUpgrading) this.unlock();
    this.#ownsLock = false;
  }

  /** Turns the hold into a shared one, with no gap in which another writes. Returns the guard of that; this one holds nothing. */
  downgrade() {
    return this.#leave('downgrade', !this.isShared, SHARED);
  }

  /** The same of an exclusive hold, which becomes an upgradeable one. */
  downgradeToUpgradeable() {
    return this.#leave('downgradeToUpgradeable', this.#mode === EXCLUSIVE, UPGRADEABLE);
  }

  /** Turns an upgradeable hold into an exclusive one if none reads. Returns the guard of that, and this one holds nothing; else undefined. */
  tryUpgrade() {
    this.#requireUpgradeable('tryUpgrade');
    return give(this.#words, upgrade) ? this.#become(EXCLUSIVE) : undefined;
  }

  /** The same once the readers have left. If that fails, the hold stays upgradeable. */
  upgrade(options = undefined) {
    blockFor(this.#upgrading('upgrade'), options);
    return this.#become(EXCLUSIVE);
  }

  /** The same without blocking. */
  async upgradeAsync(options = undefined) {
    const verb = 'upgradeAsync';
    const waits = waitFor(this.#upgrading(verb), options);
    let mode = UPGRADEABLE;
    this.#isUpgrading = true;
    try {
      await waits;
      mode = EXCLUSIVE;
    } finally {
      this.#isUpgrading = false;
      if (!this.#ownsLock) give(this.#words, leaving(mode));
    }
    this.#require(verb, true);
    return this.#become(mode);
  }

  /// In a list of its own: it must not be behind a promise to lock that waits for it.
  #upgrading(verb) {
    const words = this.#words;
    this.#requireUpgradeable(verb);
    return new Operation(makePlace(GUARD, words), () => makeWaiter(words, upgrade, true, undefined, FIRST), verb, 'others still read');
  }

  #require(verb, isRight) {
    if (!isRight || !this.#ownsLock || this.#isUpgrading)
      throw failure('EPERM', `${GUARD}.${verb}`, 'the guard does not hold the lock so, or it is being upgraded');
  }

  #requireUpgradeable(verb) {
    this.#require(verb, this.isUpgradeable && load(this.#words, 0) & UPGRADEABLE);
  }

  #leave(verb, isRight, kept = 0) {
    this.#require(verb, isRight);
    this.#ownsLock = give(this.#words, leaving(this.#mode, kept));
    this.#require(verb, true);
    return this.#become(kept);
  }

  /// The guard of what the hold has become, if it is none that ends.
  #become(mode) {
    this.#ownsLock = false;
    return mode && new SharedLockGuard(this.#words, mode);
  }

  /// Even if a program puts a `then` on Object.prototype, a promise that is resolved with a guard is fulfilled with it.
  get then() {
    return undefined;
  }
}

const tryLock = (lock, verb, mode) => {
  const { words } = placeOf(lock, NAME, verb);
  return tryTake(words, taking(mode)) ? new SharedLockGuard(words, mode) : undefined;
};

const locking = (lock, verb, mode) => {
  const place = placeOf(lock, NAME, verb);
  const { words } = place;
  return new Operation(place,
    () => makeWaiter(words, taking(mode), load(words, 0) & STRICT, () => new SharedLockGuard(words, mode)), verb, 'the lock is still held');
};

const execute = async (lock, verb, mode, callback, options) => {
  const operation = locking(lock, verb, mode);
  requireKind(`${NAME}.${verb}`, 'callback', callback, 'function');
  const guard = await waitFor(operation, options);
  try {
    return await callback(guard);
  } finally {
    guard[dispose]();
  }
};

export class SharedLock extends Primitive {
  static byteLength = SIZE;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(NAME, SIZE, makePlace, buffer, byteOffset, options, { strict: 'boolean' },
      ({ strict }, words) => !strict || !load(words, CLAIM) && change(words, 0, 0, STRICT));
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

  executeLocked(callback, options = undefined) {
    return execute(this, 'executeLocked', EXCLUSIVE, callback, options);
  }

  executeLockedShared(callback, options = undefined) {
    return execute(this, 'executeLockedShared', SHARED, callback, options);
  }
}
