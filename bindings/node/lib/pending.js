// SPDX-License-Identifier: MIT
'use strict';
// The promises that stand in line. The addon knows each by its slot; what settles it, and what keeps its memory, is here.

const { Array, Map, mapGet, mapSet, mapDelete, Promise, RangeError, setPrototypeOf } = require('./primordials.js');
const {
  native, doubles, ints, batch, COUNT, SLOT, OUTCOME, LIGHT_SLOT, HEAVY_SLOT, IS_SETTLING, BATCH_SIZE, HAS_MORE,
} = require('./native.js');

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

// The promises of a crowd: those that C++ settles, where it has nothing of its own to do it with.
const promises = makeList(0);
const { mustKeepPromises } = native;

function partOf(list, slot) {
  return list[slot >>> 8] ?? (list[slot >>> 8] = makeList(256));
}

/// A new promise; `capability` is what settles it, until the next one is made.
const capability = { resolve: undefined, reject: undefined };
const take = (resolve, reject) => {
  capability.resolve = resolve;
  capability.reject = reject;
};

/// Throws a RangeError here if the stack is nearly full. Within the constructor of a promise that would become a
/// rejection instead.
const requireRoom = (depth) => (depth === 0 ? 0 : 1 + requireRoom(depth - 1));

function makePromise() {
  requireRoom(8);
  capability.resolve = undefined;
  const promise = new Promise(take);
  if (capability.resolve === undefined) throw new RangeError('waitAsync: the stack is full');
  return promise;
}

/// The slot that the next wait will have, unless code of the program's runs before it joins.
function nextSlot() {
  return ints[LIGHT_SLOT] >= 0 ? ints[LIGHT_SLOT] : ints[HEAVY_SLOT];
}

/// Keeps what a wait needs that is about to join: `settler` is called with its result. If it does not join, `drop` it; if
/// not even that is possible, the next in this slot does.
function hold(slot, settler, buffer) {
  partOf(buffers, slot)[slot & 255] = buffer;
  if (slot < LIGHT_SLOTS) {
    lightSettlers[slot] = settler;
  } else {
    mapSet(heavySettlers, slot, settler);
  }
}

/// The same for one of a crowd. Returns where its promise has to be kept, if it has to.
function prepareForPromise(slot, buffer) {
  partOf(buffers, slot)[slot & 255] = buffer;
  return mustKeepPromises ? partOf(promises, slot) : undefined;
}

function forget(list, slot) {
  const part = list[slot >>> 8];
  if (part !== undefined) part[slot & 255] = undefined;
}

function drop(slot) {
  forget(buffers, slot);
  if (slot < LIGHT_SLOTS) {
    lightSettlers[slot] = undefined;
  } else {
    mapDelete(heavySettlers, slot);
  }
}

function dropPromise(slot) {
  forget(buffers, slot);
  forget(promises, slot);
}

/// Where the stack is full this may throw midway, and is called again: who is settled already stays so.
function finish(entry) {
  const slot = entry >>> 3;
  const result = RESULTS[entry & 3];
  if ((entry & 4) === 0) {
    const settler = slot < LIGHT_SLOTS ? lightSettlers[slot] : mapGet(heavySettlers, slot);
    settler(result);
    drop(slot);
  } else {
    ints[SLOT] = slot;
    native.fulfil(result, mustKeepPromises ? promises[slot >>> 8][slot & 255] : undefined);
    dropPromise(slot);
  }
}

let next = 0;

/// Settles what is in the batch, and what comes after it, first come, first served. Settling runs no code of the
/// program's but for hooks of async_hooks, which may come back here: the outer call sees to it all.
function settle() {
  if (ints[IS_SETTLING] !== 0) return;
  try {
    ints[IS_SETTLING] = 1;
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

/// What has arrived from other threads, what has timed out, and what a full stack has left. The loop calls this: nobody
/// is settling anything, even if it says so because the stack was too full to take that back.
function settleArrived() {
  ints[IS_SETTLING] = 0;
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

module.exports = {
  makePromise, capability, nextSlot, hold, drop, prepareForPromise, dropPromise, settle, cancel, setWork,
};
