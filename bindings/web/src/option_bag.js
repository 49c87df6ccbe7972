// SPDX-License-Identifier: MIT
// Options as the functions take them: an object with `timeout`, `signal` and `ref`, or some of them.

import { toTimeout } from './coerce.js';
import { isObject, isSignal } from './describe.js';
import { requireKind, typeError } from './failure.js';

const { hasOwn, getPrototypeOf, keys, prototype: objectPrototype } = Object;

// The options of calls that wait, and what their values have to be.
const OF_WAITS = { timeout: 'number', signal: 'AbortSignal', ref: 'boolean' };
const USELESS = 'useless';
const OF_BLOCKING_WAITS = { timeout: 'number', signal: USELESS, ref: USELESS };

/// The options, own or inherited. What a program has put on Object.prototype is not an option.
function read(options, name, kinds) {
  const values = {};
  if (options === undefined) return values;
  requireKind(name, 'options', options, isObject(options), 'object');
  if (isSignal(options)) throw typeError(name, 'options must be an object such as { signal }, not the AbortSignal itself');
  const known = keys(kinds);
  for (const key of keys(options))
    if (!known.includes(key)) throw typeError(name, `options.${key} is not an option; there is ${known.join(', ')}`);
  for (const key of known) {
    const kind = kinds[key];
    const value = options[key];
    if (value === undefined || value === objectPrototype[key]) continue;
    if (kind === USELESS) throw typeError(name, `options.${key} is ${USELESS} in a call that blocks; ${name}Async takes it`);
    const isRight = kind === 'AbortSignal' ? isSignal(value) : typeof value === kind && value === value;
    requireKind(name, `options.${key}`, value, isRight, kind);
    values[key] = value;
  }
  return values;
}

/// The options of a call that waits; `given` is the time-out that is an argument of its own. A blocked thread runs no code that
/// could abort a signal, and keeps its process alive anyhow.
export function readOptions(options, name, isBlocking, given = undefined) {
  const { timeout, signal, ref = true } =
    read(options, name, isBlocking ? OF_BLOCKING_WAITS : OF_WAITS);
  if (given !== undefined && timeout !== undefined)
    throw typeError(name, 'timeout is given twice, as an argument and as options.timeout');
  return { timeout: given ?? toTimeout(timeout, name), signal, ref };
}

/// Whether the argument in the place of a time-out is an object of options, or is meant as one. Any other object converts to a
/// number, as the specification says.
export function isOptionBag(value) {
  if (!isObject(value)) return false;
  if (keys(OF_WAITS).some((key) => hasOwn(value, key)) || isSignal(value)) return true;
  return getPrototypeOf(value) === objectPrototype && keys(value).length > 0 &&
    ![Symbol.toPrimitive, 'valueOf', 'toString'].some((key) => hasOwn(value, key));
}

/// The options of the arguments from the time-out on.
export function readArguments(timeout, options, name, isBlocking) {
  if (!isOptionBag(timeout))
    return readOptions(options, name, isBlocking, timeout === undefined ? undefined : toTimeout(timeout, name));
  if (options !== undefined) throw typeError(name, 'options are given twice, in the place of timeout and after it');
  return readOptions(timeout, name, isBlocking);
}

/// Whether a lock is to be strict.
export const readLockOptions = (options, name) => read(options, name, { strict: 'boolean' }).strict === true;
