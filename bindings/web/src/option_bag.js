// SPDX-License-Identifier: MIT
// Options as the functions take them: an object with `timeout`, `signal` and `ref`, or some of them.

import { toTimeout } from './coerce.js';
import { isObject, isSignal } from './describe.js';
import { requireKind, typeError } from './failure.js';

const { hasOwn, getPrototypeOf, keys, prototype: objectPrototype } = Object;

// What the values of the options have to be: of calls that wait, of those that block. A blocked thread runs no code that could
// abort a signal, and keeps its process alive anyhow.
const OF_WAITS = { timeout: 'number', signal: 'AbortSignal', ref: 'boolean' };
const USELESS = 'undefined (it is useless in a call that blocks; the Async one takes it)';
const OF_BLOCKING_WAITS = { timeout: 'number', signal: USELESS, ref: USELESS };

/// The options, own or inherited. What a program has put on Object.prototype is not an option.
export function readOptions(options, name, kinds) {
  const values = {};
  if (options === undefined) return values;
  const known = keys(kinds);
  requireKind(name, 'options', options, `an object of ${known}`, isObject(options) && !isSignal(options));
  for (const key of keys(options)) if (!known.includes(key)) throw typeError(name, `options.${key} is none of ${known}`);
  for (const key of known) {
    const kind = kinds[key];
    const value = options[key];
    if (value === undefined || value === objectPrototype[key]) continue;
    requireKind(name, `options.${key}`, value, kind, isSignal(value) ? kind === 'AbortSignal' : typeof value === kind && value === value);
    values[key] = value;
  }
  return values;
}

/// Whether the argument in the place of a time-out is an object of options, or is meant as one. Any other object converts to a
/// number, as the specification says.
export function isOptionBag(value) {
  const has = (key) => hasOwn(value, key);
  return isObject(value) && (isSignal(value) || keys(OF_WAITS).some(has) || (getPrototypeOf(value) === objectPrototype &&
    keys(value).length > 0 && ![Symbol.toPrimitive, 'valueOf', 'toString'].some(has)));
}

/// The options of a call that waits: those of the arguments from the time-out on.
export function readArguments(timeout, options, name, isBlocking) {
  const isBag = isOptionBag(timeout);
  const given = isBag || timeout === undefined ? undefined : toTimeout(timeout, name);
  const values = readOptions(isBag ? timeout : options, name, isBlocking ? OF_BLOCKING_WAITS : OF_WAITS);
  if (isBag ? options !== undefined : given !== undefined && values.timeout !== undefined)
    throw typeError(name, 'timeout or options are given twice');
  return { ref: true, ...values, timeout: given ?? toTimeout(values.timeout, name) };
}
