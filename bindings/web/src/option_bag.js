// SPDX-License-Identifier: MIT
// Options as the functions take them: an object with `timeout`, `signal` and `ref`, or some of them.

import { toTimeout } from './coerce.js';
import { describe, isSignal } from './describe.js';

const { hasOwn, getPrototypeOf, keys, prototype: objectPrototype } = Object;

/// The option, own or inherited. What a program has put on Object.prototype is not an option.
function optionOf(options, name) {
  for (let object = options; object !== null && object !== objectPrototype; object = getPrototypeOf(object))
    if (hasOwn(object, name)) return options[name];
  return undefined;
}

function read(options, name, known, kinds) {
  if (options === undefined) return {};
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${name}: options must be an object, not ${describe(options)}`);
  if (isSignal(options)) throw new TypeError(`${name}: options must be an object such as { signal }, not the AbortSignal itself`);
  for (const key of keys(options))
    if (!known.includes(key)) throw new TypeError(`${name}: options.${key} is not an option; there is ${known.join(', ')}`);
  const values = {};
  known.forEach((key, i) => {
    const value = values[key] = optionOf(options, key);
    if (value === undefined) return;
    if (kinds[i] === undefined)
      throw new TypeError(`${name}: options.${key} is useless in a call that blocks; ${name}Async takes it`);
    if (kinds[i] === 'AbortSignal' ? !isSignal(value) : typeof value !== kinds[i] || value !== value)
      throw new TypeError(`${name}: options.${key} must be a${kinds[i][0] === 'A' ? 'n' : ''} ${kinds[i]}, not ` +
        `${value !== value ? 'NaN' : describe(value)}`);
  });
  return values;
}

/// The options of a call that waits; `given` is the time-out that is an argument of its own. A blocked thread runs no code that
/// could abort a signal, and keeps its process alive anyhow.
export function readOptions(options, name, isBlocking, given = undefined) {
  const { timeout, signal, ref = true } =
    read(options, name, ['timeout', 'signal', 'ref'], isBlocking ? ['number'] : ['number', 'AbortSignal', 'boolean']);
  if (given !== undefined && timeout !== undefined)
    throw new TypeError(`${name}: timeout is given twice, as an argument and as options.timeout`);
  return { timeout: given ?? toTimeout(timeout, name), signal, ref };
}

/// Whether the argument in the place of a time-out is an object of options, or is meant as one. Any other object converts to a
/// number, as the specification says.
export function isOptionBag(value) {
  if (typeof value !== 'object' || value === null) return false;
  if (['timeout', 'signal', 'ref'].some((key) => hasOwn(value, key)) || isSignal(value)) return true;
  return getPrototypeOf(value) === objectPrototype && keys(value).length > 0 &&
    ![Symbol.toPrimitive, 'valueOf', 'toString'].some((key) => hasOwn(value, key));
}

/// The options of the arguments from the time-out on.
export function readArguments(timeout, options, name, isBlocking) {
  if (!isOptionBag(timeout))
    return readOptions(options, name, isBlocking, timeout === undefined ? undefined : toTimeout(timeout, name));
  if (options !== undefined) throw new TypeError(`${name}: options are given twice, in the place of timeout and after it`);
  return readOptions(timeout, name, isBlocking);
}

/// Whether a lock is to be strict.
export const readLockOptions = (options, name) => read(options, name, ['strict'], ['boolean']).strict === true;
