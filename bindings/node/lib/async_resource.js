// SPDX-License-Identifier: MIT
'use strict';
// A pending wait as an async resource: hooks of async_hooks see where it began, and process.getActiveResourcesInfo() lists
// those that keep the process alive. Only waits in light slots are one: a program that has hundreds is no riddle, and very
// many would take much memory.

const { AsyncResource } = require('node:async_hooks');
const { Set, setAdd, setDelete, setForEach, WeakRef, weakRefGet, apply, defineProperty, Symbol } = require('./primordials.js');

const options = { __proto__: null, requireManualDestroy: true };

class PendingResource extends AsyncResource {
  #hasRef = true;
  name = undefined;

  constructor(name) {
    super(name, options);
    this.name = name;
  }

  /// Tools that search for what keeps a process alive call this, as that of a timer. They may within `super` already.
  hasRef() {
    return !(#hasRef in this) || this.#hasRef;
  }

  setRef(value) {
    this.#hasRef = value;
  }
}

/// The lists of all copies of this file that are loaded in this thread, which share one replacement of the function.
function listsOf(getActiveResourcesInfo) {
  const key = Symbol.for('futon.pendingResources');
  if (getActiveResourcesInfo[key] !== undefined) return getActiveResourcesInfo[key];

  const lists = new Set();
  const replacement = {
    getActiveResourcesInfo() {
      const names = apply(getActiveResourcesInfo, process, []);
      setForEach(lists, (reference) => {
        const list = weakRefGet(reference);
        if (list === undefined) setDelete(lists, reference);
        else list.addTo(names);
      });
      return names;
    },
  }.getActiveResourcesInfo;
  defineProperty(replacement, key, { __proto__: null, value: lists });
  defineProperty(process, 'getActiveResourcesInfo',
    { __proto__: null, value: replacement, writable: true, enumerable: true, configurable: true });
  return lists;
}

/// Lets process.getActiveResourcesInfo() call `list.addTo(names)`, as long as the caller keeps the list.
function listActiveResources(list) {
  if (typeof process.getActiveResourcesInfo !== 'function') return;  // a test has put another `process` in its place
  const lists = listsOf(process.getActiveResourcesInfo);
  setForEach(lists, (reference) => {
    if (weakRefGet(reference) === undefined) setDelete(lists, reference);
  });
  setAdd(lists, new WeakRef(list));
}

module.exports = { PendingResource, listActiveResources };
