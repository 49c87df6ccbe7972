// SPDX-License-Identifier: MIT
'use strict';
// The pending waits. The addon knows each by its slot; this file has what settles its promise and keeps its memory.

const { PendingResource, listActiveResources } = require('./async_resource.js');
const {
  Array, arrayPush, defineProperty, Map, mapGet, mapSet, mapDelete, Promise, promisePrototype, RangeError, getPrototypeOf,
  setPrototypeOf,
} = require('./primordials.js');
const {
  native, doubles, ints, batch, COUNT, SLOT, OUTCOME, LIGHT_SLOT, HEAVY_SLOT, IS_SETTLING, BATCH_SIZE, HAS_MORE,
} = require('./native.js');

// As WaitResult. A wait that was queued does not end as not equal.
const RESULTS = ['ok', 'not-equal', 'timed-out', 'cancelled'];
const LIGHT_SLOTS = 256;                                        // as PendingWait::light_slots

/// An array that does not inherit: a program may have put setters on Array.prototype.
function makeList(length) {
  return setPrototypeOf(new Array(length), null);
}

const lightSettlers = makeList(LIGHT_SLOTS);
const lightResources = makeList(LIGHT_SLOTS);
const heavySettlers = new Map();

// The buffers of the pending waits. A wait queue is identified by its address, so the memory must stay while a waiter
// is queued: else what is allocated there next would share the queue. In parts, so that the list grows without long
// copying.
const buffers = makeList(0);

// The promises of heavy slots that C++ settles, if C++ needs the promise for that.
const promises = makeList(0);
const { mustKeepPromises } = native;

function partOf(list, slot) {
  return list[slot >>> 8] ?? (list[slot >>> 8] = makeList(256));
}

/// What settles the promise that `makePromise` has made last, and its async resource.
const capability = { resolve: undefined, reject: undefined, resource: undefined };
const take = (resolve, reject) => {
  capability.resolve = resolve;
  capability.reject = reject;
};

/// Throws a RangeError if the stack is nearly full. Within the constructor of a promise it would become a rejection.
const requireRoom = (depth) => (depth === 0 ? 0 : 1 + requireRoom(depth - 1));

function makePromise(name) {
  requireRoom(8);
  const resource = new PendingResource(name);
  capability.resolve = undefined;
  const promise = new Promise(take);
  if (capability.resolve === undefined) throw new RangeError('waitAsync: the stack is full');
  capability.resource = resource;  // last: a hook of the promise may have made another one
  return promise;
}

/// Whether the addon belongs to another realm than this file, as it does in Jest and in contexts of `vm`.
const isForeign = getPrototypeOf(native.enqueueWithPromise) !== getPrototypeOf(makePromise);

/// A promise that C++ has made, as one of this realm: a promise shows its realm by its prototype only.
/// `prepareForPromise` has found room for this call on the stack.
function adopt(promise) {
  return isForeign ? setPrototypeOf(promise, promisePrototype) : promise;
}

/// The slot that the next wait will have, unless code of the program's runs before it is enqueued.
function nextSlot() {
  return ints[LIGHT_SLOT] >= 0 ? ints[LIGHT_SLOT] : ints[HEAVY_SLOT];
}

/// Keeps what a wait needs that is about to be enqueued. `settler` is called with its result. If it is not enqueued,
/// `drop` it; if even that throws, the next wait in this slot replaces it.
function hold(slot, settler, buffer, resource) {
  partOf(buffers, slot)[slot & 255] = buffer;
  if (slot < LIGHT_SLOTS) {
    lightSettlers[slot] = settler;
    lightResources[slot] = resource;
  } else {
    mapSet(heavySettlers, slot, settler);
    resource.emitDestroy();  // no resource of a wait in a heavy slot is kept
  }
}

/// The same for a wait whose promise C++ settles. Returns the list that must keep the promise, if one must.
function prepareForPromise(slot, buffer) {
  if (isForeign) requireRoom(30);
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
    const resource = lightResources[slot];
    lightResources[slot] = undefined;
    if (resource !== undefined) resource.emitDestroy();
    lightSettlers[slot] = undefined;
  } else {
    mapDelete(heavySettlers, slot);
  }
}

function dropPromise(slot) {
  forget(buffers, slot);
  forget(promises, slot);
}

/// If the stack is full this may throw midway and is called again: a promise that is settled already stays so.
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

/// Settles the waits of the batch and of all batches after it, in FIFO order. Settling runs no code of the program's,
/// except for hooks of async_hooks. If a hook calls this again, the outer call settles everything.
function settle() {
  if (ints[IS_SETTLING] !== 0) return;
  try {
    ints[IS_SETTLING] = 1;
    while (true) {
      // If the stack is full this throws, and the next call continues with the same entry.
      for (; next < ints[BATCH_SIZE]; ++next) finish(batch[next]);
      next = ints[BATCH_SIZE] = 0;
      if (ints[HAS_MORE] === 0) return;
      native.takeSettled();
    }
  } finally {
    ints[IS_SETTLING] = 0;
  }
}

/// Settles the waits that other threads have delivered, that have timed out, or that a full stack has left over. The
/// loop calls this, so no other call is settling, even if `IS_SETTLING` is set: a full stack may have prevented its
/// reset.
function settleArrived() {
  ints[IS_SETTLING] = 0;
  ints[HAS_MORE] = 1;
  settle();
}

/// Dequeues a wait. Returns false if it is over already; then its settling is on the way.
function cancel(slot) {
  ints[SLOT] = slot;
  native.cancel();
  if (ints[OUTCOME] === 0) return false;
  drop(slot);
  return true;
}

/// Sets whether a wait keeps the process alive.
function setWork(slot, isWork) {
  if (slot < LIGHT_SLOTS) lightResources[slot].setRef(isWork);
  ints[SLOT] = slot;
  doubles[COUNT] = isWork ? 1 : 0;
  native.setWork();
}

const activeResources = {
  /// Adds the names of the waits that keep the process alive.
  addTo(names) {
    for (let slot = 0; slot < LIGHT_SLOTS; ++slot)
      if (lightResources[slot]?.hasRef()) arrayPush(names, lightResources[slot].name);
  },
};
listActiveResources(activeResources);

// The addon does not keep them while no wait is pending, so that all this is collected once it is not used any more.
const nothing = () => {};
defineProperty(native, 'callbacks', { __proto__: null, value: { settleArrived, nothing, activeResources } });
native.setCallbacks(settleArrived, nothing);

module.exports = {
  requireRoom, makePromise, capability, nextSlot, hold, drop, prepareForPromise, adopt, dropPromise, settle, cancel, setWork,
};
