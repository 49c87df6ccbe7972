// SPDX-License-Identifier: MIT
// Threads that share one lock, in simulated time: each has src/pace.js and src/locking.js for itself, over an engine, a clock and
// timers of this file. A run is the same each time.

import { readFileSync } from 'node:fs';
import { pending } from '../src/pending.js';

const source = ['constants', 'lock_word', 'pace', 'locking'].map((name) => readFileSync(new URL(`../src/${name}.js`, import.meta.url), 'utf8')
  .replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, '')).join('');

const WAKING = 0.05;  // milliseconds from a notify to the thread that it wakes
const TIMER = 1;      // the shortest of a timer
const HIDDEN = 1000;  // the same for timers that are held back: each runs at a full second
const settled = () => new Promise((resolve) => { setImmediate(resolve); });

export class Simulation {
  time = 0;
  word = new Int32Array(new SharedArrayBuffer(4));
  /// How often one that had asked later got the lock before a thread, or a promise.
  overtaken = { thread: 0, promise: 0 };
  #waiting = new Set();
  #events = [];   // a heap by time, then by order
  #queue = [];
  #count = 0;
  #seed = 7;
  #threads = 0;

  constructor({ strict = false } = {}) {
    this.strict = strict;
  }

  /// From zero to one.
  random() {
    this.#seed = this.#seed * 16807 % 2147483647;
    return this.#seed / 2147483647;
  }

  /// Of a thread: all are different.
  numberOfThread() {
    return 1 + this.#threads;
  }

  /// The same for a thread, each time: no two threads begin alike.
  randomOfThread() {
    const random = this.#threads++ / 128 % 1;
    return () => random;
  }

