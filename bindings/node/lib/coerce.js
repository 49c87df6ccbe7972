// SPDX-License-Identifier: MIT
'use strict';
// The conversions of the specification. Their messages name the argument. They may run a program's code.

const {
  apply, asInt64, trunc, maxSafeInteger, toPrimitiveName, String, TypeError, RangeError,
} = require('./primordials.js');

const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

/// ToPrimitive, preferring a number.
function toPrimitive(value, argument, name) {
  if (!isObject(value)) return value;
  const exotic = value[toPrimitiveName];
  if (exotic !== undefined && exotic !== null) {
    const primitive = apply(exotic, value, ['number']);
    if (!isObject(primitive)) return primitive;
  } else {
    const { valueOf } = value;
    if (typeof valueOf === 'function') {
      const primitive = apply(valueOf, value, []);
      if (!isObject(primitive)) return primitive;
    }
    const { toString } = value;
    if (typeof toString === 'function') {
      const primitive = apply(toString, value, []);
      if (!isObject(primitive)) return primitive;
    }
  }
  throw new TypeError(`${name}: ${argument} is an object that cannot be converted to a primitive value`);
}

/// ToNumber.
function toNumber(value, argument, name) {
  if (typeof value === 'number') return value;
  const primitive = toPrimitive(value, argument, name);
  if (typeof primitive === 'symbol' || typeof primitive === 'bigint')
    throw new TypeError(`${name}: ${argument} must be a number, not a ${typeof primitive}`);
  return +primitive;
}

/// ToIntegerOrInfinity.
function toIntegerOrInfinity(value, argument, name) {
  const number = toNumber(value, argument, name);
  return number !== number ? 0 : trunc(number);
}

/// ToIndex, and that it is below `length`, which was read before the conversion.
function toIndex(value, length, name) {
  const index = value === undefined ? 0 : toIntegerOrInfinity(value, 'index', name);
  if (index < 0 || index > maxSafeInteger || index >= length)
    throw new RangeError(`${name}: index ${String(index)} is out of range, the length of typedArray is ${length}`);
  return index + 0;  // -0 is 0
}

/// ToInt32.
function toInt32(value, name) {
  return toNumber(value, 'value', name) | 0;
}

/// ToBigInt64. A string that is not a number throws a SyntaxError, as the specification says.
function toInt64(argument, name) {
  if (typeof argument === 'bigint') return asInt64(argument);
  const value = toPrimitive(argument, 'value', name);
  if (value === undefined || value === null || typeof value === 'number' || typeof value === 'symbol')
    throw new TypeError(`${name}: value must be a BigInt, not ${value === null ? 'null' : typeof value}`);
  return asInt64(value);
}

/// Milliseconds from now; Infinity if there is no time-out.
function toTimeout(value, name, argument = 'timeout') {
  if (value === undefined) return Infinity;
  const number = toNumber(value, argument, name);
  if (number !== number) return Infinity;
  return number > 0 ? number : 0;
}

/// How many to wake at most.
function toCount(value, name) {
  if (value === undefined) return Infinity;
  const count = toIntegerOrInfinity(value, 'count', name);
  return count > 0 ? count : 0;
}

module.exports = { toIndex, toInt32, toInt64, toTimeout, toCount, toNumber };
