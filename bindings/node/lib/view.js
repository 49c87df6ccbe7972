// SPDX-License-Identifier: MIT
'use strict';
// What may be waited on: Int32Array and BigInt64Array over shared memory.

const {
  typedArrayKind, typedArrayLength, typedArrayBuffer, typedArrayKeys, sharedByteLength, TypeError,
} = require('./primordials.js');
const { native, doubles, ADDRESS } = require('./native.js');
const { describe, isShared } = require('./describe.js');

class Identity {
  constructor(object) {
    return object;
  }
}

/// A private field that is added to a typed array once it was validated: the address of its first element. Shared
/// memory never moves and is never detached, so the address stays valid. No code of the program's can see the field.
class View extends Identity {
  #address;

  constructor(typedArray, address) {
    super(typedArray);
    this.#address = address;
  }

  static isKnown(value) {
    return typeof value === 'object' && value !== null && #address in value;
  }

  static addressOf(typedArray) {
    return typedArray.#address;
  }
}

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

/// The address of the first element of a shared array; NaN if its buffer is not shared.
function findAddress(typedArray) {
  if (!isShared(typedArrayBuffer(typedArray))) return NaN;
  native.addressOf(typedArray);
  const address = doubles[ADDRESS];
  try {
    new View(typedArray, address);
  } catch {
    // This engine adds no private field to an object that is not extensible. The address is found anew each time.
  }
  return address;
}

/// The address of the first element of an array that can be waited on; throws if it cannot.
function requireShared(typedArray, name) {
  requireElements(typedArray, name);
  const address = findAddress(typedArray);
  if (address !== address)
    throw new TypeError(`${name}: typedArray must be over a SharedArrayBuffer, not over an ArrayBuffer`);
  return address;
}

module.exports = {
  isKnown: View.isKnown,
  addressOf: View.addressOf,
  isWide: (typedArray) => typedArrayKind(typedArray) === 'BigInt64Array',
  requireElements,
  requireShared,
  findAddress,
};
