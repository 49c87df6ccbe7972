// SPDX-License-Identifier: MIT
// The lock of C++ at a place of a program's memory, as a thread of JavaScript sees it.

import { compareExchange } from '../engine.js';
import { fail } from '../failure.js';
import { noteNested } from '../nested_lock.js';
import { isPending, OK, TIMED_OUT } from './program.js';

const STRICT = 8;  // as in futon::AsyncLock

/// Gives `stateOf` for makeAsyncLock.
export function makeLocks({ Module, failure, promiseOf }, { requireOwn }) {
  const running = new Map();  // by addresses: the calls of executeLocked whose callback runs

  /// The tag of the acquisition: zero if the call has not locked in time.
  const tagOf = (answer, name) => {
    if (answer > TIMED_OUT) throw failure(answer, name);
    return answer === OK ? Module._futon_module_acquisition() : 0;
  };

  class LockState {
    #address;

    constructor(name, words) {
      this.name = name;
      this.words = words;
      this.#address = words.byteOffset;
    }

    get running() {
      return running.get(this.#address);
    }

    set running(call) {
      if (call === undefined) running.delete(this.#address);
      else running.set(this.#address, call);
    }

    makeStrict(strict) {
      const seen = compareExchange(this.words, 0, 0, strict ? STRICT : 0);
      return (strict && seen === 0) || ((seen & STRICT) !== 0) === strict;
    }

    /// Whether it is held by that acquisition; by one of this thread's JavaScript, if none is named.
    owns(tag = Module._futon_module_held_here(this.#address)) {
      return tag !== 0 && Module._futon_module_is_acquired(this.#address, tag) !== 0;
    }

    /// The connection does not tell it.
    wasAbandoned() {
      return false;
    }

    take() {
      return tagOf(Module._futon_module_try_lock(this.#address), 'AsyncLock');
    }

    /// Releases the acquisition; whichever there is, if none is named. Returns whether the lock was held so.
    release(tag = undefined) {
      return tag !== 0 && Module._futon_module_unlock(this.#address, tag ?? 0) !== 0;
    }

    lock(timeout) {
      return tagOf(Module._futon_module_lock(this.#address, timeout), 'AsyncLock.lock');
    }

    async acquire({ timeout, signal, ref }, name) {
      const answer = Module._futon_module_lock_async(this.#address, timeout, ref ? 1 : 0);
      if (!isPending(answer)) return tagOf(answer, name);
      return promiseOf(answer, name, signal, (code, acquisition) => (code === OK ? acquisition : 0), undefined,
        (refuse) => noteNested(this, refuse, name));
    }
  }

  const states = new WeakMap();

  return (name, words) => {
    const { buffer, byteOffset } = words;
    requireOwn(buffer, 'buffer', name);
    if (byteOffset === 0) fail(name, 'byteOffset must be the address of the lock, and zero is that of nothing', RangeError);
    if (!states.has(buffer)) states.set(buffer, new Map());
    const ofBuffer = states.get(buffer);
    if (!ofBuffer.has(byteOffset)) ofBuffer.set(byteOffset, new LockState(name, words));
    return ofBuffer.get(byteOffset);
  };
}
