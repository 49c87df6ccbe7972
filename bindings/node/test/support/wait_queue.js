// SPDX-License-Identifier: MIT
'use strict';

// Words to wait on, and the state of their wait queues and promises.

const { setImmediate: nextIteration } = require('node:timers/promises');
const { waiting } = require('./implementation');

/// Fresh words: a view over a new shared buffer of its own, all zero.
function int32(length = 4) {
  return new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
}

function bigInt64(length = 4) {
  return new BigInt64Array(new SharedArrayBuffer(length * BigInt64Array.BYTES_PER_ELEMENT));
}

/// Settles when exactly `count` waiters are queued at that element. Asks the queue; no clock is involved.
async function untilWaiting(typedArray, index, count) {
  while (waiting(typedArray, index) !== count) await nextIteration();
}

const pending = Symbol('pending');

/// What the promise has fulfilled with, or `pending`, as far as the microtasks that are queued now can tell.
function stateOf(promise) {
  return Promise.race([promise, Promise.resolve(pending)]);
}

module.exports = { int32, bigInt64, untilWaiting, nextIteration, pending, stateOf, waiting };
