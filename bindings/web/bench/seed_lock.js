// SPDX-License-Identifier: MIT
// The baseline: a lock of two states on Atomics, as articles on waitAsync show it. It wakes at each unlock, and asks for the lock anew
// after each wake-up.

export class SeedLock {
  constructor(buffer) {
    this.word = new Int32Array(buffer, 0, 1);
  }

  lock() {
    while (Atomics.compareExchange(this.word, 0, 0, 1) !== 0) Atomics.wait(this.word, 0, 1);
  }

  unlock() {
    if (Atomics.compareExchange(this.word, 0, 1, 0) !== 1) throw new Error('the lock is not held');
    Atomics.notify(this.word, 0, 1);
  }

  async executeLocked(callback) {
    while (Atomics.compareExchange(this.word, 0, 0, 1) !== 0) await Atomics.waitAsync(this.word, 0, 1).value;
    try {
      return callback();
    } finally {
      this.unlock();
    }
  }
}
