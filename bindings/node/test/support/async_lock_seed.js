// SPDX-License-Identifier: MIT
'use strict';

const free = 0;
const held = 1;

/// A lock of two states, built on Atomics alone: a thread that may block calls `lock`, a thread that must not passes a
/// callback to `executeLocked`.
class AsyncLock {
  #word;

  constructor(buffer, byteOffset = 0) {
    this.#word = new Int32Array(buffer, byteOffset, 1);
  }

  /// Blocks until this thread has the lock.
  lock() {
    while (!this.#tryLock()) Atomics.wait(this.#word, 0, held);
  }

  unlock() {
    Atomics.store(this.#word, 0, free);
    Atomics.notify(this.#word, 0, 1);
  }

  /// Runs `callback` with the lock held, at once or later; the promise settles as the callback does.
  async executeLocked(callback) {
    while (!this.#tryLock()) await Atomics.waitAsync(this.#word, 0, held).value;
    try {
      return callback();
    } finally {
      this.unlock();
    }
  }

  #tryLock() {
    return Atomics.compareExchange(this.#word, 0, free, held) === free;
  }
}

module.exports = { AsyncLock };
