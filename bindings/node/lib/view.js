// SPDX-License-Identifier: MIT
'use strict';
// What may be waited on: Int32Array and BigInt64Array over shared memory.

const {
  typedArrayKind, typedArrayLength, typedArrayBuffer, typedArrayKeys, isGrowable, isExtensible, TypeError,
} = require('./primordials.js');
const { native, doubles, ADDRESS } = require('./native.js');
const { describe, isShared } = require('./describe.js');

/// Where the elements of a typed array are.
class View {
  address = 0;
  isWide = false;
  size = 4;
  fixedLength = 0;  // zero if it may change: then the array is asked each time

  constructor(address, isWide, fixedLength) {
    this.address = address;
    this.isWide = isWide;
    this.size = isWide ? 8 : 4;
    this.fixedLength = fixedLength;
  }
}

class Identity {
  constructor(object) {
    return object;
  }
}

/// A private field that is added to a typed array once it was validated: where its elements are. Shared memory never moves
/// and is never detached, so that stays valid. No code of the program's can see the field.
class Known extends Identity {
  #view;

  constructor(typedArray, view) {
    super(typedArray);
    this.#view = view;
  }

  /// Undefined if it was not validated yet.
  static viewOf(value) {
    return typeof value === 'object' && value !== null && #view in value ? value.#view : undefined;
  }
}

const { viewOf } = Known;

/// ValidateTypedArray, and that the elements are of a type to wait on. In the order of the specification.
function requireElements(typedArray, name) {
  const kind = typedArrayKind(typedArray);
  if (kind === undefined)
    throw new TypeError(`${name}: typedArray must be an Int32Array or a BigInt64Array, not ${describe(typedArray)}`);
  if (typedArrayLength(typedArray) === 0) {
    try {
      typedArrayKeys(typedArray);
    } catch {
      throw new TypeError(`${name}: the buffer of typedArray is detached, or has become too short for it`);
    }
  }
  if (kind !== 'Int32Array' && kind !== 'BigInt64Array')
    throw new TypeError(`${name}: typedArray must be an Int32Array or a BigInt64Array, not ${describe(typedArray)}`);
}

/// Where the elements of a shared array are, which was not known; undefined if its buffer is not shared.
function findView(typedArray) {
  const buffer = typedArrayBuffer(typedArray);
  if (!isShared(buffer)) return undefined;
  native.addressOf(typedArray);
  const isWide = typedArrayKind(typedArray) === 'BigInt64Array';
  const view = new View(doubles[ADDRESS], isWide, isGrowable(buffer) ? 0 : typedArrayLength(typedArray));
  // Some engines add no private field to an object that is not extensible. Its view is made anew each time.
  if (isExtensible(typedArray)) new Known(typedArray, view);
  return view;
}

/// Where the elements of an array are that can be waited on; throws if it cannot.
function requireShared(typedArray, name) {
  requireElements(typedArray, name);
  const view = viewOf(typedArray) ?? findView(typedArray);
  if (view === undefined)
    throw new TypeError(`${name}: typedArray must be over a SharedArrayBuffer, not over an ArrayBuffer`);
  return view;
}

module.exports = { viewOf, requireElements, requireShared, findView };
