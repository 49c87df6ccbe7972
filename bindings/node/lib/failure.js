// SPDX-License-Identifier: MIT
'use strict';
// The errors of a lock, and of the other primitives.

const { defineProperty, setPrototypeOf, captureStackTrace, Error, DOMException } = require('./primordials.js');
const { StackBudget } = require('./stack_budget.js');

function failure(code, message) {
  const error = new Error(message);
  defineProperty(error, 'code',
    { __proto__: null, value: code, writable: true, enumerable: true, configurable: true });
  return error;
}

/// What was still so: of Channel.send and receive, Semaphore.acquire, SharedLockGuard.upgrade, and all others.
function reasonFor(name) {
  if (name[0] === 'C') return name[8] === 's' ? 'there was no room' : 'there was no message';
  return name[1] === 'e' ? 'there were too few permits' : name[10] === 'G' ? 'others still read' : 'the lock was still held';
}

const textOf = (name) => `${name}: ${reasonFor(name)} when the time-out was over`;

/// The frames that have called a function whose promise may be rejected later, for then they are gone. They get their text when
/// it is, by what a program has for the stacks of its errors, to which this is one.
class Site {
  stack = undefined;
  name = 'TimeoutError';
  message = undefined;

  constructor(name) {
    this.message = textOf(name);
  }

  static {
    setPrototypeOf(this.prototype, Error.prototype);
  }
}

const budget = new StackBudget(16);

/// The frames that have called `caller`, a function called `name`, if there is time for them; else the error shows the functions that
/// await it. `native.tryLock` was called just now.
function siteOf(name, caller) {
  if (!budget.take()) return undefined;
  const site = new Site(name);
  captureStackTrace(site, caller);
  return site;
}

/// The error of a call of `caller` that is still running, or continues now. Its stack has the frame that has called that, or the
/// functions that await it.
function timedOut(name, caller) {
  const error = new DOMException(textOf(name), 'TimeoutError');
  captureStackTrace(error, caller);
  return error;
}

/// The same for a call that continues, and has left its site.
function timedOutLater(name, caller, site) {
  const error = timedOut(name, caller);
  const stack = site?.stack;  // undefined also if the program wants no stacks
  if (stack !== undefined)
    defineProperty(error, 'stack', { __proto__: null, value: stack, writable: true, configurable: true });
  return error;
}

module.exports = { failure, siteOf, timedOut, timedOutLater };
