// SPDX-License-Identifier: MIT
'use strict';
// What has happened: futon::Event, futon::AutoResetEvent and futon::Latch.

const { isAborted, reasonOf, RangeError } = require('./primordials.js');
const { requireCanBlock } = require('./agent.js');
const { readOptions, readBlockingOptions } = require('./option_bag.js');
const {
  Type, Primitive, operationOf, placeOf, act, ask, block, waitFor, requireCount, requireMaking, inUse, requireSame, MAKE, TRY_TAKE, GIVE,
  RESET, LOOK, LIMIT,
} = require('./primitive.js');

const EVENT = new Type('Event', 2, 4);
const AUTO_RESET_EVENT = new Type('AutoResetEvent', 3, 4);
const LATCH = new Type('Latch', 4, 4);

const resultOf = (isInTime) => (isInTime ? 'ok' : 'timed-out');

async function start(type, primitive, caller, options) {
  const read = await waitFor(placeOf(primitive, type, 'waitAsync'), `${type.name}.waitAsync`, caller, options);
  return resultOf(!read.isLate);
}

/// What the options of a constructor say: whether it is set.
function begin(place, options) {
  const { name } = place.type;
  const set = requireMaking(options, name, { __proto__: null, set: 'boolean' })?.set;
  if (set === undefined || set === act(place, LOOK)) return;
  if (!set) requireSame(name, 'set', false, true);
  if (!act(place, MAKE)) throw inUse(name, 'set');
}

class Event extends Primitive {
  static byteLength = EVENT.size;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(EVENT, buffer, byteOffset);
    begin(placeOf(this, EVENT, 'constructor'), options);
  }

  set() {
    act(placeOf(this, EVENT, 'set'), GIVE);
  }

  reset() {
    act(placeOf(this, EVENT, 'reset'), RESET);
  }

  get isSet() {
    return act(placeOf(this, EVENT, 'isSet'), LOOK);
  }

  tryWait() {
    return act(placeOf(this, EVENT, 'tryWait'), TRY_TAKE);
  }

  wait(options = undefined) {
    return resultOf(block(placeOf(this, EVENT, 'wait'), 'Event.wait', options));
  }

  waiting() {
    return operationOf(placeOf(this, EVENT, 'waiting'), (result) => result);
  }

  waitAsync(options = undefined) {
    return start(EVENT, this, waitForEvent, options);
  }
}

class AutoResetEvent extends Primitive {
  static byteLength = AUTO_RESET_EVENT.size;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(AUTO_RESET_EVENT, buffer, byteOffset);
    begin(placeOf(this, AUTO_RESET_EVENT, 'constructor'), options);
  }

  set() {
    act(placeOf(this, AUTO_RESET_EVENT, 'set'), GIVE);
  }

  reset() {
    act(placeOf(this, AUTO_RESET_EVENT, 'reset'), RESET);
  }

  get isSet() {
    return act(placeOf(this, AUTO_RESET_EVENT, 'isSet'), LOOK);
  }

  tryWait() {
    return act(placeOf(this, AUTO_RESET_EVENT, 'tryWait'), TRY_TAKE);
  }

  wait(options = undefined) {
    return resultOf(block(placeOf(this, AUTO_RESET_EVENT, 'wait'), 'AutoResetEvent.wait', options));
  }

  waiting() {
    return operationOf(placeOf(this, AUTO_RESET_EVENT, 'waiting'), (result) => result);
  }

  waitAsync(options = undefined) {
    return start(AUTO_RESET_EVENT, this, waitForSignal, options);
  }
}

const countOf = (place, n, name) => requireCount(n, 'n', name, ask(place, LIMIT));

function countDown(place, n, name) {
  if (!act(place, GIVE, n)) throw new RangeError(`${name}: ${n} is more than what is left of the count`);
}

const startToArrive = async (latch, n, options) => {
  const place = placeOf(latch, LATCH, 'arriveAndWaitAsync');
  const name = 'Latch.arriveAndWaitAsync';
  countOf(place, n, name);
  const { signal } = readOptions(options, name);  // before the count is changed
  if (signal !== undefined && isAborted(signal)) throw reasonOf(signal);
  countDown(place, n, name);
  const read = await waitFor(place, name, arriveAndWait, options);
  return resultOf(!read.isLate);
};

class Latch extends Primitive {
  static byteLength = LATCH.size;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(LATCH, buffer, byteOffset);
    const count = requireMaking(options, 'Latch', { __proto__: null, count: 'number' })?.count;
    if (count === undefined) return;
    const place = placeOf(this, LATCH, 'constructor');
    requireCount(count, 'options.count', 'Latch', ask(place, LIMIT));
    if (!act(place, MAKE, count)) throw inUse('Latch', 'count');
  }

  countDown(n = 1) {
    const place = placeOf(this, LATCH, 'countDown');
    countDown(place, countOf(place, n, 'Latch.countDown'), 'Latch.countDown');
  }

  tryWait() {
    return act(placeOf(this, LATCH, 'tryWait'), TRY_TAKE);
  }

  wait(options = undefined) {
    return resultOf(block(placeOf(this, LATCH, 'wait'), 'Latch.wait', options));
  }

  waiting() {
    return operationOf(placeOf(this, LATCH, 'waiting'), (result) => result);
  }

  waitAsync(options = undefined) {
    return start(LATCH, this, waitForLatch, options);
  }

  arriveAndWait(n = 1, options = undefined) {
    const name = 'Latch.arriveAndWait';
    const place = placeOf(this, LATCH, 'arriveAndWait');
    countOf(place, n, name);
    requireCanBlock(name);
    readBlockingOptions(options, name);  // before the count is changed
    countDown(place, n, name);
    return resultOf(block(place, name, options));
  }

  arriveAndWaitAsync(n = 1, options = undefined) {
    return startToArrive(this, n, options);
  }
}

const { waitAsync: waitForEvent } = Event.prototype;
const { waitAsync: waitForSignal } = AutoResetEvent.prototype;
const { waitAsync: waitForLatch, arriveAndWaitAsync: arriveAndWait } = Latch.prototype;

module.exports = { Event, AutoResetEvent, Latch };
