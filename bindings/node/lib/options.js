// SPDX-License-Identifier: MIT
'use strict';
// `waitAsync` beyond the specification: an AbortSignal, and waits that do not keep the process alive.

const {
  isAborted, reasonOf, addEventListener, removeEventListener, reject, TypeError,
} = require('./primordials.js');
const { native, ints, OUTCOME, NOT_EQUAL } = require('./native.js');
const { makePromise, capability, hold, cancel, setWork } = require('./pending.js');

/// What `waitAsync` returns if it was given options: the answer, and a handle on the wait.
class Wait {
  #slot = -1;
  #hasRef = true;

  constructor(async, value) {
    this.async = async;
    this.value = value;
  }

  /** Keeps the process alive while this waits, as it does unless told otherwise. */
  ref() {
    this.#setRef(true);
    return this;
  }

  /** Lets the process end although this waits. */
  unref() {
    this.#setRef(false);
    return this;
  }

  /** Whether this keeps the process alive. */
  hasRef() {
    return this.#slot >= 0 && this.#hasRef;
  }

  static begin(wait, slot, hasRef) {
    wait.#slot = slot;
    wait.#setRef(hasRef);
  }

  static end(wait) {
    wait.#slot = -1;
  }

  #setRef(value) {
    this.#hasRef = value;
    if (this.#slot >= 0) setWork(this.#slot, value);
  }
}

const { begin, end } = Wait;
delete Wait.begin;
delete Wait.end;

function readOptions(options, name) {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${name}: options must be an object, not ${options === null ? 'null' : typeof options}`);
  const { signal, ref = true, timeout } = options;
  requireSignal(signal, name);
  if (typeof ref !== 'boolean') throw new TypeError(`${name}: options.ref must be a boolean, not ${typeof ref}`);
  return { signal, ref, timeout };
}

function requireSignal(signal, name) {
  if (signal === undefined) return;
  try {
    isAborted(signal);
  } catch {
    throw new TypeError(`${name}: options.signal must be an AbortSignal`);
  }
}

/// Ends the wait of `slot` when the signal aborts. Returns what to call when the wait is over.
function watch(signal, slot, onAbort) {
  if (signal === undefined) return () => {};
  const listener = () => {
    if (cancel(slot)) onAbort(reasonOf(signal));
  };
  addEventListener(signal, 'abort', listener, { once: true });
  return () => removeEventListener(signal, 'abort', listener);
}

/// `fill` writes the rest of the call to the mailbox.
function waitWithOptions(options, buffer, fill) {
  const { signal, ref } = readOptions(options, 'waitAsync');
  if (signal !== undefined && isAborted(signal)) return new Wait(true, reject(reasonOf(signal)));

  const promise = makePromise();
  const { resolve, reject: rejectPromise } = capability;
  fill();
  native.join();
  const outcome = ints[OUTCOME];
  if (outcome < 0) return new Wait(false, outcome === NOT_EQUAL ? 'not-equal' : 'timed-out');

  const wait = new Wait(true, promise);
  const stop = watch(signal, outcome, (reason) => {
    end(wait);
    rejectPromise(reason);
  });
  hold(outcome, (result) => {
    end(wait);
    stop();
    resolve(result);
  }, buffer);
  begin(wait, outcome, ref);
  return wait;
}

module.exports = { waitWithOptions, readOptions, watch };
