// SPDX-License-Identifier: MIT
'use strict';
// The lock: the same word and protocol as futon::AsyncLock.

const {
  typedArrayBuffer, typedArrayByteOffset, sharedByteLength, isAborted, reasonOf, maxSafeInteger, defineProperty,
  compareExchange, clearBits, load, hasOwn, Int32Array, Error, TypeError, RangeError, Symbol,
} = require('./primordials.js');
const {
  native, doubles, ints, ADDRESS, TIMEOUT, COUNT, OUTCOME, BATCH_SIZE, OK, TIMED_OUT, NOT_HELD, HELD_HERE, ACQUISITION, KIND,
} = require('./native.js');
const { requireShared } = require('./view.js');
const { describe, isShared } = require('./describe.js');
const { requireCanBlock } = require('./agent.js');
const { requireRoom, makePromise, capability, settle } = require('./pending.js');
const { readOptions, readBlockingOptions, readLockOptions } = require('./option_bag.js');
const { enqueueWithSignal } = require('./options.js');
const { prepareToHold, notHeld, hold, released } = require('./held_locks.js');
const { Registration, unlisten } = require('./abort.js');
const { failure, siteOf, timedOut, timedOutLater } = require('./failure.js');
const { LockedCall, noteNested, observed } = require('./nested_lock.js');
const { Operation } = require('./operation.js');
const { Hold, prepareToWatch, watch } = require('./lost_guards.js');
const { isDiagnosed, noteCall, noteMemory } = require('./diagnosis.js');

const dispose = hasOwn(Symbol, 'dispose') ? Symbol.dispose : Symbol.for('nodejs.dispose');
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

// In the word of a lock, as in AsyncLock of C++.
const HELD = 1;
const STRICT = 8;
const ABANDONED = 2;

const LOCK_KIND = 0;  // as Kind of src/mailbox.hpp

function isThenable(value) {
  return (typeof value === 'object' || typeof value === 'function') && value !== null &&
    typeof value.then === 'function';
}

let acquire;
let release;
let heldBy;
let leave;
let lossOf;
let comeBack;
let isHeldBy;
let takeAbandonment;

const LATE = Symbol('late');  // what the promise of a waiter gives whose time-out is over

/** Owns a lock, until it unlocks it or goes out of the scope of a `using`. */
class AsyncLockGuard {
  #lock;
  #acquisition = 0;
  #wasAbandoned = false;
  #isGivenUp = false;  // unlocked while it waits at a condition
  #place;              // where it was taken, if that is known

  constructor(lock, caller) {
    this.#lock = lock;
    if (isDiagnosed) noteCall();
    this.#place = prepareToWatch(caller);
    acquire(this, 0, false);  // so that it is compiled, and there is room for it, when the lock is held
  }

