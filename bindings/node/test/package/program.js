// SPDX-License-Identifier: MIT
'use strict';
// What a user of the package has: a worker that blocks, and a main thread that wakes it, takes a promise and a lock.

const { Worker, isMainThread, workerData, parentPort } = require('node:worker_threads');
const { AsyncLock, notify, wait, waitAsync, waiters } = require('futon');

const words = isMainThread ? new Int32Array(new SharedArrayBuffer(16)) : workerData;

async function main() {
  const worker = new Worker(__filename, { workerData: words });
  const result = new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
  while (waiters(words, 0).length === 0) await new Promise(setImmediate);

  const { value } = waitAsync(words, 1, 0);
  Atomics.store(words, 0, 1);
  notify(words, 0);
  const first = await result;
  const second = await value;
  const third = await new AsyncLock(words.buffer, 8).executeLocked(() => 'locked');
  console.log(process.arch, first, second, third);
}

if (isMainThread) {
  main();
} else {
  parentPort.postMessage(wait(words, 0, 0));
  Atomics.store(words, 1, 1);
  notify(words, 1);
}
