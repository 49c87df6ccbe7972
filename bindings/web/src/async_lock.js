// SPDX-License-Identifier: MIT
// The lock as a program sees it.

import { failure, requireKind, timedOut } from './failure.js';
import { observed, runLocked } from './nested_lock.js';
import { dispose, Operation } from './operation.js';
import { readWaitOptions } from './option_bag.js';
import { placeOf, Primitive } from './primitive.js';

/// The state of a guard's lock, and its tag, which becomes another.
export let swapTag;

/** Owns a lock, until it unlocks it or goes out of the scope of a `using`. */
class AsyncLockGuard {
  static {
    swapTag = (guard, tag = guard.#tag) => [guard.#state, guard.#tag, guard.#tag = tag];
  }

  #state;
  #tag;

  constructor(state, tag) {
    this.#state = state;
    this.#tag = tag;
  }

  /** Whether a thread ended while it held the lock, and no owner since has looked. */
  get wasAbandoned() {
    return this.#state.wasAbandoned(this.#tag);
  }

  /** Whether it still holds the lock. */
  get ownsLock() {
    return this.#state.owns(this.#tag);
  }

  /** Unlocks before the end of the scope. */
  unlock() {
    const tag = this.#tag;
    this.#tag = 0;
    if (!this.#state.release(tag)) throw failure('EPERM', 'AsyncLockGuard.unlock', 'the guard does not hold the lock');
  }

  [dispose]() {
    if (this.ownsLock) this.unlock();
    this.#tag = 0;  // the guard may be that of a Condition's waiter
  }

  /// Even if a program puts a `then` on Object.prototype, a promise that is resolved with a guard is fulfilled with it.
  get then() {
    return undefined;
  }
}

/// What `lockAsync` does, or `executeLocked`, which has a callback.
async function start(lock, name, options, hasCallback, callback) {
  const state = stateOf(lock);
  if (hasCallback) requireKind(name, 'callback', callback, 'function');
  const read = readWaitOptions(options, name, false);
  read.signal?.throwIfAborted();

  let tag = state.take();
  if (!tag) {
    const lateness = read.timeout < Infinity && timedOut(name);  // later no frame of the program's is on the stack
    tag = await state.acquire(read, name);
    if (!tag) throw lateness;
  }
  const guard = new AsyncLockGuard(state, tag);
  if (!hasCallback) return guard;

  const release = () => state.release(swapTag(guard, 0)[1]);  // a Condition's wait has changed the tag
  const call = { awaited: [], isPending: false };
  let result;
  try {
    result = runLocked(state, call, () => callback(guard));
    if (call.isPending) result = await result;
  } catch (error) {
    release();  // the callback may have done so itself: its own exception says more
    throw error;
  } finally {
    call.isPending = false;
  }
  if (!release()) throw failure('EPERM', name, 'the callback has released the lock');
  return result;
}

const NAME = 'AsyncLock';
const stateOf = (lock) => placeOf(lock, NAME);

/// The class, over wait queues: `makeState` gives the state of a lock in this thread, the same for all its AsyncLock objects, and
/// `requireCanBlock` throws where that may not block.
export function makeAsyncLock(makeState, requireCanBlock) {
  /** A mutex for threads that may block and for those that must not: four bytes of shared memory, zero when free. */
  return class AsyncLock extends Primitive {
    static byteLength = 4;

    constructor(buffer, byteOffset = 0, options = undefined) {
      super(NAME, 4, makeState, buffer, byteOffset, options, { strict: 'boolean' }, ({ strict }, words, state) => state.makeStrict(strict));
    }

    get wasAbandoned() {
      return stateOf(this).wasAbandoned();
    }

    lock(options = undefined) {
      const name = 'AsyncLock.lock';
      const state = stateOf(this);
      requireCanBlock(name);
      const { timeout } = readWaitOptions(options, name, true);
      let tag = state.take();
      if (!tag) {
        if (timeout === Infinity && state.owns())
          throw failure('EDEADLK', name, 'this thread holds the lock already');
        tag = state.lock(timeout);
        if (!tag) throw timedOut(name);
      }
      return new AsyncLockGuard(state, tag);
    }

    tryLock() {
      const state = stateOf(this);
      const tag = state.take();
      return tag ? new AsyncLockGuard(state, tag) : undefined;
    }

    unlock() {
      if (!stateOf(this).release()) throw failure('EPERM', 'AsyncLock.unlock', 'the lock is not held');
    }

    locking() {
      const state = stateOf(this);
      return new Operation(state, (tag) => new AsyncLockGuard(state, tag));
    }

    lockAsync(options = undefined) {
      return observed(() => start(this, 'AsyncLock.lockAsync', options, false));
    }

    executeLocked(callback, options = undefined) {
      return observed(() => start(this, 'AsyncLock.executeLocked', options, true, callback));
    }
  };
}
