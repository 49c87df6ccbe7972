// SPDX-License-Identifier: MIT
// Callbacks of executeLocked that wait for the lock that they hold: for ever, if nothing refuses it.

import { failure } from './failure.js';

/// The nested wait that was noted last.
let noted;

/// Runs the callback of executeLocked. Until its first `await`, the lock calls in it are nested ones. `call` has `awaited`, which is
/// empty; `isPending` says afterwards that the result is a promise, until the caller says that it has settled.
export function runLocked(state, call, callback) {
  const outer = state.running;
  state.running = call;
  try {
    const result = callback();
    if (typeof result?.then === 'function') {
      call.isPending = true;
      for (const refuse of call.awaited) refuse();
    }
    return result;
  } finally {
    state.running = outer;
  }
}

/// `refuse` ends the wait with an error.
export function noteNested({ running }, refuse, name) {
  if (!running) return;
  const error = failure('EDEADLK', name, 'the callback that waits for this holds the lock');
  noted = () => {
    if (running.isPending) refuse(error);
    else running.awaited.push(() => refuse(error));
  };
}

/// What `start` returns, a promise. If it is one of a nested wait, a call of its `then` with a function says that the callback waits
/// for it; `await` calls it as well, for the promise is not one that it takes as it is. A program that only handles its rejection
/// may mean to go on later.
export function observed(start) {
  noted = undefined;
  const promise = start();
  const note = noted;
  noted = undefined;
  if (!note) return promise;
  return Object.assign(promise, {
    constructor: undefined,
    then(onFulfilled, onRejected) {
      if (typeof onFulfilled === 'function') note();
      return Promise.prototype.then.call(promise, onFulfilled, onRejected);
    },
  });
}
