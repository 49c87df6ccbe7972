// SPDX-License-Identifier: MIT
'use strict';

// The implementation under test, as FUTON_IMPLEMENTATION names it: `polyfill` (the default) puts futon's functions on
// this thread's Atomics, `native` keeps the engine's own, `web` puts those of futon-web there, which are over the
// engine's. Tests call Atomics.wait, waitAsync and notify in all cases.

const name = process.env.FUTON_IMPLEMENTATION || 'polyfill';
if (!['polyfill', 'native', 'web'].includes(name)) {
  throw new Error(`FUTON_IMPLEMENTATION is "${name}"; it may be "polyfill", "native" or "web"`);
}
const isNative = name !== 'polyfill';  // whether the wait queues are the engine's

/// The engine's functions, for the waits of the harness itself: it must not use what it tests.
const engine = Object.freeze({ wait: Atomics.wait, notify: Atomics.notify });

const futon = isNative ? null : loadPolyfill();

function loadPolyfill() {
  require('../../polyfill');
  return require('../..');
}

if (name === 'web') {
  const web = require('../../../web/dist/futon-web.cjs');
  for (const key of ['wait', 'waitAsync', 'notify'])
    Object.defineProperty(Atomics, key, { __proto__: null, value: web[key], writable: true, configurable: true });
}

/// The number of waiters at `index` of `typedArray`, blocked threads and promises alike.
const waiting = isNative ? engineIntrospection() : (typedArray, index) => futon.waiters(typedArray, index).length;

function engineIntrospection() {
  require('node:v8').setFlagsFromString('--allow-natives-syntax');
  const count = new Function('words', 'return %AtomicsNumWaitersForTesting(words, 0)');
  return (typedArray, index) => {
    const byteOffset = typedArray.byteOffset + index * typedArray.BYTES_PER_ELEMENT;
    return count(new Int32Array(typedArray.buffer, byteOffset, 1));
  };
}

/// Options of a test that the engine's own functions fail, with the reason; futon's functions must pass it.
function nativeDeviates(reason) {
  return isNative ? { skip: `native: ${reason}` } : {};
}

/// Options of a test of a feature that only futon has.
function futonOnly(reason) {
  return isNative ? { skip: `native cannot: ${reason}` } : {};
}

/// Options of a test of buffers that grow or shrink, which the engine of Node 18 has not.
const needsResizing = 'grow' in SharedArrayBuffer.prototype ? {} : { skip: 'this engine has no buffers that grow' };

module.exports = { name, isNative, engine, futon, waiting, nativeDeviates, futonOnly, needsResizing };
