// SPDX-License-Identifier: MIT
// The conversions of the specification, in its order. Their messages name the argument. They may run a program's code.

import { bufferOf, isAttached, isShared, kindOf, lengthOf } from './describe.js';
import { rangeError, requireKind, typeError } from './failure.js';

/// ValidateTypedArray, and that its elements can be waited on. `canBeUnshared`: as for notify.
export function requireElements(typedArray, name, canBeUnshared) {
  requireKind(name, 'typedArray', typedArray, 'Int32Array or BigInt64Array', /^(Int32|BigInt64)A/.test(kindOf(typedArray)));
  if (lengthOf(typedArray) === 0 && !isAttached(typedArray))
    throw typeError(name, 'the buffer of typedArray is detached, or has become too short for it');
  const buffer = bufferOf(typedArray);
  requireKind(name, 'typedArray.buffer', buffer, 'SharedArrayBuffer', canBeUnshared || isShared(buffer));
}

/// ToNumber.
function toNumber(value, argument, name) {
  requireKind(name, argument, value, 'number', typeof value !== 'symbol' && typeof value !== 'bigint');
  return +value;
}

/// ToIntegerOrInfinity.
const toInteger = (value, argument, name) => Math.trunc(toNumber(value, argument, name)) || 0;

/// ToIndex, and that it is below the length, which is read before the conversion.
export function toIndex(typedArray, value, name) {
  const length = lengthOf(typedArray);
  const index = toInteger(value, 'index', name);
  if (!(index >= 0 && index < length)) throw rangeError(name, `index ${index} is out of range, the length of typedArray is ${length}`);
  return index;
}

/// ToInt32 or ToBigInt64.
export function toElement(typedArray, value, name) {
  if (kindOf(typedArray) === 'Int32Array') return toNumber(value, 'value', name) | 0;
  requireKind(name, 'value', value, 'bigint', value !== null && !['undefined', 'number', 'symbol'].includes(typeof value));
  return BigInt.asIntN(64, value);
}

/// Milliseconds; Infinity if there is no time-out.
export function toTimeout(value, name) {
  const number = toNumber(value, 'timeout', name);
  return number !== number ? Infinity : Math.max(number, 0);
}

/// How many to wake at most.
export const toCount = (value, name) => (value === undefined ? Infinity : Math.max(toInteger(value, 'count', name), 0));
