// SPDX-License-Identifier: MIT
'use strict';
// Aborts of waits. A signal gets one listener, however many waits use it.

const {
  addEventListener, removeEventListener, reasonOf, WeakMap, weakMapGet, weakMapSet, weakMapDelete,
} = require('./primordials.js');
const { cancel } = require('./pending.js');

/// A wait that a signal may abort. It has a slot while it is queued.
class Registration {
  slot = -1;
  list = undefined;
  previous = undefined;
  next = undefined;
  onAbort = undefined;  // each property is a field: an assignment would call a setter of Object.prototype

  constructor(onAbort) {
    this.onAbort = onAbort;
  }
}

/// The registrations of one signal, in their order.
class Registrations {
  first = undefined;
  last = undefined;
  signal = undefined;
  listener = undefined;

  constructor(signal) {
    this.signal = signal;
    this.listener = () => {
      weakMapDelete(lists, signal);
      while (this.first !== undefined) {
        const registration = this.first;
        this.remove(registration);
        const { slot } = registration;
        if (slot >= 0 && cancel(slot)) {
          registration.slot = -1;
          registration.onAbort(reasonOf(signal));
        }
      }
    };
  }

  add(registration) {
    registration.previous = this.last;
    if (this.last === undefined) {
      this.first = registration;
    } else {
      this.last.next = registration;
    }
    this.last = registration;
    registration.list = this;
  }

  remove(registration) {
    const { previous, next } = registration;
    if (previous === undefined) {
      this.first = next;
    } else {
      previous.next = next;
    }
    if (next === undefined) {
      this.last = previous;
    } else {
      next.previous = previous;
    }
    registration.list = registration.previous = registration.next = undefined;
  }
}

const lists = new WeakMap();

/// Cancels the wait of the registration when the signal aborts. May run a program's code, and throw.
function listen(signal, registration) {
  let list = weakMapGet(lists, signal);
  if (list === undefined) {
    list = new Registrations(signal);
    addEventListener(signal, 'abort', list.listener, { __proto__: null, once: true });
    weakMapSet(lists, signal, list);
  }
  list.add(registration);
}

/// The wait is over, or was never queued.
function unlisten(registration) {
  registration.slot = -1;
  const { list } = registration;
  if (list === undefined) return;
  list.remove(registration);
  if (list.first !== undefined) return;
  if (weakMapGet(lists, list.signal) === list) weakMapDelete(lists, list.signal);
  removeEventListener(list.signal, 'abort', list.listener);
}

module.exports = { Registration, listen, unlisten };
