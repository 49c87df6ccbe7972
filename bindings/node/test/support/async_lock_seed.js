// SPDX-License-Identifier: MIT
'use strict';

const free = 0;
const taken = 1;

/// The lock of two methods and two states from which futon grew, on Atomics alone: threads that may block call `lock`,
/// those that may not hand `executeLocked` what to do.
class AsyncLock {
  #word;

  constructor(buffer, byteOffset = 0) {
    this.#word = new Int32Array(buffer, byteOffset, 1);
  }

  /// Blocks until this thread has the lock.
  lock() {
    while (!this.#tryTake()) Atomics.wait(this.#word, 0, taken);
  }

  unlock() {
    Atomics.store(this.#word, 0, free);
    Atomics.notify(this.#word, 0, 1);
  }

  /// Runs `callback` with the lock, at once or later; the promise settles as the callback does.
  async executeLocked(callback) {
    while (!this.#tryTake()) await Atomics.waitAsync(this.#word, 0, taken).value;
    try {
      return callback();
    } finally {
      this.unlock();
    }
  }

  #tryTake() {
    return Atomics.compareExchange(this.#word, 0, free, taken) === free;
  }
}

module.exports = { AsyncLock };
