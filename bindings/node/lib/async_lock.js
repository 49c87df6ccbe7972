// SPDX-License-Identifier: MIT
'use strict';
// The lock: the same word and protocol as futon::AsyncLock.

const {
  sharedByteLength, isAborted, reasonOf, reject, maxSafeInteger, defineProperty, Int32Array, Error, TypeError,
  RangeError, DOMException, Symbol,
} = require('./primordials.js');
const {
  native, doubles, ints, ADDRESS, TIMEOUT, OUTCOME, BATCH_SIZE, OK, OK_ABANDONED, TIMED_OUT, NOT_HELD, HELD_HERE,
} = require('./native.js');
const { requireShared, isShared, describe } = require('./view.js');
const { toTimeout } = require('./coerce.js');
const { requireCanBlock } = require('./agent.js');
const { makePromise, capability, settle } = require('./pending.js');
const { readOptions, enqueueWithSignal } = require('./options.js');
const { prepareToHold, notHeld, hold, released } = require('./held_locks.js');
const { Registration, unlisten } = require('./abort.js');

const dispose = Symbol.dispose ?? Symbol.for('nodejs.dispose');

function isThenable(value) {
  return (typeof value === 'object' || typeof value === 'function') && value !== null &&
    typeof value.then === 'function';
}

let setAbandoned;

/** Owns a lock, until it unlocks it or goes out of the scope of a `using`. */
class AsyncLockGuard {
  #lock;
  #wasAbandoned = false;

  constructor(lock) {
    this.#lock = lock;
  }

