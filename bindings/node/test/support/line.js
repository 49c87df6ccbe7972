// SPDX-License-Identifier: MIT
'use strict';

// Questions about a line and about promises that wait in it.

const { setImmediate: nextTurn } = require('node:timers/promises');
const { waiting } = require('./implementation');

/// Fresh words: a view over a new shared buffer of its own, all zero.
function int32(length = 4) {
  return new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
}

function bigInt64(length = 4) {
  return new BigInt64Array(new SharedArrayBuffer(length * BigInt64Array.BYTES_PER_ELEMENT));
}

/// Settles when exactly `count` stand in line at that element. Asks the line; no clock is involved.
async function untilWaiting(typedArray, index, count) {
  while (waiting(typedArray, index) !== count) await nextTurn();
}

const pending = Symbol('pending');

/// What the promise has fulfilled with, or `pending`, as far as the microtasks that are queued now can tell.
function stateOf(promise) {
  return Promise.race([promise, Promise.resolve(pending)]);
}

module.exports = { int32, bigInt64, untilWaiting, nextTurn, pending, stateOf, waiting };
