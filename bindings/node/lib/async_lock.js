// SPDX-License-Identifier: MIT
'use strict';
// The lock: the same word and protocol as futon::AsyncLock.

const {
  sharedByteLength, isAborted, reasonOf, reject, maxSafeInteger, Int32Array, Error, TypeError,
  RangeError, DOMException, Symbol,
} = require('./primordials.js');
const {
  native, doubles, ints, ADDRESS, TIMEOUT, OUTCOME, BATCH_SIZE, OK, TIMED_OUT, NOT_HELD,
} = require('./native.js');
const { requireShared, isShared, describe } = require('./view.js');
const { toTimeout } = require('./coerce.js');
const { requireCanBlock } = require('./agent.js');
const { makePromise, capability, hold, setWork, settle } = require('./pending.js');
const { readOptions, watch } = require('./options.js');

const dispose = Symbol.dispose ?? Symbol.for('nodejs.dispose');

function isThenable(value) {
  return (typeof value === 'object' || typeof value === 'function') && value !== null &&
    typeof value.then === 'function';
}

/** A lock that is held, until it is unlocked or goes out of the scope of a `using`. */
class AsyncLockGuard {
  #lock;

  constructor(lock) {
    this.#lock = lock;
  }

  /** Whether it still holds the lock. */
  get ownsLock() {
    return this.#lock !== undefined;
  }

  /** Unlocks before the end of the scope. Throws an Error if this holds nothing any more. */
  unlock() {
    if (this.#lock === undefined) throw notHeld('AsyncLockGuard.unlock: it holds no lock');
    this[dispose]();
  }

  [dispose]() {
    const lock = this.#lock;
    this.#lock = undefined;
    lock?.unlock();
  }
}

function notHeld(message) {
  const error = new Error(message);
  error.code = 'EPERM';
  return error;
}

class AsyncLock {
  #word;
  #address;

  constructor(buffer, byteOffset = 0) {
    if (!isShared(buffer)) throw new TypeError(`AsyncLock: buffer must be a SharedArrayBuffer, not ${describe(buffer)}`);
    if (typeof byteOffset !== 'number')
      throw new TypeError(`AsyncLock: byteOffset must be a number, not ${typeof byteOffset}`);
    const length = sharedByteLength(buffer);
    if (!(byteOffset >= 0 && byteOffset <= maxSafeInteger && byteOffset % 4 === 0 && byteOffset + 4 <= length))
      throw new RangeError(`AsyncLock: byteOffset must be a multiple of 4 from 0 to ${length - 4}, not ${byteOffset}`);
    this.#word = new Int32Array(buffer, byteOffset, 1);
    this.#address = requireShared(this.#word, 'AsyncLock');
  }

  lock() {
    requireCanBlock('AsyncLock.lock');
    doubles[ADDRESS] = this.#address;
    native.lock();
    return new AsyncLockGuard(this);
  }

  tryLock() {
    doubles[ADDRESS] = this.#address;
    native.tryLock();
    return ints[OUTCOME] === OK;
  }

  unlock() {
    doubles[ADDRESS] = this.#address;
    native.unlock();
    const outcome = ints[OUTCOME];
    if (ints[BATCH_SIZE] !== 0) settle();
    if (outcome === NOT_HELD) throw notHeld('AsyncLock.unlock: nobody holds the lock');
  }

  async lockAsync(options = undefined) {
    const { signal, ref, timeout } = options === undefined ? {} : readOptions(options, 'AsyncLock.lockAsync');
    const milliseconds = toTimeout(timeout, 'AsyncLock.lockAsync');
    if (signal !== undefined && isAborted(signal)) throw reasonOf(signal);
    return this.#join(signal, ref, milliseconds) ?? new AsyncLockGuard(this);
  }

  async executeLocked(callback) {
    if (typeof callback !== 'function')
      throw new TypeError(`AsyncLock.executeLocked: callback must be a function, not ${typeof callback}`);
    const guard = this.#join(undefined, true, Infinity);
    if (guard !== undefined) await guard;
    try {
      const result = callback();
      return isThenable(result) ? await result : result;
    } finally {
      this.unlock();
    }
  }

  /// Takes the lock, and then returns undefined; or joins its line, and returns a promise of a guard.
  #join(signal, ref, timeout) {
    const promise = makePromise();
    const { resolve: resolvePromise, reject: rejectPromise } = capability;
    doubles[ADDRESS] = this.#address;
    doubles[TIMEOUT] = timeout;
    native.joinLock();
    const outcome = ints[OUTCOME];
    if (outcome === OK) return undefined;
    if (outcome === TIMED_OUT) return reject(timedOut());

    const stop = watch(signal, outcome, rejectPromise);
    hold(outcome, (result) => {
      stop();
      if (result === 'ok') {
        resolvePromise(new AsyncLockGuard(this));
      } else {
        rejectPromise(result === 'timed-out' ? timedOut() : reasonOf(signal));
      }
    }, this.#word);
    if (ref === false) setWork(outcome, false);
    return promise;
  }
}

function timedOut() {
  return new DOMException('AsyncLock.lockAsync: the time is over, and the lock is still held', 'TimeoutError');
}

module.exports = { AsyncLock, AsyncLockGuard };
