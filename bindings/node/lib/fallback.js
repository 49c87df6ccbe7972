// SPDX-License-Identifier: MIT
'use strict';
// Where no addon can be loaded: futon-web, the same functions over the engine's own wait queues.

const { readFileSync } = require('node:fs');
const path = require('node:path');
const { isMainThread, threadId, getEnvironmentData, setEnvironmentData } = require('node:worker_threads');
const { makeDiagnostics } = require('./diagnostics.js');
const { makeSharing } = require('./shared.js');

const KNOWN = 'futon: the wait queues are those of the engine';

function find() {
  for (const file of ['../web/futon-web.cjs', '../../web/dist/futon-web.cjs']) {  // of the package, of the repository
    try {
      return require(path.join(__dirname, file));
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

/// Whether another thread of this process has loaded an addon of the package. Threads share no variable that tells, for a worker may
/// have started before; but the process has one list of what it has mapped.
function isAddonInProcess() {
  try {
    return /\/futon[^/\n]*\.node$/m.test(readFileSync('/proc/self/maps', 'latin1'));
  } catch {
    return false;  // no Linux, hence no addon
  }
}

/// An error of a thread whose waits would never be woken by another one that has the addon.
function twoKinds(name, why) {
  return Object.assign(new Error(`${name}: another thread of this process uses the wait queues of futon's addon, and this one ` +
    `(${isMainThread ? 'the main thread' : `thread ${threadId}`}) those of the engine, so neither would wake the other. ${why}`),
  { code: 'ERR_FUTON_TWO_KINDS' });
}

/// The function, which asks at its first call, and while it must refuse.
function guarded(name, call, why) {
  let isChecked = false;
  const checked = {
    [name](...args) {
      if (!isChecked) {
        if (isAddonInProcess()) throw twoKinds(name, why);
        isChecked = true;
      }
      return call(...args);
    },
  }[name];
  return Object.defineProperty(checked, 'length', { __proto__: null, value: call.length, configurable: true });
}

/// A class of primitives, which asks when one is made.
const guardedClass = (Class, why) => new Proxy(Class, {
  construct(target, args, newTarget) {
    if (isAddonInProcess()) throw twoKinds(Class.name, why);
    return Reflect.construct(target, args, newTarget);
  },
});

/// What the package exports then. `error` says why the addon was not loaded, and how to build it.
function loadFallback(error) {
  const web = find();
  if (web === undefined) throw error;
  const why = error.message;
  // Threads that this one starts later inherit that. One that was not told may be beside threads that load the addon later.
  if (getEnvironmentData(KNOWN) === undefined) {
    process.emitWarning(`${why} Until then the wait queues are the engine's: threads of C++ do not share them` +
      `${isMainThread ? '' : ', nor do threads of JavaScript that have the addon'}.`, { type: 'Warning', code: 'FUTON_FALLBACK' });
    setEnvironmentData(KNOWN, true);
  }
  const unknown = (name) => () => {
    const failure = new Error(`${name}: the engine does not tell who waits; the addon does. ${why}`);
    failure.code = 'ENOTSUP';
    throw failure;
  };
  const calls = {};
  for (const name of ['wait', 'waitAsync', 'notify', 'select', 'selectAsync', 'waiting', 'changes'])
    calls[name] = guarded(name, web[name], why);
  const classes = {};
  for (const name of ['AsyncLock', 'SharedLock', 'Semaphore', 'Event', 'AutoResetEvent', 'Latch', 'Barrier', 'Condition', 'Channel'])
    classes[name] = guardedClass(web[name], why);
  return {
    ...web, ...calls, ...classes, ...makeSharing(classes), addressOf: unknown('addressOf'), inspect: unknown('inspect'),
    waiters: unknown('waiters'), diagnostics: makeDiagnostics(undefined),
  };
}

module.exports = { loadFallback };