  static {
    setAbandoned = (guard) => (guard.#wasAbandoned = true);
  }

  /** Whether a thread ended while it held the lock, and this is the first acquisition since. */
  get wasAbandoned() {
    return this.#wasAbandoned;
  }

  /** Whether it still holds the lock. */
  get ownsLock() {
    return this.#lock !== undefined;
  }

  /** Unlocks before the end of the scope. Throws an Error if it does not hold the lock any more. */
  unlock() {
    if (this.#lock === undefined) throw failure('EPERM', 'AsyncLockGuard.unlock: the guard does not hold the lock');
    this.#release();
  }

  [dispose]() {
    if (this.#lock !== undefined) this.#release();
  }

  #release() {
    const lock = this.#lock;
    this.#lock = undefined;
    unlock(lock);
  }
}

// Even if a program puts a `then` on Object.prototype, a promise that is resolved with a guard is fulfilled with it.
defineProperty(AsyncLockGuard.prototype, 'then',
  { __proto__: null, value: undefined, writable: true, configurable: true });

function failure(code, message) {
  const error = new Error(message);
  error.code = code;
  return error;
}

let unlock;  // still ours if a program replaces AsyncLock.prototype.unlock
let isLock;

function requireLock(value, name) {
  if (!isLock(value)) throw new TypeError(`AsyncLock.${name}: this must be an AsyncLock, not ${describe(value)}`);
}

class AsyncLock {
  static {
    unlock = (lock) => lock.#unlock();
    isLock = (value) => typeof value === 'object' && value !== null && #address in value;
  }

  #word;
  #address;
  #wasAbandoned = false;

  constructor(buffer, byteOffset = 0) {
    if (!isShared(buffer)) throw new TypeError(`AsyncLock: buffer must be a SharedArrayBuffer, not ${describe(buffer)}`);
    if (typeof byteOffset !== 'number')
      throw new TypeError(`AsyncLock: byteOffset must be a number, not ${typeof byteOffset}`);
    const length = sharedByteLength(buffer);
    if (length < 4) throw new RangeError(`AsyncLock: buffer must have four bytes at least, not ${length}`);
    if (!(byteOffset >= 0 && byteOffset <= maxSafeInteger && byteOffset % 4 === 0 && byteOffset + 4 <= length))
      throw new RangeError(`AsyncLock: byteOffset must be a multiple of 4 from 0 to ${length - 4}, not ${byteOffset}`);
    this.#word = new Int32Array(buffer, byteOffset, 1);
    this.#address = requireShared(this.#word, 'AsyncLock');
  }

  // These functions make the guard before they lock: if the stack is full, that throws while nothing is locked.

  lock() {
    requireLock(this, 'lock');
    requireCanBlock('AsyncLock.lock');
    const guard = new AsyncLockGuard(this);
    doubles[ADDRESS] = this.#address;
    prepareToHold(this.#word);
    native.lock();
    if (this.#isLocked(ints[OUTCOME], guard)) return guard;
    if (ints[OUTCOME] === HELD_HERE) throw failure('EDEADLK', 'AsyncLock.lock: this thread holds the lock already');
    // Node ends this thread, and then no code of it runs any more.
    throw new Error('AsyncLock.lock: this thread is being ended');
  }

  tryLock() {
    requireLock(this, 'tryLock');
    doubles[ADDRESS] = this.#address;
    prepareToHold(this.#word);
    native.tryLock();
    return this.#isLocked(ints[OUTCOME]);
  }

  unlock() {
    requireLock(this, 'unlock');
    this.#unlock();
  }

  async lockAsync(options = undefined) {
    requireLock(this, 'lockAsync');
    const { signal, ref, timeout } = options === undefined ? {} : readOptions(options, 'AsyncLock.lockAsync');
    const milliseconds = toTimeout(timeout, 'AsyncLock.lockAsync', 'options.timeout');
    if (signal !== undefined && isAborted(signal)) throw reasonOf(signal);
    const guard = new AsyncLockGuard(this);
    const promise = this.#lockOrEnqueue(guard, signal, ref, milliseconds);
    if (promise === undefined) return guard;
    return await promise;
  }

  async executeLocked(callback) {
    requireLock(this, 'executeLocked');
    if (typeof callback !== 'function')
      throw new TypeError(`AsyncLock.executeLocked: callback must be a function, not ${typeof callback}`);
    const promise = this.#lockOrEnqueue(undefined, undefined, true, Infinity);
    if (promise !== undefined) await promise;
    let result;
    try {
      result = callback();
      if (isThenable(result)) result = await result;
    } catch (error) {
      try {
        this.#unlock();
      } catch {
        // The callback has unlocked it already. Its own exception says more.
      }
      throw error;
    }
    this.#unlock();
    return result;
  }

  /** Whether a thread ended while it held the lock, and the last acquisition by this object is the first since. */
  get wasAbandoned() {
    requireLock(this, 'wasAbandoned');
    return this.#wasAbandoned;
  }

  /// Whether a call of the addon has locked; notes whether the lock was abandoned.
  #isLocked(outcome, guard) {
    if (outcome !== OK && outcome !== OK_ABANDONED) {
      notHeld();
      return false;
    }
    this.#wasAbandoned = outcome === OK_ABANDONED;
    if (this.#wasAbandoned && guard !== undefined) setAbandoned(guard);
    return true;
  }

  #unlock() {
    doubles[ADDRESS] = this.#address;
    native.unlock();
    const outcome = ints[OUTCOME];
    released();
    if (ints[BATCH_SIZE] !== 0) settle();
    if (outcome === NOT_HELD) throw failure('EPERM', 'AsyncLock.unlock: the lock is not held');
  }

  /// Locks and returns undefined, or enqueues a waiter and returns a promise of `guard`.
  #lockOrEnqueue(guard, signal, ref, timeout) {
    const promise = makePromise('futon.AsyncLock');
    const { resolve: resolvePromise, reject: rejectPromise, resource } = capability;
    doubles[ADDRESS] = this.#address;
    prepareToHold(this.#word);
    native.tryLock();
    if (this.#isLocked(ints[OUTCOME], guard)) return undefined;

    const registration = new Registration(rejectPromise);
    const settler = (result) => {
      unlisten(registration);
      if (result === 'ok' || result === 'abandoned') {
        hold(this.#address, this.#word);
        this.#isLocked(result === 'ok' ? OK : OK_ABANDONED, guard);
        resolvePromise(guard);
      } else {
        rejectPromise(result === 'timed-out' ? timedOut() : reasonOf(signal));
      }
    };
    const fill = () => {
      prepareToHold(this.#word);
      doubles[ADDRESS] = this.#address;
      doubles[TIMEOUT] = timeout;
    };
    const outcome =
      enqueueWithSignal(registration, signal, ref !== false, settler, resource, this.#word, fill, native.lockOrEnqueue);
    if (this.#isLocked(outcome, guard)) return undefined;
    if (outcome === undefined) rejectPromise(reasonOf(signal));
    if (outcome === TIMED_OUT) rejectPromise(timedOut());
    return promise;
  }
}

function timedOut() {
  return new DOMException('AsyncLock.lockAsync: the lock was still held when the time-out was over', 'TimeoutError');
}

module.exports = { AsyncLock, AsyncLockGuard };
