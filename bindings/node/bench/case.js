// SPDX-License-Identifier: MIT
'use strict';
// One measurement: `case.js NAME engine|futon` prints a number.

const { Worker, isMainThread, workerData } = require('node:worker_threads');

const [name, kind] = isMainThread ? process.argv.slice(2) : [workerData.name, workerData.kind];
const { wait, waitAsync, notify } = kind === 'futon' ? require('..') : Atomics;

const now = () => Number(process.hrtime.bigint());
const bytes = 1 << 22;
const PENDING = 1e5;

function nanosecondsPerTurn(turns, f) {
  f(turns / 10);
  let best = Infinity;
  for (let i = 0; i < 5; ++i) {
    const begin = now();
    f(turns);
    best = Math.min(best, (now() - begin) / turns);
  }
  return best;
}

/// Two workers who have each other's word: `turn` is called with its own and the other's element.
function betweenTwo(turn) {
  if (!isMainThread) return turn(new Int32Array(workerData.buffer), workerData.mine);
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

const WARM_UP = 2000;
const TURNS = 20000;

/// Counts up in turns with the other: `sleep(words, mine, seen)` returns or settles when the own word may have changed.
function passOn(words, mine, theirs, value) {
  Atomics.store(words, theirs, value);
  notify(words, theirs, 1);
}

const cases = {
  notify() {
    const words = new Int32Array(new SharedArrayBuffer(4096));
    console.log(nanosecondsPerTurn(2e6, (turns) => {
      for (let i = 0; i < turns; ++i) notify(words, i & 1023);
    }));
  },

  'ping-pong'() {
    betweenTwo((words, mine) => {
      const theirs = 16 - mine;
      let begin = 0;
      for (let i = 1; i <= WARM_UP + TURNS; ++i) {
        if (i === WARM_UP) begin = now();
        if (mine === 0) passOn(words, mine, theirs, i);
        while (Atomics.load(words, mine) < i) wait(words, mine, i - 1);
        if (mine !== 0) passOn(words, mine, theirs, i);
      }
      if (mine === 0) report((now() - begin) / TURNS);
    });
  },

  async 'same-thread'() {
    const words = new Int32Array(new SharedArrayBuffer(64));
    async function turn(turns) {
      for (let i = 0; i < turns; ++i) {
        const answer = waitAsync(words, 0, 0);
        notify(words, 0);
        await answer.value;
      }
    }
    await turn(50000);
    let best = Infinity;
    for (let i = 0; i < 5; ++i) {
      const begin = now();
      await turn(200000);
      best = Math.min(best, (now() - begin) / 200000);
    }
    console.log(best);
  },

  across() {
    betweenTwo(async (words, mine) => {
      const theirs = 16 - mine;
      const alive = setInterval(() => {}, 1e6);  // the engine's waits do not keep the thread alive
      let begin = 0;
      for (let i = 1; i <= WARM_UP + TURNS; ++i) {
        if (i === WARM_UP) begin = now();
        if (mine === 0) passOn(words, mine, theirs, i);
        while (Atomics.load(words, mine) < i) {
          const answer = waitAsync(words, mine, i - 1);
          if (answer.async) await answer.value;
        }
        if (mine !== 0) passOn(words, mine, theirs, i);
      }
      if (mine === 0) report((now() - begin) / TURNS);
      clearInterval(alive);
    });
  },

  register: () => register(() => 0),
  'register-words': () => register((i) => i),
  memory: () => memory(() => 0),
  'memory-words': () => memory((i) => i),
};

/// How long it takes until very many are in line; with code that has run before, in a process that has not.
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
