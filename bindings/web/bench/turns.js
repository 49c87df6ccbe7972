// SPDX-License-Identifier: MIT
// A page whose frames compute, beside workers that hold its lock: how long the page waits, in how many of its frames it has the lock,
// and what the workers keep of what they have beside a page that computes as much and asks for nothing. Then a page in a long task.

import { AsyncLock } from '../index.js';

const MOST_WORKERS = 4;
const ALONE = 700;      // milliseconds
const SEEN = 1000;      // before it is measured
const MEASURED = 2000;
const STALL = 2000;

// Of what the threads share, in words: the lock of each order, and for the workers whether the scene is over, their acquisitions, and
// their longest wait in microseconds.
export const LOCKS = { bounded: 0, strict: 1 };
export const [IS_OVER, ACQUISITIONS, LONGEST_WAIT, NOTHING, LENGTH] = [2, 3, 4, 5, 6];

const now = () => performance.now();
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const compute = (begin, milliseconds) => { while (now() - begin < milliseconds); };
const frame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });

class Workers {
  #words = new Int32Array(new SharedArrayBuffer(4 * LENGTH));
  #workers = [];
  #ends = [];

  async start() {
    for (let i = 0; i < MOST_WORKERS; ++i) {
      const worker = new Worker(new URL('./turns_worker.js', import.meta.url), { type: 'module' });
      this.#workers.push(worker);
      await new Promise((resolve) => { worker.onmessage = resolve; });
    }
  }

  lockOf(order) {
    return new AsyncLock(this.#words.buffer, 4 * LOCKS[order], { strict: order === 'strict' });
  }

  async begin({ order, workers, hold }) {
    this.#words.fill(0);
    this.lockOf(order);
    this.#ends = this.#workers.slice(0, workers).map((worker) => new Promise((resolve) => {
      worker.onmessage = resolve;
      worker.postMessage({ buffer: this.#words.buffer, order, hold });
    }));
    while (this.acquisitions < 2 * workers) await new Promise((resolve) => { setTimeout(resolve); });
  }

  async end() {
    Atomics.store(this.#words, IS_OVER, 1);
    await Promise.all(this.#ends);
  }

  get acquisitions() {
    return Atomics.load(this.#words, ACQUISITIONS);
  }

  takeLongestWait() {
    return Atomics.exchange(this.#words, LONGEST_WAIT, 0) / 1000;
  }
}

/// The page: it asks for the lock in each frame, unless it waits for it.
class Page {
  frames = 0;
  longestFrame = 0;
  waits = [];
  isWaiting = false;
  mostFramesOfWait = 0;
  #asked = 0;
  #framesOfWait = 0;      // that have begun, with the one in which it asks

  async run(milliseconds, length, lock) {
    this.frames = this.longestFrame = this.mostFramesOfWait = this.#framesOfWait = 0;
    this.waits = [];
    const begun = now();
    for (await frame(); now() - begun < milliseconds; await frame()) {
      const begin = now();
      ++this.frames;
      ++this.#framesOfWait;
      if (lock !== undefined && !this.isWaiting) this.ask(lock);
      compute(begin, length);
      this.longestFrame = Math.max(this.longestFrame, now() - begin);
    }
    if (this.isWaiting) this.#noteWait(now() - Math.max(this.#asked, begun));
  }

  #noteWait(milliseconds) {
    this.waits.push(milliseconds);
    this.mostFramesOfWait = Math.max(this.mostFramesOfWait, this.#framesOfWait);
  }

  async ask(lock) {
    this.isWaiting = true;
    this.#asked = now();
    this.#framesOfWait = 1;
    await lock.executeLocked(() => this.#noteWait(now() - this.#asked));
    this.isWaiting = false;
  }

  async untilServed() {
    while (this.isWaiting) await frame();
  }
}

const nameOf = ({ order, workers, hold, length }) =>
  `${order}, ${workers} ${workers === 1 ? 'worker that holds' : 'workers that hold'} for ${hold} ms, frames of ${length} ms`;

async function rateBeside(page, workers, milliseconds, length, lock) {
  workers.takeLongestWait();
  const before = workers.acquisitions;
  const begin = now();
  await page.run(milliseconds, length, lock);
  return (workers.acquisitions - before) / (now() - begin);
}

async function measure(page, workers, scene) {
  const lock = workers.lockOf(scene.order);
  await workers.begin(scene);
  const alone = await rateBeside(page, workers, ALONE, scene.length);
  await rateBeside(page, workers, SEEN, scene.length, lock);
  const rate = await rateBeside(page, workers, MEASURED, scene.length, lock);
  const longest = page.waits.length === 0 ? MEASURED : Math.max(...page.waits);
  const bound = 4 * scene.length + scene.workers * scene.hold + 20;
  const line = `${nameOf(scene)}: in ${(page.waits.length / page.frames).toFixed(2)} of ${page.frames} frames; waits for ` +
    `${(median(page.waits) ?? 0).toFixed(1)} ms at the median, ${longest.toFixed(1)} at most, ${page.mostFramesOfWait} frames ` +
    `(${longest <= bound ? 'within' : 'MORE THAN'} ${bound.toFixed(1)} ms); workers keep ${(rate / alone).toFixed(2)}, longest wait ` +
    `${workers.takeLongestWait().toFixed(1)} ms; longest frame ${page.longestFrame.toFixed(1)} ms`;
  await workers.end();
  await page.untilServed();
  return line;
}

/// The page has frames, then a task that takes two seconds. In one of two it has asked for the lock.
async function measureStall(page, workers, scene) {
  const lock = workers.lockOf(scene.order);
  await workers.begin(scene);
  const rates = [];
  const longest = [];
  for (const asks of [false, true]) {
    await page.run(SEEN, scene.length, asks ? lock : undefined);
    await page.untilServed();
    workers.takeLongestWait();
    const before = workers.acquisitions;
    if (asks) page.ask(lock);
    const begin = now();
    compute(begin, STALL);
    rates.push((workers.acquisitions - before) / (now() - begin));
    longest.push(workers.takeLongestWait());
    await page.untilServed();
  }
  await workers.end();
  return `${nameOf(scene)}, then a task of 2 s: workers keep ${(rates[1] / rates[0]).toFixed(2)}, longest wait ${longest[1].toFixed(1)} ms, ` +
    `where it does not ask ${longest[0].toFixed(1)}`;
}

export async function runAll(log) {
  const page = new Page();
  const workers = new Workers();
  await workers.start();
  for (const order of Object.keys(LOCKS)) {
    for (const hold of [0.1, 5]) {
      for (const count of [1, MOST_WORKERS]) {
        for (const length of [0, 2, 16, 40, 100]) {
          const scene = { order, workers: count, hold, length };
          log(await measure(page, workers, scene));
          if (count > 1 && length === 16) log(await measureStall(page, workers, scene));
        }
      }
    }
  }
  return 0;
}
