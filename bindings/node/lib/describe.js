// SPDX-License-Identifier: MIT
'use strict';
// What a wrong argument is, in the words of an error. Runs no code of the program's: only the engine's own marks of an
// object are read, not its properties.

const { isSharedArrayBuffer } = require('node:util').types;
const {
  typedArrayKind, bufferByteLength, dataViewBuffer, mapSize, setSize, isArray, getPrototypeOf,
} = require('./primordials.js');

const bufferPrototype = typeof Buffer === 'function' ? Buffer.prototype : undefined;

/// Whether `read`, a getter of the language that throws for objects of other kinds, accepts the value.
function accepts(read, value) {
  try {
    read(value);
    return true;
  } catch {
    return false;
  }
}

/// Asked of values that are no error, too, so it throws and catches nothing: a debugger may stop at exceptions that are caught.
const isShared = isSharedArrayBuffer;

function isList(value) {
  try {
    return isArray(value);
  } catch {
    return false;  // a proxy that was revoked
  }
}

const withArticle = (noun) => `${noun[0] === 'I' ? 'an' : 'a'} ${noun}`;

function describeObject(value) {
  const kind = typedArrayKind(value);
  if (kind !== undefined) return getPrototypeOf(value) === bufferPrototype ? 'a Buffer' : withArticle(kind);
  if (isShared(value)) return 'a SharedArrayBuffer';
  if (accepts(bufferByteLength, value)) return 'an ArrayBuffer';
  if (accepts(dataViewBuffer, value)) return 'a DataView';
  if (accepts(mapSize, value)) return 'a Map';
  if (accepts(setSize, value)) return 'a Set';
  return isList(value) ? 'an Array' : 'an object';
}

function describe(value) {
  if (value === null || value === undefined) return `${value}`;
  return typeof value === 'object' ? describeObject(value) : `a ${typeof value}`;
}

module.exports = { describe, isShared };