  /// Calls `run` at that time.
  at(time, run) {
    const event = { time: Math.max(time, this.time), order: this.#count++, run };
    const events = this.#events;
    let i = events.length;
    for (let parent; i > 0 && isBefore(event, events[parent = (i - 1) >> 1]); i = parent) events[i] = events[parent];
    events[i] = event;
    return event;
  }

  async runUntil(end) {
    while (this.#events.length > 0 && this.#events[0].time <= end) {
      const events = this.#events;
      const [first] = events;
      const last = events.pop();
      if (events.length > 0) {
        let i = 0;
        for (let child; (child = 2 * i + 1) < events.length; i = child) {
          if (child + 1 < events.length && isBefore(events[child + 1], events[child])) ++child;
          if (!isBefore(events[child], last)) break;
          events[i] = events[child];
        }
        events[i] = last;
      }
      this.time = first.time;
      if (!first.isCancelled) {
        first.run();
        await settled();
      }
    }
    this.time = end;
  }

  /// One asks for the lock; the function that it gets is called when it has it.
  ask(kind) {
    const request = { kind, time: this.time };
    this.#waiting.add(request);
    return () => {
      this.#waiting.delete(request);
      for (const other of this.#waiting) if (other.time < request.time) ++this.overtaken[other.kind];
      return this.time - request.time;
    };
  }

  enqueue(thread, value, timeout) {
    if (this.word[0] !== value) return { async: false, value: 'not-equal' };
    const place = { thread };
    const promise = new Promise((resolve) => { place.resolve = resolve; });
    if (timeout < Infinity) {
      place.timer = this.at(this.time + timeout, () => {
        this.#queue.splice(this.#queue.indexOf(place), 1);
        thread.post(this.time, () => place.resolve('timed-out'));
      });
    }
    this.#queue.push(place);
    return { async: true, value: promise };
  }

  wake(count) {
    const woken = this.#queue.splice(0, count);
    for (const place of woken) {
      if (place.timer !== undefined) place.timer.isCancelled = true;
      place.thread.post(this.time + WAKING, () => place.resolve('ok'));
    }
    return woken.length;
  }
}

const isBefore = (one, other) => one.time < other.time || (one.time === other.time && one.order < other.order);

/// A thread with an event loop. What is posted to it runs while it does not compute, by when it was ready.
export class Thread {
  isDead = false;
  document = { hidden: false };
  holdsBackTimers = false;
  #tasks = [];
  #freeAt = 0;
  #event;

  constructor(simulation) {
    this.simulation = simulation;
    const now = () => simulation.time;
    const { load, compareExchange } = Atomics;
    const given = {
      load, compareExchange, now, pending, globalThis: { document: this.document },
      Math: { __proto__: Math, random: simulation.randomOfThread() },
      noteNested() {}, watch: (state) => state, endWith: () => () => {}, isLeft: false, number: simulation.numberOfThread(),
      wake: (word, index, count) => simulation.wake(count),
      wakeAll: () => simulation.wake(Infinity),
      enqueue: (word, index, value, timeout = Infinity) => simulation.enqueue(this, value, timeout),
      async block(word, next) {
        let step = next();
        while (step.length) step = next(await simulation.enqueue({ post: simulation.at.bind(simulation) }, ...step).value);
        return step;
      },
      setTimeout: (run, delay = 0) => {
        const time = simulation.time + Math.max(TIMER, delay);
        this.post(this.holdsBackTimers ? Math.ceil(time / HIDDEN) * HIDDEN : time, run);
      },
      Date: { now: () => Math.floor(1e12 + simulation.time) },
    };
    const run = new Function(...Object.keys(given), `${source}; return { stateOf, nextTurn: () => expected };`);
    const loaded = run(...Object.values(given));
    this.lock = loaded.stateOf('AsyncLock', simulation.word);
    /// How long the thread expects its next turn to be.
    this.nextTurn = loaded.nextTurn;
    if (simulation.strict) this.lock.makeStrict(true);
  }

  post(time, run) {
    const at = this.#tasks.findIndex((task) => task.time > time);
    this.#tasks.splice(at < 0 ? this.#tasks.length : at, 0, { time, run });
    this.#pump();
  }

  /// The job that runs takes that long.
  compute(duration) {
    this.#freeAt = Math.max(this.#freeAt, this.simulation.time) + duration;
  }

  #pump() {
    if (this.isDead || this.#tasks.length === 0) return;
    const at = Math.max(this.#tasks[0].time, this.#freeAt);
    if (this.#event !== undefined) {
      if (this.#event.time <= at) return;
      this.#event.isCancelled = true;
    }
    this.#event = this.simulation.at(at, () => {
      this.#event = undefined;
      if (this.isDead) return;
      if (this.#tasks[0].time <= this.simulation.time && this.#freeAt <= this.simulation.time) this.#tasks.shift().run();
      this.#pump();
    });
  }
}

/// Takes the lock again and again by blocking, and holds it that long.
export function startWorker(simulation, hold) {
  const { lock } = new Thread(simulation);
  const worker = { acquisitions: 0, longest: 0 };
  const after = (duration) => new Promise((resolve) => { simulation.at(simulation.time + duration, resolve); });
  (async () => {
    await after(simulation.random());
    while (true) {
      const got = simulation.ask('thread');
      const tag = lock.take() || await lock.lock(Infinity);
      worker.longest = Math.max(worker.longest, got());
      ++worker.acquisitions;
      await after(hold);
      if (!lock.release(tag)) throw new Error('the worker does not own the lock');
      await after(0.001);
    }
  })();
  return worker;
}

/// Asks for the lock once in each turn of its loop, unless it waits for it; a turn takes what `lengthOf` gives for the simulation's
/// random numbers, and the next begins when it ends.
export function startPage(simulation, lengthOf) {
  const thread = new Thread(simulation);
  const page = { thread, acquisitions: 0, longest: 0, turns: 0, askedAt: undefined };
  const got = (tag, served) => {
    page.askedAt = undefined;
    page.longest = Math.max(page.longest, served());
    ++page.acquisitions;
    if (!thread.lock.release(tag)) throw new Error('the page does not own the lock');
  };
  const turn = () => {
    const length = lengthOf(() => simulation.random());
    ++page.turns;
    if (page.askedAt === undefined) {
      page.askedAt = simulation.time;
      const served = simulation.ask('promise');
      const tag = thread.lock.take();
      if (tag) got(tag, served);
      else thread.lock.acquire({ timeout: Infinity }, 'page').then((later) => got(later, served));
    }
    thread.compute(length);
    thread.post(simulation.time + Math.max(length, 1), turn);
  };
  thread.post(0, turn);
  return page;
}
