// SPDX-License-Identifier: MIT
'use strict';
// The functions of the specification.

const { typedArrayLength, typedArrayBuffer, isInteger, hasOwn, TypeError } = require('./primordials.js');
const {
  native, doubles, bigs, ints, ADDRESS, TIMEOUT, COUNT, NARROW, WIDTH, OUTCOME, LIGHT_SLOT, HEAVY_SLOT, BATCH_SIZE,
  OK, NOT_EQUAL, TIMED_OUT,
} = require('./native.js');
const { isKnown, addressOf, isWide, requireElements, requireShared, findAddress } = require('./view.js');
const { toIndex, toInt32, toInt64, toTimeout, toCount } = require('./coerce.js');
const { requireCanBlock } = require('./agent.js');
const {
  makePromise, capability, nextSlot, hold, drop, prepareForPromise, adopt, dropPromise, settle,
} = require('./pending.js');
const { waitWithOptions } = require('./options.js');
const { isOptionBag, readArguments, readOptions, readBlockingOptions } = require('./option_bag.js');

/// Fills the mailbox after the last conversion, for a conversion may run code that uses the mailbox as well.
function fill(base, index, wide, expected, timeout) {
  if (wide) {
    doubles[ADDRESS] = base + index * 8;
    ints[WIDTH] = 8;
    bigs[0] = expected;
  } else {
    doubles[ADDRESS] = base + index * 4;
    ints[WIDTH] = 4;
    ints[NARROW] = expected;
  }
  doubles[TIMEOUT] = timeout;
}

function nameOf(outcome) {
  return outcome === OK ? 'ok' : outcome === NOT_EQUAL ? 'not-equal' : outcome === TIMED_OUT ? 'timed-out' : undefined;
}

// A wait is held first and enqueued last: after that nothing may throw, neither code of the program's nor a full stack.
// [enqueue-safe]

function waitInLightSlot(base, at, wide, expected, milliseconds, buffer) {
  const promise = makePromise('futon.waitAsync');
  const slot = nextSlot();
  hold(slot, capability.resolve, buffer, capability.resource);
  fill(base, at, wide, expected, milliseconds);
  native.enqueue();
  if (ints[OUTCOME] >= 0) return { async: true, value: promise };

  drop(slot);
  return { async: false, value: nameOf(ints[OUTCOME]) };
}

function waitInHeavySlot(base, at, wide, expected, milliseconds, buffer) {
  const slot = ints[HEAVY_SLOT];
  const promises = prepareForPromise(slot, buffer);
  fill(base, at, wide, expected, milliseconds);
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
    const base = isKnown(typedArray) ? addressOf(typedArray) : requireShared(typedArray, 'wait');
    const at = toIndex(index, typedArrayLength(typedArray), 'wait');
    const wide = isWide(typedArray);
    const expected = wide ? toInt64(value, 'wait') : toInt32(value, 'wait');
    // As the specification says, another fifth argument than an object is ignored.
    const milliseconds = typeof options === 'object' || isOptionBag(timeout) ?
      readArguments(timeout, options, 'wait', readBlockingOptions) : toTimeout(timeout, 'wait');
    requireCanBlock('wait');

    fill(base, at, wide, expected, milliseconds);
    native.wait();
    return nameOf(ints[OUTCOME]);
  },

  waitAsync(typedArray, index, value, timeout, options = undefined) {
    const base = isKnown(typedArray) ? addressOf(typedArray) : requireShared(typedArray, 'waitAsync');
    const at = toIndex(index, typedArrayLength(typedArray), 'waitAsync');
    const wide = isWide(typedArray);
    const expected = wide ? toInt64(value, 'waitAsync') : toInt32(value, 'waitAsync');
    if (options !== undefined || isOptionBag(timeout)) {
      const read = readArguments(timeout, options, 'waitAsync', readOptions);
      return waitWithOptions(read, typedArrayBuffer(typedArray), () =>
        fill(base, at, wide, expected, read.timeout));
    }

    const milliseconds = toTimeout(timeout, 'waitAsync');
    if (milliseconds === 0) {
      fill(base, at, wide, expected, 0);
      native.enqueue();
      return { async: false, value: nameOf(ints[OUTCOME]) };
    }
    const buffer = typedArrayBuffer(typedArray);
    return ints[LIGHT_SLOT] >= 0 ? waitInLightSlot(base, at, wide, expected, milliseconds, buffer) :
      waitInHeavySlot(base, at, wide, expected, milliseconds, buffer);
  },

  notify(typedArray, index, count) {
    let base;
    if (isKnown(typedArray)) {
      base = addressOf(typedArray);
    } else {
      requireElements(typedArray, 'notify');
    }
    const at = toIndex(index, typedArrayLength(typedArray), 'notify');
    const most = toCount(count, 'notify');
    if (base === undefined) {
      base = findAddress(typedArray);
      if (base !== base) return 0;  // not shared: it has no waiters
    }

    doubles[ADDRESS] = base + at * (isWide(typedArray) ? 8 : 4);
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
