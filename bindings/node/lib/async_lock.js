// SPDX-License-Identifier: MIT
'use strict';
// The lock: the same word and protocol as futon::AsyncLock.

const {
  sharedByteLength, isAborted, reasonOf, reject, maxSafeInteger, defineProperty, Int32Array, Error, TypeError,
  RangeError, DOMException, Symbol,
} = require('./primordials.js');
const {
  native, doubles, ints, ADDRESS, TIMEOUT, OUTCOME, BATCH_SIZE, OK, TIMED_OUT, NOT_HELD,
} = require('./native.js');
const { requireShared, isShared, describe } = require('./view.js');
const { toTimeout } = require('./coerce.js');
const { requireCanBlock } = require('./agent.js');
const { makePromise, capability, settle } = require('./pending.js');
const { readOptions, joinWithSignal } = require('./options.js');
const { Registration, unlisten } = require('./abort.js');

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

// Whatever a program puts on Object.prototype: a promise that is resolved with a guard is fulfilled with it.
defineProperty(AsyncLockGuard.prototype, 'then', { __proto__: null, value: undefined, writable: true, configurable: true });

function notHeld(message) {
  const error = new Error(message);
  error.code = 'EPERM';
  return error;
}

let unlock;  // whatever a program puts in the place of AsyncLock.prototype.unlock
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

  // In each of these a guard is made before the lock is taken: where the stack is full, that throws.

  lock() {
    requireLock(this, 'lock');
    requireCanBlock('AsyncLock.lock');
    const guard = new AsyncLockGuard(this);
    doubles[ADDRESS] = this.#address;
    native.lock();
    // It says something else only if Node ends this thread, and then nothing runs here any more.
    if (ints[OUTCOME] !== OK) throw new Error('AsyncLock.lock: this thread is being ended');
    return guard;
  }

  tryLock() {
    requireLock(this, 'tryLock');
    doubles[ADDRESS] = this.#address;
    native.tryLock();
    return ints[OUTCOME] === OK;
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
    const promise = this.#join(guard, signal, ref, milliseconds);
    if (promise === undefined) return guard;
    return await promise;
  }

  async executeLocked(callback) {
    requireLock(this, 'executeLocked');
    if (typeof callback !== 'function')
      throw new TypeError(`AsyncLock.executeLocked: callback must be a function, not ${typeof callback}`);
    const promise = this.#join(undefined, undefined, true, Infinity);
    if (promise !== undefined) await promise;
    let result;
    try {
      result = callback();
      if (isThenable(result)) result = await result;
    } catch (error) {
      try {
        this.#unlock();
      } catch {
        // It was unlocked already: the callback's exception says more.
      }
      throw error;
    }
    this.#unlock();
    return result;
  }

  #unlock() {
    doubles[ADDRESS] = this.#address;
    native.unlock();
    const outcome = ints[OUTCOME];
    if (ints[BATCH_SIZE] !== 0) settle();
    if (outcome === NOT_HELD) throw notHeld('AsyncLock.unlock: nobody holds the lock');
  }

  /// Takes the lock, and then returns undefined; or joins its line, and returns a promise of `guard`.
  #join(guard, signal, ref, timeout) {
    const promise = makePromise();
    const { resolve: resolvePromise, reject: rejectPromise } = capability;
    doubles[ADDRESS] = this.#address;
    native.tryLock();
    if (ints[OUTCOME] === OK) return undefined;

    const registration = new Registration(rejectPromise);
    const settler = (result) => {
      unlisten(registration);
      if (result === 'ok') {
        resolvePromise(guard);
      } else {
        rejectPromise(result === 'timed-out' ? timedOut() : reasonOf(signal));
      }
    };
    const fill = () => {
      doubles[ADDRESS] = this.#address;
      doubles[TIMEOUT] = timeout;
    };
    const outcome = joinWithSignal(registration, signal, ref !== false, settler, this.#word, fill, native.joinLock);
    if (outcome === OK) return undefined;
    if (outcome === undefined) rejectPromise(reasonOf(signal));
    if (outcome === TIMED_OUT) rejectPromise(timedOut());
    return promise;
  }
}

function timedOut() {
  return new DOMException('AsyncLock.lockAsync: the time is over, and the lock is still held', 'TimeoutError');
}

module.exports = { AsyncLock, AsyncLockGuard };
