// SPDX-License-Identifier: MIT
'use strict';

// Argument values that many files try, and objects that log when they are coerced.

const wrong = () => {
  throw new Error('coerced too early');
};

/// An argument whose coercion is a failure of the test.
const untouchable = { valueOf: wrong, toString: wrong, [Symbol.toPrimitive]: wrong };

/// Arguments that write their names into `log` when they are coerced.
function logger() {
  const log = [];
  const argument = (name, value) => ({
    valueOf() {
      log.push(name);
      return value;
    },
  });
  return { log, argument };
}

function revoked() {
  const { proxy, revoke } = Proxy.revocable(new Int32Array(new SharedArrayBuffer(8)), {});
  revoke();
  return proxy;
}

/// Values that are not typed arrays, by description.
const notTypedArrays = {
  undefined: undefined,
  null: null,
  'a boolean': true,
  'a number': 1,
  'a BigInt': 1n,
  'a string': 'Int32Array',
  'a symbol': Symbol('Int32Array'),
  'an empty object': {},
  'an array': [0, 0],
  'a function': () => {},
  'a SharedArrayBuffer': new SharedArrayBuffer(8),
  'an ArrayBuffer': new ArrayBuffer(8),
  'a DataView': new DataView(new SharedArrayBuffer(8)),
  'Int32Array itself': Int32Array,
  'Int32Array.prototype': Int32Array.prototype,
  'an object that inherits from Int32Array.prototype': Object.create(Int32Array.prototype),
  'an object that inherits from a typed array': Object.create(new Int32Array(new SharedArrayBuffer(8))),
  'a proxy of a typed array': new Proxy(new Int32Array(new SharedArrayBuffer(8)), {}),
  'a revoked proxy': revoked(),
  'an object that claims to be one': {
    [Symbol.toStringTag]: 'Int32Array',
    length: 2,
    byteOffset: 0,
    byteLength: 8,
    BYTES_PER_ELEMENT: 4,
    buffer: new SharedArrayBuffer(8),
  },
};

/// Kinds of typed array that cannot be waited on.
const unwaitableKinds = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigUint64Array,
  ...(globalThis.Float16Array ? [globalThis.Float16Array] : []),
];

module.exports = { untouchable, logger, notTypedArrays, unwaitableKinds };
