// SPDX-License-Identifier: MIT
'use strict';
// Callbacks of executeLocked that wait for the lock that they hold.

const { defineProperty, captureStackTrace, promiseThen } = require('./primordials.js');
const { cancel } = require('./pending.js');
const { unlisten } = require('./abort.js');
const { failure } = require('./failure.js');

/// A call of executeLocked that runs its callback. While that runs until its first `await`, between `enter` and `leave`, the lock
/// calls in it are nested ones.
class LockedCall {
  address;
  outer = undefined;
  nested = undefined;  // the first NestedWait
  isPending = false;   // the callback has returned a promise, which has not settled

  constructor(address) {
    this.address = address;
  }

  enter() {
    this.outer = running;
    running = this;
  }

  leave() {
    running = this.outer;
  }

  /// The callback has returned a promise.
  begin() {
    this.isPending = true;
    for (let wait = this.nested; wait !== undefined; wait = wait.next) if (wait.isAwaited) wait.refuse();
  }

  end() {
    this.isPending = false;
  }
}

/// The one whose callback is running until its first `await`.
let running = undefined;

/// A wait for the lock that its caller, a callback of executeLocked, holds. If the callback waits for it, that is for ever.
class NestedWait {
  call;
  registration;
  rejectPromise;
  error;
  next;
  isAwaited = false;

  constructor(call, registration, rejectPromise, error) {
    this.call = call;
    this.registration = registration;
    this.rejectPromise = rejectPromise;
    this.error = error;
    this.next = call.nested;
  }

  refuse() {
    const { slot } = this.registration;
    if (slot < 0 || !cancel(slot)) return;
    unlisten(this.registration);
    this.rejectPromise(this.error);
  }
}

/// The one that the innermost call has noted last.
let noted = undefined;

function noteNested(address, registration, rejectPromise, name, caller) {
  for (let call = running; call !== undefined; call = call.outer) {
    if (call.address !== address) continue;
    const error = failure('EDEADLK', `${name}: a callback of executeLocked holds the same lock until its promise has settled, and ` +
      'waits for this call');
    captureStackTrace(error, caller);
    noted = call.nested = new NestedWait(call, registration, rejectPromise, error);
    return;
  }
}

/// The promise of a nested wait. To wait for it calls its `then` with a function: also `await` does, for the promise is not one
/// that it takes as it is. A program that only handles its rejection may mean to go on later.
function observe(promise, wait) {
  const then = {
    then(onFulfilled, onRejected) {
      if (typeof onFulfilled === 'function') {
        wait.isAwaited = true;
        if (wait.call.isPending) wait.refuse();
      }
      return promiseThen(promise, onFulfilled, onRejected);
    },
  }.then;
  defineProperty(promise, 'then', { __proto__: null, value: then, writable: true, configurable: true });
  defineProperty(promise, 'constructor', { __proto__: null, value: undefined, writable: true, configurable: true });
  return promise;
}

/// What `start` returns, a promise, observed if it is one of a nested wait.
function observed(start, lock, first, second) {
  noted = undefined;
  const promise = start(lock, first, second);
  const wait = noted;
  noted = undefined;
  return wait === undefined ? promise : observe(promise, wait);
}

module.exports = { LockedCall, noteNested, observed };
