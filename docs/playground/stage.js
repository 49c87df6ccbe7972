// SPDX-License-Identifier: MIT
// A run: workers that block for the lock, and the page, which takes it once in each frame in the way that the mode says.

import { Entry, HOLDS, Knobs, WAITS, makeBuffer, makeLock } from './ledger.js';

const MOST = 8;                // workers
const LONGEST_SPIN = 500;      // milliseconds: then the page gives up for this frame, or its buttons would not answer any more

export class Stage {
  #generation = 0;
  #stoppedAt = 0;
  #workers = [];
  entries = [];
  mode = 'strict';
  message = '';
  refusals = 0;
  surrenders = 0;
  heldUp = 0;              // milliseconds: the longest call of the lock, in which the page did nothing else

  constructor(onError) {
    this.onError = onError;
  }

  start(mode, workers, { hold, pause, work }) {
    this.stop();
    const buffer = makeBuffer(MOST + 1);
    this.mode = mode;
    this.work = work;
    this.message = '';
    this.refusals = this.surrenders = this.heldUp = 0;
    this.lock = makeLock(mode, buffer);
    this.knobs = new Knobs(buffer);
    Object.assign(this.knobs, { hold, pause });
    const origin = performance.timeOrigin + performance.now();
    this.entries = Array.from({ length: workers + 1 }, (_, index) => new Entry(buffer, index, origin));
    this.#workers = Array.from({ length: workers }, (_, k) => {
      const worker = new Worker(new URL('contender.js', import.meta.url), { type: 'module', name: `worker ${k + 1}` });
      worker.onerror = ({ message }) => this.onError(`worker ${k + 1}: ${message ?? 'it could not be loaded'}`);
      worker.postMessage({ buffer, index: k + 1, mode, origin });
      return worker;
    });
  }

  /// Ends the workers, wherever they are. Their lock and their queue are of no use any more.
  stop() {
    if (this.isRunning) this.#stoppedAt = this.page.now();
    ++this.#generation;
    this.knobs?.stop();
    for (const worker of this.#workers) worker.terminate();
    this.#workers = [];
  }

  get isRunning() { return this.#workers.length > 0; }
  /// The time of the run in microseconds, which stands still when it is stopped.
  get now() { return this.isRunning ? this.page.now() : this.#stoppedAt; }
  get seconds() { return this.now / 1e6; }
  get page() { return this.entries[0]; }
  get workerTurns() { return this.entries.slice(1).reduce((sum, entry) => sum + entry.turns, 0); }

  /// Called in each frame. It does nothing while an earlier frame's promise of the lock is pending.
  frame() {
    if (!this.isRunning || this.page.state === WAITS || this.page.state === HOLDS) return;
    if (this.mode === 'block') this.#block();
    else if (this.mode === 'spin') this.#spin();
    else this.#await();
  }

  #use() {
    this.page.holds();
    for (const until = performance.now() + this.work; performance.now() < until;);
    this.page.pauses();
  }

  async #await() {
    const generation = this.#generation;
    try {
      this.page.waits();
      const promise = this.#timed(() => this.lock.lockAsync());
      const guard = await promise;
      if (generation !== this.#generation) return;   // another run has begun; the lock of this one is gone
      this.#use();
      this.#timed(() => guard.unlock());
    } catch (error) {
      if (generation === this.#generation) this.onError(error.message);
    }
  }

  /// Calls the lock, and notes how long the page could do nothing else meanwhile.
  #timed(call) {
    const began = performance.now();
    try {
      return call();
    } finally {
      this.heldUp = Math.max(this.heldUp, performance.now() - began);
    }
  }

  #spin() {
    this.page.waits();
    const hasLock = this.#timed(() => {
      for (const until = performance.now() + LONGEST_SPIN; performance.now() < until;) if (this.lock.tryLock()) return true;
      return false;
    });
    if (!hasLock) {
      this.page.pauses();
      ++this.surrenders;
      this.message = `So far the page gave up ${this.surrenders} ${this.surrenders === 1 ? 'time' : 'times'}, after half a second without a frame.`;
      return;
    }
    this.#use();
    this.lock.unlock();
  }

  /// A page cannot block: the browser throws. Nothing has changed then.
  #block() {
    try {
      this.#timed(() => this.lock.lock());
    } catch (error) {
      ++this.refusals;
      this.message = `Refused ${this.refusals} times. ${error.name}: ${error.message}`;
      return;
    }
    this.#use();
    this.lock.unlock();
  }

  nameOf(entry) {
    const index = this.entries.indexOf(entry);
    return index === 0 ? 'page' : `worker ${index}`;
  }

  /// Who holds the lock, and who waits for it: the holder first, the others by their numbers.
  queue() {
    const people = [];
    for (const entry of this.entries) {
      const { state, since, number } = entry;
      if (state === WAITS || state === HOLDS) {
        const milliseconds = Math.max(0, this.now - since) / 1000;
        people.push({ name: this.nameOf(entry), isPage: entry === this.page, holds: state === HOLDS, number, milliseconds });
      }
    }
    // The entries are read one after another, and the lock may change hands meanwhile: the latest holder is the one.
    const latest = Math.min(...people.filter(({ holds }) => holds).map(({ milliseconds }) => milliseconds));
    const seen = people.filter(({ holds, milliseconds }) => !holds || milliseconds === latest);
    return seen.sort((a, b) => b.holds - a.holds || a.number - b.number);
  }
}
