// SPDX-License-Identifier: MIT
'use strict';
// One measurement: `case.js NAME engine|futon` prints a number.

const { Worker, isMainThread, workerData } = require('node:worker_threads');

const [name, kind] = isMainThread ? process.argv.slice(2) : [workerData.name, workerData.kind];
const { wait, waitAsync, notify } = kind === 'futon' ? require('..') : Atomics;

const now = () => Number(process.hrtime.bigint());
const bytes = 1 << 22;
const PENDING = 1e5;

function nanosecondsPerIteration(iterations, f) {
  f(iterations / 10);
  let best = Infinity;
  for (let i = 0; i < 5; ++i) {
    const begin = now();
    f(iterations);
    best = Math.min(best, (now() - begin) / iterations);
  }
  return best;
}

/// Two workers, each with a word that the other one writes: `main` is called with the words and the index of its own.
function betweenTwo(main) {
  if (!isMainThread) return main(new Int32Array(workerData.buffer), workerData.mine);
  const buffer = new SharedArrayBuffer(256);
  for (const mine of [0, 16]) {
    const worker = new Worker(__filename, { workerData: { name, kind, buffer, mine } });
    worker.on('message', (result) => console.log(result));
    worker.on('error', (error) => {
      throw error;
    });
  }
}

function report(result) {
  require('node:worker_threads').parentPort.postMessage(result);
}

const WARM_UP = 20000;
const ROUND_TRIPS = 100_000;

/// Passes the ping-pong on: writes the other worker's word and wakes it.
function passOn(words, theirs, value) {
  Atomics.store(words, theirs, value);
  notify(words, theirs, 1);
}

const cases = {
  notify() {
    const words = new Int32Array(new SharedArrayBuffer(4096));
    console.log(nanosecondsPerIteration(2e6, (iterations) => {
      for (let i = 0; i < iterations; ++i) notify(words, i & 1023);
    }));
  },

  'ping-pong'() {
    betweenTwo((words, mine) => {
      const theirs = 16 - mine;
      let begin = 0;
      for (let i = 1; i <= WARM_UP + ROUND_TRIPS; ++i) {
        if (i === WARM_UP) begin = now();
        if (mine === 0) passOn(words, theirs, i);
        while (Atomics.load(words, mine) < i) wait(words, mine, i - 1);
        if (mine !== 0) passOn(words, theirs, i);
      }
      if (mine === 0) report((now() - begin) / ROUND_TRIPS);
    });
  },

  async 'same-thread'() {
    const words = new Int32Array(new SharedArrayBuffer(64));
    async function repeat(iterations) {
      for (let i = 0; i < iterations; ++i) {
        const result = waitAsync(words, 0, 0);
        notify(words, 0);
        await result.value;
      }
    }
    await repeat(50000);
    let best = Infinity;
    for (let i = 0; i < 5; ++i) {
      const begin = now();
      await repeat(200000);
      best = Math.min(best, (now() - begin) / 200000);
    }
    console.log(best);
  },

  across() {
    betweenTwo(async (words, mine) => {
      const theirs = 16 - mine;
      const alive = setInterval(() => {}, 1e6);  // the engine's waits do not keep the thread alive
      let begin = 0;
      for (let i = 1; i <= WARM_UP + ROUND_TRIPS; ++i) {
        if (i === WARM_UP) begin = now();
        if (mine === 0) passOn(words, theirs, i);
        while (Atomics.load(words, mine) < i) {
          const result = waitAsync(words, mine, i - 1);
          if (result.async) await result.value;
        }
        if (mine !== 0) passOn(words, theirs, i);
      }
      if (mine === 0) report((now() - begin) / ROUND_TRIPS);
      clearInterval(alive);
    });
  },

  mutex,
  register: () => register(() => 0),
  'register-words': () => register((i) => i),
  memory: () => memory(() => 0),
  'memory-words': () => memory((i) => i),
};

/// How long three workers and this thread take to lock a mutex built on Atomics, which the polyfill may have replaced.
async function mutex() {
  const WORKERS = 3;
  const [STARTED, GO, COUNT] = [1, 2, 3];
  if (kind === 'futon') require('../polyfill.js');
  const { AsyncLock } = require('../test/support/async_lock_seed.js');
  const words = isMainThread ? new Int32Array(new SharedArrayBuffer(64)) : new Int32Array(workerData.buffer);
  const lock = new AsyncLock(words.buffer);
  if (!isMainThread) {
    Atomics.add(words, STARTED, 1);
    while (Atomics.load(words, GO) === 0);
    for (let i = 0; i < 4_000_000; ++i) {
      lock.lock();
      ++words[COUNT];
      lock.unlock();
    }
    return;
  }
  const start = () => new Worker(__filename, { workerData: { name, kind, buffer: words.buffer } });
  const ended = Array.from({ length: WORKERS }, () => new Promise((resolve) => start().on('exit', resolve)));
  while (Atomics.load(words, STARTED) < WORKERS) await new Promise(setImmediate);
  const begin = now();
  Atomics.store(words, GO, 1);
  for (let i = 0; i < 10_000; ++i) await lock.executeLocked(() => ++words[COUNT]);
  await Promise.all(ended);
  console.log((now() - begin) / 1e6);
}

/// How long it takes to enqueue very many waiters: with warm code, in a process that has not had that many before.
function register(index) {
  const words = new Int32Array(new SharedArrayBuffer(bytes));
  for (let round = 0; round < 10; ++round) {
    for (let i = 0; i < 1000; ++i) waitAsync(words, index(i), 0);
    for (let i = 0; i < 1000; ++i) notify(words, i);
  }
  setImmediate(() => {
    const begin = now();
    for (let i = 0; i < PENDING; ++i) waitAsync(words, index(i), 0);
    console.log((now() - begin) / PENDING);
    process.exit();
  });
}

/// What a pending wait takes in the heap and outside of it.
function memory(index) {
  const { bytesInUse } = require('../build/bench_malloc.node');
  const words = new Int32Array(new SharedArrayBuffer(bytes));
  for (let i = 0; i < 1000; ++i) waitAsync(words, bytes / 8 + i, 0);

  const measure = () => {
    gc();
    gc();
    return process.memoryUsage().heapUsed + bytesInUse();
  };
  const before = measure();
  for (let i = 0; i < PENDING; ++i) waitAsync(words, index(i), 0);
  console.log((measure() - before) / PENDING);
  process.exit();
}

cases[name]();
