// SPDX-License-Identifier: MIT
'use strict';
// The lock: the same word and protocol as futon::AsyncLock.

const {
  typedArrayBuffer, typedArrayByteOffset, sharedByteLength, isAborted, reasonOf, maxSafeInteger, defineProperty,
  captureStackTrace, compareExchange, hasOwn, Int32Array, Error, TypeError, RangeError, DOMException, Symbol,
} = require('./primordials.js');
const {
  native, doubles, ints, ADDRESS, TIMEOUT, OUTCOME, BATCH_SIZE, OK, TIMED_OUT, NOT_HELD,
} = require('./native.js');
const { requireShared } = require('./view.js');
const { describe, isShared } = require('./describe.js');
const { requireCanBlock } = require('./agent.js');
const { makePromise, capability, settle } = require('./pending.js');
const { readOptions, readBlockingOptions, readLockOptions } = require('./option_bag.js');
const { enqueueWithSignal } = require('./options.js');
const { Registration, unlisten } = require('./abort.js');

const dispose = hasOwn(Symbol, 'dispose') ? Symbol.dispose : Symbol.for('nodejs.dispose');
const STRICT = 4;  // in the word of a lock, as AsyncLock::strict of C++

function isThenable(value) {
  return (typeof value === 'object' || typeof value === 'function') && value !== null &&
    typeof value.then === 'function';
}

/** Owns a lock, until it unlocks it or goes out of the scope of a `using`. */
class AsyncLockGuard {
  #lock;

  constructor(lock) {
    this.#lock = lock;
  }

  /** Whether it still holds the lock. */
  get ownsLock() {
    return this.#lock !== undefined;
  }

