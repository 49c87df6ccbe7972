// SPDX-License-Identifier: MIT
'use strict';
// A condition variable: futon::Condition.

const { Error, TypeError, isAborted, reasonOf } = require('./primordials.js');
const {
  native, doubles, ints, ADDRESS, TIMEOUT, LOCK, KIND, OUTCOME, ACQUISITION, OK, TIMED_OUT, NOT_EQUAL, NOT_HELD,
} = require('./native.js');
const { describe } = require('./describe.js');
const { requireCanBlock } = require('./agent.js');
const { requireRoom, makePromise, capability } = require('./pending.js');
const { enqueueWithSignal } = require('./options.js');
const { readOptions, readBlockingOptions } = require('./option_bag.js');
const { Registration, unlisten } = require('./abort.js');
const { prepareToHold, notHeld, hold, released } = require('./held_locks.js');
const { isDiagnosed, noteCall } = require('./diagnosis.js');
const { failure } = require('./failure.js');
const { AsyncLockGuard, heldBy, leave, comeBack } = require('./async_lock.js');
const { Type, Primitive, placeOf, ask, requireCount, requireMaking, GIVE } = require('./primitive.js');

const TYPE = new Type('Condition', 8, 4);
const KNOWN = { __proto__: null };

const notOwned = (name) => failure('EPERM', `${name}: the guard does not hold the lock`);
const otherLock = (name) =>
  new Error(`${name}: the waiters of this condition use another lock; the guard does not hold its lock any more`);

/// What the guard of this call holds.
function requireGuard(guard, name) {
  if (!(guard instanceof AsyncLockGuard))
    throw new TypeError(`${name}: guard must be the guard of an AsyncLock, not ${describe(guard)}`);
  const held = heldBy(guard);
  if (held === undefined) throw notOwned(name);
  return held;
}

function fill(place, held, timeout) {
  doubles[ADDRESS] = place.address;
  doubles[LOCK] = held.address;
  doubles[TIMEOUT] = timeout;
  ints[KIND] = TYPE.kind;
  ints[ACQUISITION] = held.acquisition;
  prepareToHold(held.word);
}

/// The call has released the lock, and holds it again.
function lockedAgain(guard, held) {
  hold(held.address, held.word);  // leaves the acquisition
  comeBack(guard);
}

const startToWait = async (condition, guard, options) => {
  const name = 'Condition.waitAsync';
  const place = placeOf(condition, TYPE, 'waitAsync');
  const held = requireGuard(guard, name);
  const { signal, ref, timeout } = readOptions(options, name);
  if (signal !== undefined && isAborted(signal)) throw reasonOf(signal);

  requireRoom(8);
  const promise = makePromise('futon.Condition');
  const { resolve, reject, resource } = capability;
  const registration = new Registration(reject);
  const settler = (result) => {
    unlisten(registration);
    lockedAgain(guard, held);
    if (result === 'cancelled') reject(reasonOf(signal));
    else resolve(result);
  };
  leave(guard);
  if (isDiagnosed) noteCall();
  const outcome = enqueueWithSignal(registration, signal, ref, settler, resource, [place.words, held.word],
    () => fill(place, held, timeout), native.beginOperation);
  if (outcome === undefined) {
    lockedAgain(guard, held);
    throw reasonOf(signal);
  }
  if (outcome >= 0) {
    notHeld();
    released();
    return promise;
  }
  return resultOf(outcome, guard, held, name);
};

/// The result of a call that waits no longer.
function resultOf(outcome, guard, held, name) {
  released();
  if (outcome === OK || outcome === TIMED_OUT) {
    lockedAgain(guard, held);
    return outcome === OK ? 'ok' : 'timed-out';
  }
  notHeld();
  leave(guard);
  if (outcome === NOT_HELD) throw notOwned(name);
  if (outcome === NOT_EQUAL) throw otherLock(name);
  throw new Error(`${name}: this thread is being ended`);  // and then no code of it runs any more
}

class Condition extends Primitive {
  static byteLength = TYPE.size;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(TYPE, buffer, byteOffset);
    requireMaking(options, 'Condition', KNOWN);
  }

  wait(guard, options = undefined) {
    const name = 'Condition.wait';
    const place = placeOf(this, TYPE, 'wait');
    requireCanBlock(name);
    const timeout = readBlockingOptions(options, name);
    const held = requireGuard(guard, name);
    requireRoom(4);
    fill(place, held, timeout);
    if (isDiagnosed) noteCall();
    try {
      native.blockInOperation();
    } catch (error) {  // the diagnostics have found a deadlock: the lock is released
      released();
      notHeld();
      leave(guard);
      throw error;
    }
    return resultOf(ints[OUTCOME], guard, held, name);
  }

  waitAsync(guard, options = undefined) {
    return startToWait(this, guard, options);
  }

  notify(count = Infinity) {
    const place = placeOf(this, TYPE, 'notify');
    if (count !== Infinity) requireCount(count, 'count', 'Condition.notify', 2 ** 31 - 1);
    return ask(place, GIVE, count);
  }
}

module.exports = { Condition };
