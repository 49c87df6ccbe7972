// SPDX-License-Identifier: MIT
'use strict';
// `waitAsync` beyond the specification: an AbortSignal, and waits that do not keep the process alive.

const { isAborted, reasonOf, reject, TypeError } = require('./primordials.js');
const { native, doubles, ints, COUNT, SLOT, OUTCOME, NOT_EQUAL } = require('./native.js');
const { makePromise, capability, nextSlot, hold, drop, setWork } = require('./pending.js');
const { Registration, listen, unlisten } = require('./abort.js');

/// What `waitAsync` returns if it was given options: the answer, and a handle on the wait.
class Wait {
  #registration;
  #hasRef;

  constructor(async, value, registration, hasRef) {
    this.async = async;
    this.value = value;
    this.#registration = registration;
    this.#hasRef = hasRef;
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
    return this.#isPending() && this.#hasRef;
  }

  #isPending() {
    return this.#registration !== undefined && this.#registration.slot >= 0;
  }

  #setRef(value) {
    this.#hasRef = value;
    if (this.#isPending()) setWork(this.#registration.slot, value);
  }
}

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

/// Joins a line by `join`, one of the addon's, after `fill` has written the rest of the call to the mailbox. Whoever joins
/// is registered with its signal first and held, for after the joining nothing may throw. [enqueue-safe]
///
/// Returns what the joining says; undefined if the signal aborted meanwhile, then it was not tried.
function joinWithSignal(registration, signal, hasRef, settler, buffer, fill, join) {
  try {
    if (signal !== undefined) {
      listen(signal, registration);
      if (isAborted(signal)) {
        unlisten(registration);
        return undefined;
      }
    }
    const slot = nextSlot();
    hold(slot, settler, buffer);
    fill();
    join();
  } catch (error) {
    unlisten(registration);
    throw error;
  }
  const outcome = ints[OUTCOME];
  if (outcome >= 0) {
    registration.slot = outcome;
    if (!hasRef) {
      ints[SLOT] = outcome;
      doubles[COUNT] = 0;
      native.setWork();
    }
    return outcome;
  }
  try {
    unlisten(registration);
    drop(nextSlot());
  } catch {
    // The stack is full. The registration has no slot, and what is held is replaced by the next one.
  }
  return outcome;
}

/// `fill` writes the rest of the call to the mailbox.
function waitWithOptions(options, buffer, fill) {
  const { signal, ref } = readOptions(options, 'waitAsync');
  if (signal !== undefined && isAborted(signal)) return new Wait(true, reject(reasonOf(signal)));

  const promise = makePromise();
  const { resolve, reject: rejectPromise } = capability;
  const registration = new Registration(rejectPromise);
  const wait = new Wait(true, promise, registration, ref);
  const settler = (result) => {
    unlisten(registration);
    resolve(result);
  };
  const outcome = joinWithSignal(registration, signal, ref, settler, buffer, fill, native.join);
  if (outcome === undefined) rejectPromise(reasonOf(signal));
  if (outcome === undefined || outcome >= 0) return wait;
  return new Wait(false, outcome === NOT_EQUAL ? 'not-equal' : 'timed-out');
}

module.exports = { waitWithOptions, readOptions, joinWithSignal };
