// SPDX-License-Identifier: MIT
'use strict';
// Warnings of guards that a program has lost: they were collected, and what they hold stays held for ever.

const { setImmediate, setTimeout } = require('node:timers');
const {
  Array, setPrototypeOf, captureStackTrace, FinalizationRegistry, registryRegister, Set, setAdd, setHas, Error, emitWarning, stringIndexOf,
  stringSlice,
} = require('./primordials.js');
const { requireRoom } = require('./pending.js');
const { StackBudget } = require('./stack_budget.js');

// A program that unlocks by the lock may drop the guard long before. So a warning waits, and tells only what is still held then.
const PATIENCE = 1000;  // milliseconds

/// The frames that have taken a guard.
class Place {
  stack = undefined;
  message = 'taken';

  static {
    setPrototypeOf(this.prototype, Error.prototype);
  }
}

const budget = new StackBudget(4);

/// Has the guards that are watched registered when this turn of the loop is over.
function schedule() {
  if (isScheduled) return;
  requireRoom(32);
  setImmediate(register).unref();
  isScheduled = true;
}

/// Called when a guard is made, before it holds anything, since this may throw if the stack is full. Returns where `caller` was called, if that
/// is given and there is time to read the stack.
function prepareToWatch(caller) {
  schedule();
  if (caller === undefined || !budget.take()) return undefined;
  const place = new Place();
  captureStackTrace(place, caller);
  return place;
}

/// What a guard holds, until `isHeld` says that it does not.
class Hold {
  name = '';
  isHeld = undefined;
  place = undefined;

  constructor(name, isHeld, place) {
    this.name = name;
    this.isHeld = isHeld;
    this.place = place;
  }
}

const told = new Set();

function warn(hold) {
  if (!hold.isHeld()) return;
  const stack = hold.place?.stack;
  const place = stack === undefined ? 'by one of many calls at that time' : stringSlice(stack, stringIndexOf(stack, '\n') + 1);
  if (setHas(told, place)) return;
  setAdd(told, place);
  emitWarning(`The guard of ${hold.name} was collected while it holds the lock, which stays held: keep the guard and call its unlock(), ` +
    `or declare it with "using". It was taken\n${place}`, 'FutonWarning', 'FUTON_LOST_GUARD');
}

const registry = new FinalizationRegistry((hold) => {
  if (hold.isHeld()) setTimeout(warn, PATIENCE, hold).unref();
});

const makeList = (length) => setPrototypeOf(new Array(length), null);

// To register a guard takes longer than to lock, and few guards outlast a turn of the loop. So they are kept until then, the last ones of a
// thread that does not return to its loop, and those that still hold something are registered.
const KEPT = 256;
const guards = makeList(KEPT);
const holdOf = makeList(KEPT);
let next = 0;
let isScheduled = false;

function register() {
  isScheduled = false;
  next = 0;
  for (let i = 0; i < KEPT && guards[i] !== undefined; ++i) {
    const hold = holdOf[i](guards[i]);
    if (hold !== undefined) registryRegister(registry, guards[i], hold);
    guards[i] = undefined;
  }
}

/// Warns if the guard is collected while it holds what the function says that it holds, if anything, when this turn of the loop is over.
/// May throw if the stack is full, unless the guard was made in this turn.
function watch(guard, holdOfGuard) {
  if (next === KEPT) next = 0;
  guards[next] = guard;
  holdOf[next] = holdOfGuard;
  ++next;
  schedule();  // a guard that has waited for its lock was made in an earlier turn
}

module.exports = { Hold, prepareToWatch, watch };
