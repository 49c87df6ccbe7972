// SPDX-License-Identifier: MIT
// What each contender says of itself, in shared memory: its state, since when, its number in the queue, and its last changes.
// The engine does not show its queue. So each takes a number right before it joins.

import { AsyncLock } from './futon-web/index.js';
import { ArticleLock } from './article_lock.js';

export const PAUSES = 0;
export const WAITS = 1;
export const HOLDS = 2;

// Words of the buffer. The lock has the first.
const [STOP, HOLD, PAUSE, NEXT, ORDER] = [16, 17, 18, 19, 20];
const HEAD = 64;
const SIZE = 1088;                          // words of a contender
const [STATE, SINCE, NUMBER, TURNS, LONGEST, OVERTAKEN, COUNT] = [0, 1, 2, 3, 4, 5, 6];
const [EVENTS, CAPACITY] = [16, 512];       // pairs of a state and its time

export const makeBuffer = (contenders) => new SharedArrayBuffer(4 * (HEAD + contenders * SIZE));

export const makeLock = (mode, buffer) =>
  (mode === 'article' ? new ArticleLock(buffer) : new AsyncLock(buffer, 0, mode === 'strict' ? { strict: true } : {}));

/// The knobs of a run. Hold and pause are in milliseconds.
export class Knobs {
  constructor(buffer) {
    this.words = new Int32Array(buffer);
  }

  get isStopped() { return Atomics.load(this.words, STOP) !== 0; }
  get hold() { return Atomics.load(this.words, HOLD); }
  set hold(value) { Atomics.store(this.words, HOLD, value); }
  get pause() { return Atomics.load(this.words, PAUSE); }
  set pause(value) { Atomics.store(this.words, PAUSE, value); }

  stop() {
    Atomics.store(this.words, STOP, 1);
    Atomics.notify(this.words, STOP);
  }

  /// Blocks a worker for that long, or until the run is stopped. It takes time, not the processor: so frames are late only if the
  /// page itself waits.
  sleep(milliseconds) {
    if (milliseconds > 0) Atomics.wait(this.words, STOP, 0, milliseconds);
  }
}

/// The entry of one contender; the page has number 0. Times are microseconds since `origin`, on a clock that all share.
export class Entry {
  constructor(buffer, index, origin) {
    this.words = new Int32Array(buffer);
    this.at = HEAD + index * SIZE;
    this.origin = origin;
  }

  now() {
    return Math.max(1, Math.round((performance.timeOrigin + performance.now() - this.origin) * 1000)) & 0x7fffffff;
  }

  #read(field) { return Atomics.load(this.words, this.at + field); }
  #write(field, value) { Atomics.store(this.words, this.at + field, value); }

  #become(state) {
    const time = this.now();
    const count = this.#read(COUNT);
    const slot = EVENTS + (count % CAPACITY) * 2;
    this.#write(slot, state);
    this.#write(slot + 1, time);
    this.#write(COUNT, count + 1);
    this.#write(SINCE, time);
    this.#write(STATE, state);
    return time;
  }

  waits() {
    this.#write(NUMBER, Atomics.add(this.words, NEXT, 1));
    this.#become(WAITS);
  }

  /// Called by the one that holds the lock: so the order of these calls is the order in which it was taken.
  holds() {
    const began = this.#read(SINCE);
    const time = this.#become(HOLDS);
    this.#write(LONGEST, Math.max(this.#read(LONGEST), time - began));
    this.#write(TURNS, this.#read(TURNS) + 1);
    const latest = Atomics.load(this.words, ORDER);
    if (this.#read(NUMBER) < latest) this.#write(OVERTAKEN, this.#read(OVERTAKEN) + 1);
    else Atomics.store(this.words, ORDER, this.#read(NUMBER));
  }

  pauses() { this.#become(PAUSES); }

  get state() { return this.#read(STATE); }
  get since() { return this.#read(SINCE); }
  get number() { return this.#read(NUMBER); }
  get turns() { return this.#read(TURNS); }
  get longest() { return this.#read(LONGEST) / 1000; }
  get overtaken() { return this.#read(OVERTAKEN); }

  /// The changes since then, oldest first, and the one before them.
  changesSince(time) {
    const count = this.#read(COUNT);
    const found = [];
    for (let i = count - 1; i >= Math.max(0, count - CAPACITY + 4); --i) {
      const slot = EVENTS + (i % CAPACITY) * 2;
      found.push({ state: this.#read(slot), time: this.#read(slot + 1) });
      if (found.at(-1).time < time) break;
    }
    return found.reverse();
  }
}
