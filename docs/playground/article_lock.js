// SPDX-License-Identifier: MIT
// The lock of two states that articles on Atomics show: free 0, held 1. Each unlock wakes one, who competes anew.

const FREE = 0;
const HELD = 1;

export class ArticleLock {
  constructor(buffer) {
    this.word = new Int32Array(buffer, 0, 1);
  }

  tryLock() {
    return Atomics.compareExchange(this.word, 0, FREE, HELD) === FREE;
  }

  lock() {
    while (!this.tryLock()) Atomics.wait(this.word, 0, HELD);
  }

  async lockAsync() {
    if (Atomics.waitAsync === undefined) throw new Error('This browser has no Atomics.waitAsync, which the article\'s lock needs.');
    while (!this.tryLock()) await Atomics.waitAsync(this.word, 0, HELD).value;
    return { unlock: () => this.unlock() };
  }

  unlock() {
    Atomics.store(this.word, 0, FREE);
    Atomics.notify(this.word, 0, 1);
  }
}
