// SPDX-License-Identifier: MIT
// The conversions of the specification, in its order. Their messages name the argument. They may run a program's code.

import { bufferOf, describe, isDetached, isShared, kindOf, lengthOf } from './describe.js';
import { typeError } from './failure.js';

const { asIntN } = BigInt;
const { trunc } = Math;

/// ValidateTypedArray, and that its elements can be waited on. `canBeUnshared`: as for notify.
export function requireElements(typedArray, name, canBeUnshared) {
  const kind = kindOf(typedArray);
  if (kind !== undefined && lengthOf(typedArray) === 0 && isDetached(typedArray))
    throw typeError(name, 'the buffer of typedArray is detached, or has become too short for it');
  if (kind !== 'Int32Array' && kind !== 'BigInt64Array')
    throw typeError(name, `typedArray must be an Int32Array or a BigInt64Array, not ${describe(typedArray)}`);
  if (!canBeUnshared && !isShared(bufferOf(typedArray)))
    throw typeError(name, 'typedArray must be over a SharedArrayBuffer, not over an ArrayBuffer');
}

/// ToNumber.
function toNumber(value, argument, name) {
  if (typeof value === 'symbol' || typeof value === 'bigint')
    throw typeError(name, `${argument} must be a number, not a ${typeof value}`);
  return +value;
}

/// ToIntegerOrInfinity.
const toInteger = (value, argument, name) => trunc(toNumber(value, argument, name)) || 0;

/// ToIndex, and that it is below the length, which is read before the conversion.
export function toIndex(typedArray, value, name) {
  const length = lengthOf(typedArray);
  const index = value === undefined ? 0 : toInteger(value, 'index', name);
  if (!(index >= 0 && index < length))
    throw new RangeError(`${name}: index ${index} is out of range, the length of typedArray is ${length}`);
  return index;
}

/// ToInt32 or ToBigInt64.
export function toElement(typedArray, value, name) {
  if (kindOf(typedArray) === 'Int32Array') return toNumber(value, 'value', name) | 0;
  if (value === undefined || value === null || typeof value === 'number' || typeof value === 'symbol')
    throw typeError(name, `value must be a BigInt, not ${describe(value)}`);
  return asIntN(64, value);
}

/// Milliseconds; Infinity if there is no time-out.
export function toTimeout(value, name) {
  const number = value === undefined ? Infinity : toNumber(value, 'timeout', name);
  return number !== number ? Infinity : number > 0 ? number : 0;
}

/// How many to wake at most.
export function toCount(value, name) {
  const count = value === undefined ? Infinity : toInteger(value, 'count', name);
  return count > 0 ? count : 0;
}
