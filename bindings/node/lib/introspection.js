// SPDX-License-Identifier: MIT
'use strict';
// The waiters of a word, and of the whole process.

const { defineProperty, typedArrayLength } = require('./primordials.js');
const { native, doubles, ADDRESS, COUNT } = require('./native.js');
const { requireShared } = require('./view.js');
const { toIndex } = require('./coerce.js');
const { stateOf } = require('./async_lock.js');

const KINDS = ['native', 'wait', 'waitAsync', 'lock', 'lockAsync'];  // as Kind of src/introspection.cpp

function locate(typedArray, index, name) {
  const { address, size } = requireShared(typedArray, name);
  const at = toIndex(index, typedArrayLength(typedArray), name);
  return address + at * size;
}

/// The thread that holds the lock there; undefined if that is none of JavaScript.
function holderOf(address) {
  doubles[ADDRESS] = address;
  native.holderOf();
  return doubles[COUNT] < 0 ? undefined : doubles[COUNT];
}

const OF_A_LOCK = 'futon::AsyncLock::lock';

/// The waiters at the address, behind those that are listed already.
function list(address, waiters = []) {
  doubles[ADDRESS] = address;
  const found = native.waiters();
  const { numbers } = found;
  const length = typedArrayLength(numbers);
  for (let i = 0; i < length; i += 4) {
    const value = {
      address: numbers[i],
      kind: KINDS[numbers[i + 1]],
      threadId: numbers[i + 2] < 0 ? undefined : numbers[i + 2],
      operation: numbers[i + 3] < 0 ? undefined : found[numbers[i + 3]],
      holder: undefined,
    };
    if (value.operation === OF_A_LOCK) value.holder = holderOf(value.address);
    defineProperty(waiters, waiters.length, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  }
  return waiters;
}

const { waiters, addressOf, inspect } = {
  /**
   * The waiters of an element, in the order of their queue; without arguments, all waiters of this process.
   */
  waiters(typedArray, index) {
    return list(typedArray === undefined ? 0 : locate(typedArray, index, 'waiters'));
  },

  /** The state of a lock: who holds it, and its waiters. */
  inspect(lock) {
    const { address, isLocked, isStrict, isAbandoned, holder } = stateOf(lock);
    return { address, isLocked, isStrict, isAbandoned, holder, waiters: list(address) };
  },

  /** The address of an element of shared memory. It identifies the wait queue, in all threads. */
  addressOf(typedArray, index) {
    return locate(typedArray, index, 'addressOf');
  },
};

module.exports = { waiters, addressOf, inspect, waitersAt: list };
