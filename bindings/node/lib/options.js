// SPDX-License-Identifier: MIT
'use strict';
// `waitAsync` beyond the specification: aborts, and waits that do not keep the process alive.

const { isAborted, reasonOf, reject } = require('./primordials.js');
const { native, ints, OUTCOME, NOT_EQUAL } = require('./native.js');
const { makePromise, capability, nextSlot, hold, drop, setWork } = require('./pending.js');
const { Registration, listen, unlisten } = require('./abort.js');

/// The result of `waitAsync` with options: that of the specification, and a handle of the wait.
class Wait {
  async = false;
  value = undefined;
  #registration;
  #hasRef;

  constructor(async, value, registration, hasRef) {
    this.async = async;
    this.value = value;
    this.#registration = registration;
    this.#hasRef = hasRef;
  }

  /** Keeps the process alive while this waits, which is the default. */
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

/// Enqueues a wait by `enqueue`, a function of the addon, after `fill` has written the call's arguments to the mailbox.
/// The wait is registered with its signal and held before that, for nothing may throw after it was enqueued.
/// [enqueue-safe]
///
/// Returns the outcome; undefined if the signal aborted before `enqueue` was called.
function enqueueWithSignal(registration, signal, hasRef, settler, resource, buffer, fill, enqueue) {
  try {
    if (signal !== undefined) {
      listen(signal, registration);
      if (isAborted(signal)) {
        unlisten(registration);
        return undefined;
      }
    }
    const slot = nextSlot();
    hold(slot, settler, buffer, resource);
    fill();
    enqueue();
  } catch (error) {
    unlisten(registration);
    throw error;
  }
  const outcome = ints[OUTCOME];
  if (outcome >= 0) {
    registration.slot = outcome;
    if (!hasRef) {
      setWork(outcome, false);
    }
    return outcome;
  }
  try {
    unlisten(registration);
    drop(nextSlot());
  } catch {
    // The stack is full. The registration has no slot, and the next wait replaces what is held.
  }
  return outcome;
}

/// `options` are those that were read, `fill` writes the call's arguments to the mailbox.
function waitWithOptions({ signal, ref }, buffer, fill) {
  if (signal !== undefined && isAborted(signal)) return new Wait(true, reject(reasonOf(signal)));

  const promise = makePromise('futon.waitAsync');
  const { resolve, reject: rejectPromise, resource } = capability;
  const registration = new Registration(rejectPromise);
  const wait = new Wait(true, promise, registration, ref);
  const settler = (result) => {
    unlisten(registration);
    resolve(result);
  };
  const outcome = enqueueWithSignal(registration, signal, ref, settler, resource, buffer, fill, native.enqueue);
  if (outcome === undefined) rejectPromise(reasonOf(signal));
  if (outcome === undefined || outcome >= 0) return wait;
  return new Wait(false, outcome === NOT_EQUAL ? 'not-equal' : 'timed-out');
}

module.exports = { waitWithOptions, enqueueWithSignal };
