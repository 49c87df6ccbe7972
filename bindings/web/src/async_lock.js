// SPDX-License-Identifier: MIT
// The lock as a program sees it.

import { requireCanBlock } from './agent.js';
import { isObject, isShared, sharedLengthOf } from './describe.js';
import { failure, requireKind, timedOut } from './failure.js';
import { Keeper } from './keep_alive.js';
import { stateOf } from './locking.js';
import { LockedCall, noteNested, observed } from './nested_lock.js';
import { readLockOptions, readOptions } from './option_bag.js';

const isThenable = (value) =>
  (isObject(value) || typeof value === 'function') && typeof value.then === 'function';

/** Owns a lock, until it unlocks it or goes out of the scope of a `using`. */
class AsyncLockGuard {
  #state;
  #tag;

  constructor(state, tag) {
    this.#state = state;
    this.#tag = tag;
  }

  /** Whether a thread ended while it held the lock: the engine tells no thread. */
  get wasAbandoned() {
    return false;
  }

  /** Whether it still holds the lock. */
  get ownsLock() {
    return this.#tag !== 0 && this.#state.isOwnedBy(this.#tag);
  }

  /** Unlocks before the end of the scope. */
  unlock() {
    if (!this.#release()) throw failure('EPERM', 'AsyncLockGuard.unlock: the guard does not hold the lock');
  }

  [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() {
    this.#release();
  }

  #release() {
    const tag = this.#tag;
    this.#tag = 0;
    return tag !== 0 && this.#state.release(tag);
  }
}

// Even if a program puts a `then` on Object.prototype, a promise that is resolved with a guard is fulfilled with it.
Object.defineProperty(AsyncLockGuard.prototype, 'then', { __proto__: null, value: undefined, writable: true, configurable: true });

/// Locks without blocking: gives a promise of the tag. `caller`, a function called `name`, was called by the program.
function acquire(state, { timeout, signal, ref }, name, caller) {
  const lateness = timeout === Infinity ? undefined : timedOut(name, caller);  // later no frame of the program's is on the stack
  const keeper = new Keeper(ref);
  return new Promise((resolve, reject) => {
    const abort = () => refuse(signal.reason);
    const end = () => {
      keeper.end();
      signal?.removeEventListener('abort', abort);
    };
    let isOver = false;
    signal?.addEventListener('abort', abort, { once: true });
    const giveUp = state.enqueue(timeout, (tag, error) => {
      isOver = true;
      end();
      if (tag !== 0) resolve(tag);
      else reject(error ?? lateness);
    });
    const refuse = (error) => {
      if (!giveUp()) return;
      end();
      reject(error);
    };
    if (!isOver) noteNested(state, refuse, name, caller);
  });
}

async function startToLock(state, options) {
  const read = readOptions(options, 'AsyncLock.lockAsync', false);
  read.signal?.throwIfAborted();
  return new AsyncLockGuard(state, state.take() || await acquire(state, read, 'AsyncLock.lockAsync', lockAsync));
}

async function startToExecute(state, options, callback) {
  requireKind('AsyncLock.executeLocked', 'callback', callback, typeof callback === 'function', 'function');
  const read = readOptions(options, 'AsyncLock.executeLocked', false);
  read.signal?.throwIfAborted();
  const tag = state.take() || await acquire(state, read, 'AsyncLock.executeLocked', executeLocked);
  const call = new LockedCall(state);
  let result;
  try {
    result = call.run(callback);
    if (isThenable(result)) result = await call.during(result);
  } catch (error) {
    state.release(tag);  // the callback may have done so itself: its own exception says more
    throw error;
  }
  if (!state.release(tag)) throw failure('EPERM', 'AsyncLock.executeLocked: the callback has released the lock');
  return result;
}

const cannotBeCloned = () => 'An AsyncLock: send its buffer and byteOffset, and make an AsyncLock of them there';

let stateOfLock;

/// What `startTo` gives; a wrong `this` rejects, too.
function start(lock, name, startTo, options, callback) {
  try {
    return observed(startTo, stateOfLock(lock, name), options, callback);
  } catch (error) {
    return Promise.reject(error);
  }
}

/** A mutex for threads that may block and for those that must not: four bytes of shared memory, zero when free. */
export class AsyncLock {
  // A structured clone of the lock would be an empty object. Because of this function it throws, with the text of it.
  cannotBeCloned = cannotBeCloned;

  #state;

  constructor(buffer, byteOffset = 0, options = undefined) {
    requireKind('AsyncLock', 'buffer', buffer, isShared(buffer), 'SharedArrayBuffer');
    requireKind('AsyncLock', 'byteOffset', byteOffset, typeof byteOffset === 'number', 'number');
    const length = sharedLengthOf(buffer);
    if (length < 4) throw new RangeError(`AsyncLock: buffer must have four bytes at least, not ${length}`);
    if (!(byteOffset >= 0 && byteOffset % 4 === 0 && byteOffset + 4 <= length))
      throw new RangeError(`AsyncLock: byteOffset must be a multiple of 4 from 0 to ${length - 4}, not ${byteOffset}`);
    this.#state = stateOf(buffer, byteOffset + 0);
    if (readLockOptions(options, 'AsyncLock') && !this.#state.makeStrict())
      throw new Error('AsyncLock: options.strict is for a lock that is not in use yet; this one is, and is not strict');
  }

  static {
    stateOfLock = (lock, name) => {
      requireKind(`AsyncLock.${name}`, 'this', lock, isObject(lock) && #state in lock, 'AsyncLock');
      return lock.#state;
    };
  }

  get buffer() {
    return stateOfLock(this, 'buffer').word.buffer;
  }

  get byteOffset() {
    return stateOfLock(this, 'byteOffset').word.byteOffset;
  }

  get wasAbandoned() {
    stateOfLock(this, 'wasAbandoned');
    return false;
  }

  lock(options = undefined) {
    const state = stateOfLock(this, 'lock');
    requireCanBlock('AsyncLock.lock', 'lockAsync or executeLocked');
    const timeout = options === undefined ? Infinity : readOptions(options, 'AsyncLock.lock', true).timeout;
    let tag = state.take();
    if (tag === 0) {
      if (timeout === Infinity && state.held !== 0 && state.isOwnedBy(state.held))
        throw failure('EDEADLK', 'AsyncLock.lock: this thread holds the lock already');
      tag = state.lock(timeout);
      if (tag === 0) throw timedOut('AsyncLock.lock', lock);
    }
    return new AsyncLockGuard(state, tag);
  }

  tryLock() {
    return stateOfLock(this, 'tryLock').take() !== 0;
  }

  unlock() {
    if (!stateOfLock(this, 'unlock').release(0)) throw failure('EPERM', 'AsyncLock.unlock: the lock is not held');
  }

  lockAsync(options = undefined) {
    return start(this, 'lockAsync', startToLock, options);
  }

  executeLocked(callback, options = undefined) {
    return start(this, 'executeLocked', startToExecute, options, callback);
  }
}

// Where the stack of a time-out begins, even if a program replaces the functions of the prototype.
const { lock, lockAsync, executeLocked } = AsyncLock.prototype;
