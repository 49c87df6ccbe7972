// SPDX-License-Identifier: MIT
// What each contender says of itself, in shared memory: its state, since when, its number in the queue, and its last changes.
// The engine does not show its queue. So each takes a number right before it joins.

import { AsyncLock } from './futon-web/index.js';
import { ArticleLock } from './article_lock.js';

export const PAUSES = 0;
export const WAITS = 1;
export const HOLDS = 2;

// Words of the buffer. The lock has the first.
const [STOP, HOLD, PAUSE, NEXT, FREED] = [16, 17, 18, 19, 20];
const HEAD = 64;
const SIZE = 1088;                          // words of a contender
const [STATE, SINCE, NUMBER, TURNS, LONGEST, PASSED, COUNT, LATE, MARK] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const [EVENTS, CAPACITY] = [16, 512];       // pairs of a state and its time

// What others note at one that waits, when they take the lock although they came later.
const [WAS_PASSED, WAS_LATE] = [1, 2];
const SOON = 1000;                          // microseconds: who came so shortly before may be behind in the queue
const IDLE = 1000;                          // and so long a free lock is not left alone, unless it is kept for one that is late

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
    this.#write(MARK, 0);
    this.#become(WAITS);
  }

  /// Called by the one that holds the lock: so no other changes the marks.
  holds() {
    const began = this.#read(SINCE);
    const time = this.#become(HOLDS);
    this.#write(LONGEST, Math.max(this.#read(LONGEST), time - began));
    this.#write(TURNS, this.#read(TURNS) + 1);
    const mark = this.#read(MARK);
    if (mark !== 0) this.#write(mark & WAS_LATE ? LATE : PASSED, this.#read(mark & WAS_LATE ? LATE : PASSED) + 1);
    // Who came before and still waits was passed, or was late: then the lock was kept for it first.
    const found = time - Atomics.load(this.words, FREED) >= IDLE ? WAS_LATE : WAS_PASSED;
    for (let at = HEAD; at + SIZE <= this.words.length; at += SIZE) {
      const [state, since, number] = [STATE, SINCE, NUMBER].map((field) => Atomics.load(this.words, at + field));
      if (state === WAITS && number < this.#read(NUMBER) && since + SOON < began) Atomics.or(this.words, at + MARK, found);
    }
  }

  pauses() {
    const hasHeld = this.#read(STATE) === HOLDS;
    const time = this.#become(PAUSES);
    if (hasHeld) Atomics.store(this.words, FREED, time);
  }

  get state() { return this.#read(STATE); }
  get since() { return this.#read(SINCE); }
  get number() { return this.#read(NUMBER); }
  get turns() { return this.#read(TURNS); }
  get longest() { return this.#read(LONGEST) / 1000; }
  /// How often one that came later had the lock first: because it was quicker, or because this one's thread was busy when the lock was kept for it.
  get passed() { return this.#read(PASSED); }
  get late() { return this.#read(LATE); }

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
