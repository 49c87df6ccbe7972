// SPDX-License-Identifier: MIT
'use strict';
// The promises that stand in line. The addon knows each by its slot; what settles it, and what keeps its memory, is here.

const { Map, mapGet, mapSet, mapDelete, Promise } = require('./primordials.js');
const { native, doubles, ints, batch, COUNT, SLOT, OUTCOME, HAS_SETTLED } = require('./native.js');

const RESULTS = ['ok', 'not-equal', 'timed-out', 'cancelled'];  // as WaitResult
const LIGHT_SLOTS = 256;                                        // as PendingWait::light_slots

const lightSettlers = new Array(LIGHT_SLOTS).fill(undefined);
const heavySettlers = new Map();

// Whoever waits keeps the memory that it waits on: a line goes by its address, and so does whatever lies there later.
const buffers = [];

let takenResolve;
let takenReject;
const take = (resolve, reject) => {
  takenResolve = resolve;
  takenReject = reject;
};

/// A promise, and what settles it: `resolve` and `reject` are good until the next call.
const capability = {
  make() {
    const promise = new Promise(take);
    capability.resolve = takenResolve;
    capability.reject = takenReject;
    return promise;
  },
  resolve: undefined,
  reject: undefined,
};

/// Keeps what a wait needs that has joined: `settle` is called with its result; undefined where it has a deferred.
function hold(slot, settle, buffer) {
  buffers[slot] = buffer;
  if (settle === undefined) return;
  if (slot < LIGHT_SLOTS) {
    lightSettlers[slot] = settle;
  } else {
    mapSet(heavySettlers, slot, settle);
  }
}

function drop(slot) {
  buffers[slot] = undefined;
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
    buffers[slot] = undefined;
    ints[SLOT] = slot;
    native.settleDeferred(result);
    return;
  }
  const settler = slot < LIGHT_SLOTS ? lightSettlers[slot] : mapGet(heavySettlers, slot);
  settler(result);
  drop(slot);
}

let next = 0;
let size = 0;
let isSettling = false;

/// Settles what is over, first come, first served. Settling runs no code of the program's but for hooks of async_hooks,
/// which may call this again: the outer call sees to it all.
function settle() {
  if (isSettling) return;
  isSettling = true;
  try {
    while (true) {
      for (; next < size; ++next) finish(batch[next]);
      native.takeSettled();
      next = 0;
      size = doubles[COUNT];
      if (size === 0) return;
    }
  } finally {
    isSettling = false;
    if (next < size) ints[HAS_SETTLED] = 1;  // the stack is full: the rest is for the next call
  }
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

native.setCallbacks(settle, () => {});

module.exports = { capability, hold, settle, cancel, setWork, RESULTS };