  /** Unlocks before the end of the scope. Throws an Error if it does not hold the lock any more. */
  unlock() {
    if (this.#lock === undefined) throw notHeld('AsyncLockGuard.unlock: the guard does not hold the lock');
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

function notHeld(message) {
  const error = new Error(message);
  defineProperty(error, 'code',
    { __proto__: null, value: 'EPERM', writable: true, enumerable: true, configurable: true });
  return error;
}

/// The error of a call of `caller`. Its stack begins with the frame that has called that.
function timedOut(name, caller) {
  const error = new DOMException(`${name}: the lock was still held when the time-out was over`, 'TimeoutError');
  captureStackTrace(error, caller);
  return error;
}

let unlock;  // still ours if a program replaces AsyncLock.prototype.unlock
let isLock;

const cannotBeCloned = () => 'An AsyncLock: send its buffer and byteOffset, and make an AsyncLock of them there';

function requireLock(value, name) {
  if (!isLock(value)) throw new TypeError(`AsyncLock.${name}: this must be an AsyncLock, not ${describe(value)}`);
}

class AsyncLock {
  static {
    unlock = (lock) => lock.#unlock();
    isLock = (value) => typeof value === 'object' && value !== null && #address in value;
  }

  // A structured clone of the lock would be an empty object. Because of this function it throws, with the text of it.
  cannotBeCloned = cannotBeCloned;

  #word;
  #address;

  constructor(buffer, byteOffset = 0, options = undefined) {
    if (!isShared(buffer))
      throw new TypeError(`AsyncLock: buffer must be a SharedArrayBuffer, not ${describe(buffer)}`);
    if (typeof byteOffset !== 'number')
      throw new TypeError(`AsyncLock: byteOffset must be a number, not ${describe(byteOffset)}`);
    const length = sharedByteLength(buffer);
    if (length < 4) throw new RangeError(`AsyncLock: buffer must have four bytes at least, not ${length}`);
    if (!(byteOffset >= 0 && byteOffset <= maxSafeInteger && byteOffset % 4 === 0 && byteOffset + 4 <= length))
      throw new RangeError(`AsyncLock: byteOffset must be a multiple of 4 from 0 to ${length - 4}, not ${byteOffset}`);
    this.#word = new Int32Array(buffer, byteOffset, 1);
    this.#address = requireShared(this.#word, 'AsyncLock');
    if (readLockOptions(options, 'AsyncLock')) this.#makeStrict();
  }

  get buffer() {
    requireLock(this, 'buffer');
    return typedArrayBuffer(this.#word);
  }

  get byteOffset() {
    requireLock(this, 'byteOffset');
    return typedArrayByteOffset(this.#word);
  }

  // These functions make the guard before they lock: if the stack is full, that throws while nothing is locked.

  lock(options = undefined) {
    requireLock(this, 'lock');
    requireCanBlock('AsyncLock.lock');
    const timeout = readBlockingOptions(options, 'AsyncLock.lock');
    const guard = new AsyncLockGuard(this);
    doubles[ADDRESS] = this.#address;
    doubles[TIMEOUT] = timeout;
    native.lock();
    if (ints[OUTCOME] === TIMED_OUT) throw timedOut('AsyncLock.lock', lock);
    // Another outcome means that Node ends this thread, and then no code of it runs any more.
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
    const read = readOptions(options, 'AsyncLock.lockAsync');
    if (read.signal !== undefined && isAborted(read.signal)) throw reasonOf(read.signal);
    const guard = new AsyncLockGuard(this);
    const promise = this.#lockOrEnqueue(guard, read, 'AsyncLock.lockAsync', lockAsync);
    if (promise === undefined) return guard;
    return await promise;
  }

  async executeLocked(callback, options = undefined) {
    requireLock(this, 'executeLocked');
    if (typeof callback !== 'function')
      throw new TypeError(`AsyncLock.executeLocked: callback must be a function, not ${describe(callback)}`);
    const read = readOptions(options, 'AsyncLock.executeLocked');
    if (read.signal !== undefined && isAborted(read.signal)) throw reasonOf(read.signal);
    const promise = this.#lockOrEnqueue(undefined, read, 'AsyncLock.executeLocked', executeLocked);
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

  #unlock() {
    doubles[ADDRESS] = this.#address;
    native.unlock();
    const outcome = ints[OUTCOME];
    if (ints[BATCH_SIZE] !== 0) settle();
    if (outcome === NOT_HELD) throw notHeld('AsyncLock.unlock: the lock is not held');
  }

  #makeStrict() {
    const old = compareExchange(this.#word, 0, 0, STRICT);
    if (old !== 0 && (old & STRICT) === 0)
      throw new Error('AsyncLock: options.strict is for a lock that is not in use yet; this one is, and is not strict');
  }

  /// Locks and returns undefined, or enqueues a waiter and returns a promise of `guard`. `caller`, a function called
  /// `name`, was called by the program.
  #lockOrEnqueue(guard, { signal, ref, timeout }, name, caller) {
    const promise = makePromise();
    const { resolve: resolvePromise, reject: rejectPromise } = capability;
    doubles[ADDRESS] = this.#address;
    native.tryLock();
    if (ints[OUTCOME] === OK) return undefined;

    // Made here, for later there is no frame of the program's on the stack.
    const lateness = timeout === Infinity ? undefined : timedOut(name, caller);
    const registration = new Registration(rejectPromise);
    const settler = (result) => {
      unlisten(registration);
      if (result === 'ok') {
        resolvePromise(guard);
      } else {
        rejectPromise(result === 'timed-out' ? lateness : reasonOf(signal));
      }
    };
    const fill = () => {
      doubles[ADDRESS] = this.#address;
      doubles[TIMEOUT] = timeout;
    };
    const outcome =
      enqueueWithSignal(registration, signal, ref, settler, this.#word, fill, native.lockOrEnqueue);
    if (outcome === OK) return undefined;
    if (outcome === undefined) rejectPromise(reasonOf(signal));
    if (outcome === TIMED_OUT) rejectPromise(lateness);
    return promise;
  }
}

// Where the stack of a time-out begins, even if a program replaces the functions of the prototype.
const { lock, lockAsync, executeLocked } = AsyncLock.prototype;

module.exports = { AsyncLock, AsyncLockGuard };
