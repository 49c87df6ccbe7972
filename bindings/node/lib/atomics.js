// SPDX-License-Identifier: MIT
'use strict';
// The functions of the specification.

const { typedArrayLength, typedArrayBuffer, isInteger, hasOwn, TypeError } = require('./primordials.js');
const {
  native, doubles, bigs, ints, ADDRESS, TIMEOUT, COUNT, NARROW, WIDTH, OUTCOME, LIGHT_SLOT, HEAVY_SLOT, BATCH_SIZE,
  OK, NOT_EQUAL, TIMED_OUT,
} = require('./native.js');
const { viewOf, requireElements, requireShared, findView } = require('./view.js');
const { toIndex, toInt32, toInt64, toTimeout, toCount } = require('./coerce.js');
const { requireCanBlock } = require('./agent.js');
const {
  makePromise, capability, nextSlot, hold, drop, prepareForPromise, adopt, dropPromise, settle,
} = require('./pending.js');
const { waitWithOptions } = require('./options.js');
const { isDiagnosed, noteCall } = require('./diagnosis.js');
const { isOptionBag, readArguments, readOptions, readBlockingOptions } = require('./option_bag.js');

/// Fills the mailbox after the last conversion, for a conversion may run code that uses the mailbox as well.
function fill(view, index, expected, timeout) {
  doubles[ADDRESS] = view.address + index * view.size;
  ints[WIDTH] = view.size;
  if (view.isWide) {
    bigs[0] = expected;
  } else {
    ints[NARROW] = expected;
  }
  doubles[TIMEOUT] = timeout;
}

// What most calls pass needs no conversion. It is asked for in place: in code that is not yet compiled, a call takes as long as
// the rest. An array whose length may change has no fixed one, and goes the long way.

function nameOf(outcome) {
  return outcome === OK ? 'ok' : outcome === NOT_EQUAL ? 'not-equal' : outcome === TIMED_OUT ? 'timed-out' : undefined;
}

// A wait is held first and enqueued last: after that nothing may throw, neither code of the program's nor a full stack.
// [enqueue-safe]

function waitInLightSlot(view, at, expected, milliseconds, buffer) {
  const promise = makePromise('futon.waitAsync');
  const slot = nextSlot();
  hold(slot, capability.resolve, buffer, capability.resource);
  fill(view, at, expected, milliseconds);
  native.enqueue();
  if (ints[OUTCOME] >= 0) return { async: true, value: promise };

  drop(slot);
  return { async: false, value: nameOf(ints[OUTCOME]) };
}

function waitInHeavySlot(view, at, expected, milliseconds, buffer) {
  const slot = ints[HEAVY_SLOT];
  const promises = prepareForPromise(slot, buffer);
  fill(view, at, expected, milliseconds);
  const promise = native.enqueueWithPromise();
  if (ints[OUTCOME] >= 0) {
    if (promises !== undefined) promises[slot & 255] = promise;
    return { async: true, value: adopt(promise) };
  }

  dropPromise(slot);
  return { async: false, value: nameOf(ints[OUTCOME]) };
}

// Methods, because those are not constructors.
const { wait, waitAsync, notify, pause } = {
  wait(typedArray, index, value, timeout, options = undefined) {
    const view = viewOf(typedArray) ?? requireShared(typedArray, 'wait');
    const at = typeof index === 'number' && (index | 0) === index && index >= 0 && index < view.fixedLength ? index :
      toIndex(index, typedArrayLength(typedArray), 'wait');
    const expected = view.isWide ? toInt64(value, 'wait') : typeof value === 'number' ? value | 0 : toInt32(value, 'wait');
    // As the specification says, another fifth argument than an object is ignored.
    const milliseconds = timeout === undefined && options === undefined ? Infinity :
      typeof options === 'object' || isOptionBag(timeout) ?
        readArguments(timeout, options, 'wait', readBlockingOptions) : toTimeout(timeout, 'wait');
    requireCanBlock('wait');
    if (isDiagnosed) noteCall();

    fill(view, at, expected, milliseconds);
    native.wait();
    // No call follows, which an almost full stack would refuse: a notify may have counted this wait.
    const outcome = ints[OUTCOME];
    return outcome === OK ? 'ok' : outcome === NOT_EQUAL ? 'not-equal' : outcome === TIMED_OUT ? 'timed-out' : undefined;
  },

  waitAsync(typedArray, index, value, timeout, options = undefined) {
    const view = viewOf(typedArray) ?? requireShared(typedArray, 'waitAsync');
    const at = typeof index === 'number' && (index | 0) === index && index >= 0 && index < view.fixedLength ? index :
      toIndex(index, typedArrayLength(typedArray), 'waitAsync');
    const expected =
      view.isWide ? toInt64(value, 'waitAsync') : typeof value === 'number' ? value | 0 : toInt32(value, 'waitAsync');
    if (isDiagnosed) noteCall();
    if (options !== undefined || (timeout !== undefined && isOptionBag(timeout))) {
      const read = readArguments(timeout, options, 'waitAsync', readOptions);
      return waitWithOptions(read, typedArrayBuffer(typedArray), () =>
        fill(view, at, expected, read.timeout));
    }

    const milliseconds = toTimeout(timeout, 'waitAsync');
    if (milliseconds === 0) {
      fill(view, at, expected, 0);
      native.enqueue();
      return { async: false, value: nameOf(ints[OUTCOME]) };
    }
    const buffer = typedArrayBuffer(typedArray);
    return ints[LIGHT_SLOT] >= 0 ? waitInLightSlot(view, at, expected, milliseconds, buffer) :
      waitInHeavySlot(view, at, expected, milliseconds, buffer);
  },

  notify(typedArray, index, count) {
    let view = viewOf(typedArray);
    if (view === undefined) requireElements(typedArray, 'notify');
    const at = view !== undefined && typeof index === 'number' && (index | 0) === index && index >= 0 &&
      index < view.fixedLength ? index : toIndex(index, typedArrayLength(typedArray), 'notify');
    const most = count === undefined ? Infinity :
      typeof count === 'number' && (count | 0) === count && count >= 0 ? count : toCount(count, 'notify');
    if (view === undefined) {
      view = viewOf(typedArray) ?? findView(typedArray);  // the conversions may have used it
      if (view === undefined) return 0;  // not shared: it has no waiters
    }

    doubles[ADDRESS] = view.address + at * view.size;
    doubles[COUNT] = most;
    native.notify();
    const woken = doubles[COUNT];
    if (ints[BATCH_SIZE] !== 0) settle();
    return woken;
  },

  pause(duration = undefined) {
    if (duration !== undefined && !isInteger(duration))
      throw new TypeError('pause: duration must be an integral number, or undefined');
    const pauses = duration === undefined ? 1 : duration;
    doubles[COUNT] = pauses < 1 ? 1 : pauses > 16 ? 16 : pauses;
    native.pause();
  },
};

module.exports = { wait, waitAsync, notify, pause: hasOwn(Atomics, 'pause') ? Atomics.pause : pause };