  static {
    release = (guard) => guard.#release();
    acquire = (guard, acquisition, wasAbandoned) => {
      guard.#acquisition = acquisition;
      guard.#wasAbandoned = wasAbandoned;
    };
    // For a wait at a condition: what the guard holds, if it does; it holds nothing from here on; it holds the lock again.
    heldBy = (guard) => (guard.ownsLock ? memoryOf(guard.#lock, guard.#acquisition) : undefined);
    lossOf = (guard) => {
      const held = heldBy(guard);
      if (held === undefined) return undefined;
      const { address, acquisition } = held;
      const isHeld = () => {
        doubles[ADDRESS] = address;
        native.noteOf();
        return ints[ACQUISITION] === acquisition;
      };
      return new Hold('an AsyncLock', isHeld, guard.#place);
    };
    leave = (guard) => acquire(guard, 0, false);
    comeBack = (guard) => {
      lockedAgain(guard.#lock, guard);
      if (guard.#isGivenUp) guard.#release();
    };
  }

  /** Whether a thread ended while it held the lock, and no owner has been told since. This tells the owner. */
  get wasAbandoned() {
    if (this.#wasAbandoned && this.#lock !== undefined) takeAbandonment(this.#lock, this.#acquisition);
    return this.#wasAbandoned;
  }

  /** Whether it still holds the lock. */
  get ownsLock() {
    return this.#lock !== undefined && isHeldBy(this.#lock, this.#acquisition);
  }

  /** Unlocks before the end of the scope. Throws an Error if it does not hold the lock any more. */
  unlock() {
    if (!this.#release()) throw failure('EPERM', 'AsyncLockGuard.unlock: the guard does not hold the lock');
  }

  /** The same, if it still holds the lock. */
  [dispose]() {
    this.#release();
  }

  /// Returns whether it held the lock. Another acquisition of the lock is not released.
  #release() {
    if (this.#lock === undefined) return false;
    if (this.#acquisition === 0) {  // it waits at a condition, and unlocks when that is over
      this.#isGivenUp = true;
      return false;
    }
    const wasHeld = tryUnlock(this.#lock, this.#acquisition);  // if the stack is full it throws, and the guard keeps the lock
    this.#lock = undefined;
    return wasHeld;
  }

  [inspectCustom](depth, options, inspect) {
    if (!(#lock in this)) return this;
    return `AsyncLockGuard ${inspect({ ownsLock: this.ownsLock, wasAbandoned: this.#wasAbandoned }, options)}`;
  }
}

// Even if a program puts a `then` on Object.prototype, a promise that is resolved with a guard is fulfilled with it.
defineProperty(AsyncLockGuard.prototype, 'then',
  { __proto__: null, value: undefined, writable: true, configurable: true });

const notHeldError = () => failure('EPERM', 'AsyncLock.unlock: the lock is not held');

let tryUnlock;  // still ours if a program replaces AsyncLock.prototype.unlock
let isLock;
let stateOf;
let addressOfLock;
let operationOf;
let memoryOf;
let lockedAgain;
let startToLock;
let startToExecute;

const cannotBeCloned = Symbol('An AsyncLock: send its buffer and byteOffset, and make an AsyncLock of them there');

function requireLock(value, name) {
  if (!isLock(value)) throw new TypeError(`AsyncLock.${name}: this must be an AsyncLock, not ${describe(value)}`);
}

class AsyncLock {
  static byteLength = 4;

  static {
    tryUnlock = (lock, acquisition) => lock.#tryUnlock(acquisition);
    startToLock = async (lock, options) => {
      requireLock(lock, 'lockAsync');
      const read = readOptions(options, 'AsyncLock.lockAsync');
      if (read.signal !== undefined && isAborted(read.signal)) throw reasonOf(read.signal);
      const guard = new AsyncLockGuard(lock, lockAsync);
      const promise = lock.#lockOrEnqueue(guard, read, 'AsyncLock.lockAsync', lockAsync);
      if (promise !== undefined && await promise === LATE)
        throw timedOutLater('AsyncLock.lockAsync', startToLock, read.site);
      return guard;
    };
    startToExecute = async (lock, callback, options) => {
      requireLock(lock, 'executeLocked');
      if (typeof callback !== 'function')
        throw new TypeError(`AsyncLock.executeLocked: callback must be a function, not ${describe(callback)}`);
      const read = readOptions(options, 'AsyncLock.executeLocked');
      if (read.signal !== undefined && isAborted(read.signal)) throw reasonOf(read.signal);
      const guard = new AsyncLockGuard(lock, executeLocked);
      // All that may not throw once the lock is held is made, compiled and given room here, for the stack may be nearly full.
      const call = new LockedCall(lock.#address);
      call.enter();
      call.leave();
      call.end();
      requireRoom(24);
      const promise = lock.#lockOrEnqueue(guard, read, 'AsyncLock.executeLocked', executeLocked);
      if (promise !== undefined && await promise === LATE)
        throw timedOutLater('AsyncLock.executeLocked', startToExecute, read.site);
      let result;
      try {
        call.enter();
        try {
          result = callback(guard);
        } finally {
          call.leave();
        }
        if (isThenable(result)) {
          call.begin();
          result = await result;
          call.end();
        }
      } catch (error) {
        call.end();
        release(guard);  // the callback may have done so itself: its own exception says more
        throw error;
      }
      if (!release(guard)) throw failure('EPERM', 'AsyncLock.executeLocked: the callback has released the lock');
      return result;
    };
    isHeldBy = (lock, acquisition) => {
      doubles[ADDRESS] = lock.#address;
      native.noteOf();
      return ints[ACQUISITION] === acquisition && acquisition !== 0;
    };
    takeAbandonment = (lock, acquisition) => {
      if (isHeldBy(lock, acquisition)) clearBits(lock.#word, 0, ABANDONED);  // only the owner clears it
    };
    operationOf = (lock) => {
      const fill = () => {
        doubles[ADDRESS] = lock.#address;
        ints[KIND] = LOCK_KIND;
      };
      const finish = () => {
        const guard = new AsyncLockGuard(lock);
        hold(lock.#address, lock.#word);
        lock.#isLocked(OK, guard);
        return guard;
      };
      return new Operation(fill, lock.#word, finish);
    };
    memoryOf = (lock, acquisition) => ({ __proto__: null, address: lock.#address, word: lock.#word, acquisition });
    lockedAgain = (lock, guard) => lock.#isLocked(OK, guard);
    addressOfLock = (value) => (isLock(value) ? value.#address : undefined);
    isLock = (value) => typeof value === 'object' && value !== null && #address in value;
  }

  // A structured clone of the lock would be an empty object. Because of this symbol it throws, with the text of it.
  cannotBeCloned = cannotBeCloned;

  #word;
  #address;
  #wasAbandoned = false;
  #acquisition = 0;  // the last by this object

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
    this.#address = requireShared(this.#word, 'AsyncLock').address;
    if (isDiagnosed) noteMemory(buffer, this.#address, byteOffset);
    const strict = readLockOptions(options, 'AsyncLock');
    if (strict !== undefined) this.#makeStrict(strict);
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
    const guard = new AsyncLockGuard(this, lock);
    requireRoom(4);  // for the calls that note an abandonment
    doubles[ADDRESS] = this.#address;
    doubles[TIMEOUT] = timeout;
    prepareToHold(this.#word);
    native.lock();
    if (this.#isLocked(ints[OUTCOME], guard)) return guard;
    if (ints[OUTCOME] === TIMED_OUT) throw timedOut('AsyncLock.lock', lock);
    if (ints[OUTCOME] === HELD_HERE) throw failure('EDEADLK', 'AsyncLock.lock: this thread holds the lock already');
    // Node ends this thread, and then no code of it runs any more.
    throw new Error('AsyncLock.lock: this thread is being ended');
  }

  tryLock() {
    requireLock(this, 'tryLock');
    const guard = new AsyncLockGuard(this, tryLock);
    doubles[ADDRESS] = this.#address;
    prepareToHold(this.#word);
    native.tryLock();
    return this.#isLocked(ints[OUTCOME], guard) ? guard : undefined;
  }

  unlock() {
    requireLock(this, 'unlock');
    this.#unlock();
  }

  locking() {
    requireLock(this, 'locking');
    return operationOf(this);
  }

  lockAsync(options = undefined) {
    return observed(startToLock, this, options);
  }

  executeLocked(callback, options = undefined) {
    return observed(startToExecute, this, callback, options);
  }

  /** What the guard of the last acquisition by this object says. */
  get wasAbandoned() {
    requireLock(this, 'wasAbandoned');
    if (this.#wasAbandoned) takeAbandonment(this, this.#acquisition);
    return this.#wasAbandoned;
  }

  /// Whether a call of the addon has locked; notes whether the lock was abandoned. That stays in its word until an owner has asked.
  #isLocked(outcome, guard) {
    if (outcome !== OK) {
      notHeld();
      return false;
    }
    this.#wasAbandoned = (load(this.#word, 0) & ABANDONED) !== 0;
    this.#acquisition = ints[ACQUISITION];
    acquire(guard, this.#acquisition, this.#wasAbandoned);
    try {
      watch(guard, lossOf);
    } catch {
      // The stack is full: a loss of this guard is not told.
    }
    return true;
  }

  #unlock() {
    if (!this.#tryUnlock(0)) throw notHeldError();
  }

  /// Returns whether the lock was held: by that acquisition, if it is not zero. If the stack is full it throws, and nothing was
  /// unlocked.
  #tryUnlock(acquisition) {
    doubles[ADDRESS] = this.#address;
    ints[ACQUISITION] = acquisition;
    native.unlock();
    const outcome = ints[OUTCOME];
    try {
      released();
      if (ints[BATCH_SIZE] !== 0) settle();
    } catch {
      // The stack is full. The loop settles what is left.
    }
    return outcome !== NOT_HELD;
  }

  #makeStrict(strict) {
    const old = strict ? compareExchange(this.#word, 0, 0, STRICT) : load(this.#word, 0);
    if (!strict && (old & STRICT) !== 0) throw new Error('AsyncLock: options.strict is false, and this lock is strict');
    if (strict && old !== 0 && (old & STRICT) === 0)
      throw new Error('AsyncLock: options.strict is for a lock that is not in use yet; this one is, and is not strict');
  }

  /// Locks and returns undefined, or enqueues a waiter and returns a promise, which gives LATE if the waiter does not get the lock
  /// in time. `caller`, a function called `name`, was called by the program.
  #lockOrEnqueue(guard, read, name, caller) {
    const { signal, ref, timeout } = read;
    requireRoom(8);
    doubles[ADDRESS] = this.#address;
    prepareToHold(this.#word);
    native.tryLock();
    if (this.#isLocked(ints[OUTCOME], guard)) return undefined;

    const promise = makePromise('futon.AsyncLock');
    const { resolve: resolvePromise, reject: rejectPromise, resource } = capability;
    if (timeout !== Infinity) read.site = siteOf(name, caller);
    const registration = new Registration(rejectPromise);
    const settler = (result) => {
      unlisten(registration);
      if (result === 'ok') {
        hold(this.#address, this.#word);
        this.#isLocked(OK, guard);
        resolvePromise();
      } else if (result === 'timed-out') {
        resolvePromise(LATE);
      } else {
        rejectPromise(reasonOf(signal));
      }
    };
    const fill = () => {
      prepareToHold(this.#word);
      doubles[ADDRESS] = this.#address;
      doubles[TIMEOUT] = timeout;
      ints[KIND] = LOCK_KIND;
    };
    const outcome =
      enqueueWithSignal(registration, signal, ref, settler, resource, this.#word, fill, native.beginOperation);
    if (this.#isLocked(outcome, guard)) return undefined;
    if (outcome === undefined) rejectPromise(reasonOf(signal));
    if (outcome === TIMED_OUT) rejectPromise(timedOut(name, caller));
    if (outcome >= 0) noteNested(this.#address, registration, rejectPromise, name, caller);
    return promise;
  }

  /// What `inspect` says.
  static {
    stateOf = (lock) => {
      if (!isLock(lock)) throw new TypeError(`inspect: lock must be an AsyncLock, not ${describe(lock)}`);
      doubles[ADDRESS] = lock.#address;
      native.holderOf();
      const holder = doubles[COUNT];
      const word = load(lock.#word, 0);
      return {
        __proto__: null, address: lock.#address, isLocked: (word & HELD) !== 0, isStrict: (word & STRICT) !== 0,
        isAbandoned: (word & ABANDONED) !== 0, holder: (word & HELD) === 0 || holder < 0 ? undefined : holder,
      };
    };
  }

  [inspectCustom](depth, options, inspect) {
    if (!isLock(this)) return this;
    const { isLocked, isStrict, isAbandoned, holder } = stateOf(this);
    return `AsyncLock ${inspect({ byteOffset: this.byteOffset, isLocked, isStrict, isAbandoned, holder }, options)}`;
  }
}

// Where the stack of a time-out begins, even if a program replaces the functions of the prototype.
const { lock, tryLock, lockAsync, executeLocked } = AsyncLock.prototype;

module.exports = { AsyncLock, AsyncLockGuard, stateOf, addressOfLock, heldBy, leave, comeBack };
