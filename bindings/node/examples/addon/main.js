// SPDX-License-Identifier: MIT
'use strict';
// Frames of a native thread, read twice: by the main thread, which must not block, and by a worker, which may.
//
// Prints:
//     the main thread has read 10000 frames, the last is 100000000
//     the worker has read 10000 frames, the last is 100000000

const { Worker, isMainThread, workerData } = require('node:worker_threads');
const { wait, waitAsync, notify } = require('../..');  // elsewhere: require('futon')
const { start } = require('./build/frames.node');

const FRAMES = 10000;
const WRITTEN = 0;
const READ = 1;
const FIRST_FRAME = 2;

function take(ring, read) {
  const frame = ring[FIRST_FRAME + (read % (ring.length - FIRST_FRAME))];
  Atomics.store(ring, READ, read + 1);
  notify(ring, READ);
  return frame;
}

async function readWithoutBlocking(ring) {
  let last = 0;
  for (let read = 0; read < FRAMES; ++read) {
    while (Atomics.load(ring, WRITTEN) === read) await waitAsync(ring, WRITTEN, read).value;
    last = take(ring, read);
  }
  return last;
}

function readBlocking(ring) {
  let last = 0;
  for (let read = 0; read < FRAMES; ++read) {
    while (Atomics.load(ring, WRITTEN) === read) wait(ring, WRITTEN, read);
    last = take(ring, read);
  }
  return last;
}

const newRing = () => new Int32Array(new SharedArrayBuffer(4 * (FIRST_FRAME + 16)));

async function main() {
  const ring = newRing();
  start(ring, FRAMES);
  console.log(`the main thread has read ${FRAMES} frames, the last is ${await readWithoutBlocking(ring)}`);
  new Worker(__filename, { workerData: newRing() });
}

if (isMainThread) {
  main();
} else {
  start(workerData, FRAMES);
  console.log(`the worker has read ${FRAMES} frames, the last is ${readBlocking(workerData)}`);
}
