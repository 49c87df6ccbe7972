// SPDX-License-Identifier: MIT
'use strict';

// A worker that blocks in one primitive, and sets the word at DONE if its code ever goes on.

const { workerData } = require('node:worker_threads');
const { select, notify } = require('../..');
const { primitivesIn, DONE } = require('./family_memory');

const { words, name } = workerData;
const { channel, condition, lock, semaphore, sharedLock, signal } = primitivesIn(words, { isMade: true });

({
  message: () => channel.receive(),
  'message with a time-out': () => channel.receive({ timeout: 1e6 }),
  signal: () => signal.wait(),
  permit: () => semaphore.acquire(),
  'choice of a select': () => select([signal.waiting(), channel.receiving()]),
  notification: () => condition.wait(lock.lock()),
  lock: () => lock.lock(),
  'shared hold': () => sharedLock.lockShared(),
})[name]();
Atomics.store(words, DONE, 1);
notify(words, DONE);
