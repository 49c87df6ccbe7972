// SPDX-License-Identifier: MIT
// Options as the functions take them: an object with `timeout`, `signal` and `ref`, or some of them.

import { isObject, isSignal } from './describe.js';
import { fail, requireKind } from './failure.js';
import { toNumber } from './number.js';

// What the values of the options have to be: of calls that wait, of those that block. A blocked thread runs no code that could
// abort a signal, and keeps its process alive anyhow.
const OF_WAITS = { timeout: 'number', signal: 'AbortSignal', ref: 'boolean' };
const USELESS = 'undefined, for it is useless in a call that blocks';
const OF_BLOCKING_WAITS = { timeout: 'number', signal: USELESS, ref: USELESS };

/// The options, own or inherited. What a program has put on Object.prototype is not an option.
export function readOptions(options, name, kinds) {
  const values = {};
  if (options === undefined) return values;
  const known = Object.keys(kinds);
  requireKind(name, 'options', options, `an object of ${known}`, isObject(options) && !isSignal(options));
  for (const key of Object.keys(options)) if (!known.includes(key)) fail(name, `options.${key} is none of ${known}`);
  for (const key of known) {
    const kind = kinds[key];
    const value = options[key];
    if (value === undefined || value === Object.prototype[key]) continue;
    requireKind(name, `options.${key}`, value, kind, kind === 'AbortSignal' ? isSignal(value) : typeof value === kind && value === value);
    values[key] = value;
  }
  return values;
}

/// The time-out, in milliseconds, is Infinity if there is none.
const complete = ({ timeout = Infinity, signal, ref = true }) => ({ timeout: Math.max(timeout, 0), signal, ref });
const NO_OPTIONS = /* @__PURE__ */ complete({});

/// The options of a call that waits.
export const readWaitOptions = (options, name, isBlocking) =>
  (options === undefined ? NO_OPTIONS : complete(readOptions(options, name, isBlocking ? OF_BLOCKING_WAITS : OF_WAITS)));

const hasAny = (object, names) => names.some((name) => Object.hasOwn(object, name));

/// The same of the arguments from the time-out on, and whether none of them is options. In the place of the time-out may be an object of
/// options, or one that is meant so. Any other object converts to a number, as the specification says.
export function readArguments(timeout, options, name, isBlocking) {
  if (isObject(timeout) && (isSignal(timeout) || hasAny(timeout, Object.keys(OF_WAITS)) ||
    (Object.getPrototypeOf(timeout) === Object.prototype && Object.keys(timeout).length > 0 &&
      !hasAny(timeout, [Symbol.toPrimitive, 'valueOf', 'toString'])))) {
    if (options !== undefined) fail(name, 'options are given twice');
    return readWaitOptions(timeout, name, isBlocking);
  }
  const given = timeout === undefined ? NaN : toNumber(timeout, 'timeout', name);
  const read = readOptions(options, name, isBlocking ? OF_BLOCKING_WAITS : OF_WAITS);
  if (timeout !== undefined && read.timeout !== undefined) fail(name, 'timeout is given twice');
  if (given === given) read.timeout = given;
  return { ...complete(read), isPlain: options === undefined };
}
