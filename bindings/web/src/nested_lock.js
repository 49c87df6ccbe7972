// SPDX-License-Identifier: MIT
// Callbacks of executeLocked that wait for the lock that they hold: for ever, if nothing refuses it.

import { failure } from './failure.js';

/// A call of executeLocked that runs its callback. While that runs until its first `await`, the lock calls in it are nested ones.
export class LockedCall {
  waits = [];         // the nested ones
  isPending = false;  // the callback has returned a promise, which has not settled
  #state;

  constructor(state) {
    this.#state = state;
  }

  run(callback) {
    const outer = this.#state.running;
    this.#state.running = this;
    try {
      return callback();
    } finally {
      this.#state.running = outer;
    }
  }

  async during(promise) {
    this.isPending = true;
    for (const wait of this.waits) if (wait.isAwaited) wait.refuse();
    try {
      return await promise;
    } finally {
      this.isPending = false;
    }
  }
}

/// The nested wait that was noted last.
let noted;

/// `refuse` ends the wait with an error.
export function noteNested(state, refuse, name, caller) {
  const call = state.running;
  if (call === undefined) return;
  const error = failure('EDEADLK',
    `${name}: a callback of executeLocked holds the same lock until its promise has settled, and waits for this call`, caller);
  noted = { call, isAwaited: false, refuse: () => refuse(error) };
  call.waits.push(noted);
}

/// What `start` returns, a promise. If it is one of a nested wait, a call of its `then` with a function says that the callback waits
/// for it; `await` calls it as well, for the promise is not one that it takes as it is. A program that only handles its rejection
/// may mean to go on later.
export function observed(start, state, options, callback) {
  noted = undefined;
  const promise = start(state, options, callback);
  const wait = noted;
  noted = undefined;
  if (wait === undefined) return promise;
  const { then } = {
    then(onFulfilled, onRejected) {
      if (typeof onFulfilled === 'function') {
        wait.isAwaited = true;
        if (wait.call.isPending) wait.refuse();
      }
      return Promise.prototype.then.call(promise, onFulfilled, onRejected);
    },
  };
  const define = (name, value) =>
    Object.defineProperty(promise, name, { __proto__: null, value, writable: true, configurable: true });
  define('then', then);
  define('constructor', undefined);
  return promise;
}
