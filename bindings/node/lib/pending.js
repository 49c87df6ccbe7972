// SPDX-License-Identifier: MIT
'use strict';
// The promises that stand in line. The addon knows each by its slot; what settles it, and what keeps its memory, is here.

const { Array, Map, mapGet, mapSet, mapDelete, Promise, setPrototypeOf } = require('./primordials.js');
const { native, doubles, ints, batch, COUNT, SLOT, OUTCOME, IS_SETTLING, BATCH_SIZE, HAS_MORE } = require('./native.js');

const RESULTS = ['ok', 'not-equal', 'timed-out', 'cancelled'];  // as WaitResult
const LIGHT_SLOTS = 256;                                        // as PendingWait::light_slots

/// An array that does not inherit: a program may have put setters on Array.prototype.
function makeList(length) {
  return setPrototypeOf(new Array(length), null);
}

const lightSettlers = makeList(LIGHT_SLOTS);
const heavySettlers = new Map();

// Whoever waits keeps the memory that it waits on: a line goes by its address, and so does whatever lies there later.
// In parts, so that many more need no long copying.
const buffers = makeList(0);

function keep(slot, buffer) {
  const part = buffers[slot >>> 8] ?? (buffers[slot >>> 8] = makeList(256));
  part[slot & 255] = buffer;
}

/// A new promise; `capability` is what settles it, until the next one is made.
const capability = { resolve: undefined, reject: undefined };
const take = (resolve, reject) => {
  capability.resolve = resolve;
  capability.reject = reject;
};
const makePromise = () => new Promise(take);

/// Keeps what a wait needs that has joined: `settle` is called with its result; undefined where it has a deferred.
function hold(slot, settle, buffer) {
  keep(slot, buffer);
  if (settle === undefined) return;
  if (slot < LIGHT_SLOTS) {
    lightSettlers[slot] = settle;
  } else {
    mapSet(heavySettlers, slot, settle);
  }
}

function drop(slot) {
  buffers[slot >>> 8][slot & 255] = undefined;
  if (slot < LIGHT_SLOTS) {
    lightSettlers[slot] = undefined;
  } else {
    mapDelete(heavySettlers, slot);
  }
}

function finish(entry) {
  const slot = entry >>> 3;
  const result = RESULTS[entry & 3];
  if ((entry & 4) !== 0) {
    buffers[slot >>> 8][slot & 255] = undefined;
    ints[SLOT] = slot;
    native.settleDeferred(result);
    return;
  }
  const settler = slot < LIGHT_SLOTS ? lightSettlers[slot] : mapGet(heavySettlers, slot);
  settler(result);
  drop(slot);
}

let next = 0;

/// Settles what is in the batch, and what comes after it, first come, first served. Settling runs no code of the
/// program's but for hooks of async_hooks, which may come back here: the outer call sees to it all.
function settle() {
  if (ints[IS_SETTLING] !== 0) return;
  ints[IS_SETTLING] = 1;
  try {
    while (true) {
      // Where the stack is full this throws, and goes on from the same entry the next time.
      for (; next < ints[BATCH_SIZE]; ++next) finish(batch[next]);
      next = ints[BATCH_SIZE] = 0;
      if (ints[HAS_MORE] === 0) return;
      native.takeSettled();
    }
  } finally {
    ints[IS_SETTLING] = 0;
  }
}

/// What has arrived from other threads, and what has timed out.
function settleArrived() {
  ints[HAS_MORE] = 1;
  settle();
}

/// Takes a wait out of its line. Returns false if it is over already, and will say so.
function cancel(slot) {
  ints[SLOT] = slot;
  native.cancel();
  if (ints[OUTCOME] === 0) return false;
  drop(slot);
  return true;
}

/// Whether the process stays alive for a wait.
function setWork(slot, isWork) {
  ints[SLOT] = slot;
  doubles[COUNT] = isWork ? 1 : 0;
  native.setWork();
}

native.setCallbacks(settleArrived, () => {});

module.exports = { makePromise, capability, hold, settle, cancel, setWork, RESULTS };
