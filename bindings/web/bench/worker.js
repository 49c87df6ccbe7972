// SPDX-License-Identifier: MIT
// A worker of the benchmark: locks and unlocks until it is told to end, and says how often it did.

import { AsyncLock } from '../index.js';
import { isNode } from '../test/harness.js';
import { SeedLock } from './seed_lock.js';

const { parentPort } = isNode ? await import('node:worker_threads') : {};
const send = isNode ? (message) => parentPort.postMessage(message) : (message) => postMessage(message);

function spend(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

function contend({ buffer, kind, hold, think }) {
  const lock = kind === 'article' ? new SeedLock(buffer) : new AsyncLock(buffer, 0, { strict: kind === 'strict' });
  const isOver = new Int32Array(buffer, 8, 1);
  let count = 0;
  while (Atomics.load(isOver, 0) === 0) {
    lock.lock();
    if (hold > 0) spend(hold);
    lock.unlock();
    if (think > 0) spend(think);
    ++count;
  }
  return count;
}

function receive(data) {
  send(data.kind === 'start' ? 0 : contend(data));
}

if (isNode) parentPort.on('message', receive);
else onmessage = ({ data }) => receive(data);
