// SPDX-License-Identifier: MIT
// Options as the functions take them: an object with `timeout`, `signal` and `ref`, or some of them.

import { isObject, isSignal } from './describe.js';
import { fail, requireKind } from './failure.js';

/// ToNumber of the specification.
export function toNumber(value, argument, name) {
  requireKind(name, argument, value, 'number', typeof value !== 'symbol' && typeof value !== 'bigint');
  return +value;
}

/// Milliseconds; Infinity if there is no time-out.
function toTimeout(value, name) {
  const number = toNumber(value, 'timeout', name);
  return number !== number ? Infinity : Math.max(number, 0);
}

const { keys, prototype: objectPrototype } = Object;

// What the values of the options have to be: of calls that wait, of those that block. A blocked thread runs no code that could
// abort a signal, and keeps its process alive anyhow.
const OF_WAITS = { timeout: 'number', signal: 'AbortSignal', ref: 'boolean' };
const USELESS = 'undefined, for it is useless in a call that blocks';
const OF_BLOCKING_WAITS = { timeout: 'number', signal: USELESS, ref: USELESS };

/// The options, own or inherited. What a program has put on Object.prototype is not an option.
export function readOptions(options, name, kinds) {
  const values = {};
  if (options === undefined) return values;
  const known = keys(kinds);
  requireKind(name, 'options', options, `an object of ${known}`, isObject(options) && !isSignal(options));
  for (const key of keys(options)) if (!known.includes(key)) fail(name, `options.${key} is none of ${known}`);
  for (const key of known) {
    const kind = kinds[key];
    const value = options[key];
    if (value === undefined || value === objectPrototype[key]) continue;
    const isRight = isSignal(value) ? kind === 'AbortSignal' : typeof value === kind && value === value;
    requireKind(name, `options.${key}`, value, kind, isRight);
    values[key] = value;
  }
  return values;
}

const PLAIN = { timeout: Infinity, ref: true, isPlain: true };

/// The options of a call that waits.
export function readWaitOptions(options, name, isBlocking) {
  if (options === undefined) return PLAIN;
  const { timeout, signal, ref = true } = readOptions(options, name, isBlocking ? OF_BLOCKING_WAITS : OF_WAITS);
  return { timeout: toTimeout(timeout, name), signal, ref, isTimed: timeout !== undefined };
}

const hasAny = (object, names) => names.some((name) => Object.hasOwn(object, name));

/// The same of the arguments from the time-out on, and whether none of them is options. In the place of the time-out may be an object of
/// options, or one that is meant so. Any other object converts to a number, as the specification says.
export function readArguments(timeout, options, name, isBlocking) {
  if (!isObject(timeout) || !(isSignal(timeout) || hasAny(timeout, keys(OF_WAITS)) ||
    (Object.getPrototypeOf(timeout) === objectPrototype && keys(timeout).length > 0 &&
      !hasAny(timeout, [Symbol.toPrimitive, 'valueOf', 'toString'])))) {
    const given = timeout === undefined ? undefined : toTimeout(timeout, name);
    if (options === undefined && given === undefined) return PLAIN;
    const read = readWaitOptions(options, name, isBlocking);
    if (given !== undefined && read.isTimed) fail(name, 'timeout is given twice');
    return { ...read, timeout: given ?? read.timeout, isPlain: options === undefined };
  }
  if (options !== undefined) fail(name, 'options are given twice');
  return readWaitOptions(timeout, name, isBlocking);
}
