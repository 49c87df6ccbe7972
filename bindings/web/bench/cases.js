// SPDX-License-Identifier: MIT
// What is measured, in Node and in pages: futon-web beside the engine's own functions and the lock of the articles, by turns.

import { AsyncLock, canBlock, notify, waitAsync } from '../index.js';
import { isNode } from '../test/harness.js';
import { SeedLock } from './seed_lock.js';

const quantile = (list, part) => list.sort((a, b) => a - b)[Math.floor(list.length * part)];
const median = (list) => quantile(list, 0.5);
const undisturbed = (list) => quantile(list, 0.25);  // of many short rounds: those in which the machine did little else
const now = () => performance.now();

async function startWorker() {
  const url = new URL('./worker.js', import.meta.url);
  const worker = isNode ? new (await import('node:worker_threads')).Worker(url) : new Worker(url, { type: 'module' });
  let answer;
  const receive = (data) => answer(data);
  if (isNode) worker.on('message', receive);
  else worker.onmessage = ({ data }) => receive(data);
  const ask = (message) => new Promise((resolve) => {
    answer = resolve;
    worker.postMessage(message);
  });
  await ask({ kind: 'start' });
  return { ask, end: () => worker.terminate() };
}

/// Nanoseconds of one lock and unlock without contention.
function uncontended(lock, count) {
  const begin = now();
  for (let i = 0; i < count; ++i) {
    if (lock.lock !== undefined && canBlock()) lock.lock();
    else lock.tryLock();
    lock.unlock();
  }
  return (now() - begin) * 1e6 / count;
}

/// Microseconds of a wait without blocking, its notify and its promise, in one thread.
async function roundTrip(wait, wake, count) {
  const words = new Int32Array(new SharedArrayBuffer(4));
  const begin = now();
  for (let i = 0; i < count; ++i) {
    const { value } = wait(words, 0, 0);
    wake(words, 0);
    await value;
  }
  return (now() - begin) * 1e3 / count;
}

/// Workers that contend; this thread takes the lock, too, if `every` says each how many milliseconds.
async function contend(kind, workers, hold, think, milliseconds, every) {
  const buffer = new SharedArrayBuffer(16);
  const ends = workers.map((worker) => worker.ask({ buffer, kind, hold, think }));
  const lock = kind === 'article' ? new SeedLock(buffer) : new AsyncLock(buffer);
  const waits = [];
  const until = now() + milliseconds;
  while (now() < until) {
    await new Promise((resolve) => setTimeout(resolve, every || milliseconds));
    if (every === 0) continue;
    const begin = now();
    await lock.executeLocked(() => {});
    waits.push(now() - begin);
  }
  Atomics.store(new Int32Array(buffer, 8, 1), 0, 1);
  const counts = await Promise.all(ends);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return { rate: total / milliseconds, share: Math.min(...counts) / Math.max(...counts), longest: Math.max(0, ...waits), p50: median(waits) };
}

export async function runAll(log) {
  const ratio = (name, unit, ours, theirs) =>
    log(`${name}: ${ours.toFixed(2)} ${unit}, beside ${theirs.toFixed(2)} ${unit}: ${(ours / theirs).toFixed(2)}`);

  // In Node a program has something that is alive. If it has not, its engine settles promises without its event loop.
  const alive = setInterval(() => {}, 1e6);
  const rounds = { ours: [], theirs: [], strict: [] };
  if (canBlock()) {
    const ours = new AsyncLock(new SharedArrayBuffer(4));
    const strict = new AsyncLock(new SharedArrayBuffer(4), 0, { strict: true });
    const theirs = new SeedLock(new SharedArrayBuffer(4));
    for (let i = 0; i < 60; ++i) {
      rounds.ours[i] = uncontended(ours, 40_000);
      rounds.theirs[i] = uncontended(theirs, 40_000);
      rounds.strict[i] = uncontended(strict, 40_000);
    }
    ratio('lock and unlock', 'ns', undisturbed(rounds.ours), undisturbed(rounds.theirs));
    ratio('lock and unlock, strict', 'ns', undisturbed(rounds.strict), undisturbed(rounds.theirs));
  }

  if (Atomics.waitAsync !== undefined) {
    for (let i = 0; i < 40; ++i) {
      rounds.ours[i] = await roundTrip(waitAsync, notify, 500);
      rounds.theirs[i] = await roundTrip(Atomics.waitAsync, Atomics.notify, 500);
    }
    ratio('waitAsync, notify and await', 'µs', undisturbed(rounds.ours.slice(0, 40)), undisturbed(rounds.theirs.slice(0, 40)));
  }
  clearInterval(alive);

  const workers = await Promise.all([startWorker(), startWorker(), startWorker()]);
  for (const [name, count, hold, think, every] of [
    ['2 workers without pause', 2, 0, 0, 0], ['2 workers, 5 µs held, 20 µs between', 2, 0.005, 0.02, 0],
    ['3 workers, 0.1 ms held, this thread each 16 ms', 3, 0.1, 0.1, 16],
  ]) {
    const runs = { article: [], plain: [], strict: [] };
    for (let i = 0; i < 7; ++i)
      for (const kind of Object.keys(runs)) runs[kind].push(await contend(kind, workers.slice(0, count), hold, think, 300, every));
    const rateOf = (kind) => median(runs[kind].map(({ rate }) => rate));
    for (const [kind, list] of Object.entries(runs)) {
      log(`${name}, ${kind}: ${rateOf(kind).toFixed(1)} acquisitions a ms, ${(rateOf(kind) / rateOf('article')).toFixed(2)} of the article's, ` +
        `least served worker ${median(list.map(({ share }) => share)).toFixed(2)} of the most served` +
        `${every === 0 ? '' : `; this thread waits ${median(list.map(({ p50 }) => p50)).toFixed(2)} ms at the median, ` +
          `${Math.max(...list.map(({ longest }) => longest)).toFixed(2)} at most`}`);
    }
  }
  for (const worker of workers) worker.end();
  return 0;
}
