// SPDX-License-Identifier: MIT
// The conversions of the specification, in its order. Their messages name the argument. They may run a program's code.

import { acceptedBy, bufferOf, kindOf, lengthOf, unbound } from './describe.js';
import { fail, requireKind } from './failure.js';
import { toNumber } from './number.js';
import { requireShared } from './support.js';

const isAttached = acceptedBy(unbound(Int32Array.prototype.keys));

/// ToIntegerOrInfinity.
const toInteger = (value, argument, name) => Math.trunc(toNumber(value, argument, name)) || 0;

/// ValidateTypedArray, and that its elements can be waited on; then ToIndex. `canBeUnshared`: as for notify.
export function toIndex(typedArray, value, name, canBeUnshared) {
  const kind = kindOf(typedArray);
  requireKind(name, 'typedArray', typedArray, 'Int32Array or BigInt64Array', kind === 'Int32Array' || kind === 'BigInt64Array');
  const length = lengthOf(typedArray);
  if (!length && !isAttached(typedArray)) fail(name, 'typedArray is detached, or out of the bounds of its buffer');
  const buffer = bufferOf(typedArray);
  if (!canBeUnshared) requireShared(name, 'typedArray.buffer', buffer);
  const index = toInteger(value, 'index', name);
  if (!(index >= 0 && index < length)) fail(name, `index must be from 0 to ${length - 1}, not ${index}`, RangeError);
  return index;
}

/// ToInt32 or ToBigInt64.
export function toElement(typedArray, value, name) {
  if (kindOf(typedArray) === 'Int32Array') return toNumber(value, 'value', name) | 0;
  requireKind(name, 'value', value, 'bigint', value !== null && !['undefined', 'number', 'symbol'].includes(typeof value));
  return BigInt.asIntN(64, value);
}

/// How many to wake at most.
export const toCount = (value, name) => (value === undefined ? Infinity : Math.max(toInteger(value, 'count', name), 0));
