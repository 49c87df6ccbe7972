// SPDX-License-Identifier: MIT
'use strict';
// Options as the functions take them: an object with `timeout`, `signal` and `ref`, or some of them.

const {
  signalPrototype, isAborted, signalOfController, hasOwn, keysOf, getPrototypeOf, objectPrototype, toPrimitiveName, TypeError,
} = require('./primordials.js');
const { toTimeout } = require('./coerce.js');
const { describe } = require('./describe.js');

/// What a call that does not block has read. Of a class, for an object that is written without a prototype is slow.
class Options {
  timeout = Infinity;
  signal = undefined;
  ref = true;
  site = undefined;  // where the call is; see failure.js
  isLate = false;    // whether its time-out came first

  constructor(timeout, signal, ref) {
    this.timeout = timeout;
    this.signal = signal;
    this.ref = ref;
  }
}

const NO_OPTIONS = new Options(Infinity, undefined, true);

/// The option, own or inherited. What a program has put on Object.prototype is not an option of anything.
function optionOf(options, name) {
  if (!(name in objectPrototype)) return options[name];
  for (let object = options; object !== null && object !== objectPrototype; object = getPrototypeOf(object))
    if (hasOwn(object, name)) return options[name];
  return undefined;
}

// The same, with the name in place: so each is one load.
const timeoutIn = (options) => ('timeout' in objectPrototype ? optionOf(options, 'timeout') : options.timeout);
const signalIn = (options) => ('signal' in objectPrototype ? optionOf(options, 'signal') : options.signal);
const refIn = (options) => ('ref' in objectPrototype ? optionOf(options, 'ref') : options.ref);

/// Whether the object inherits from AbortSignal, which most options do not: so they are told from a signal without an exception.
function isLikeSignal(object) {
  for (let base = getPrototypeOf(object); base !== null && base !== objectPrototype; base = getPrototypeOf(base))
    if (base === signalPrototype) return true;
  return false;
}

/// Whether the value is of the kind whose getter that is.
function accepts(getter, value) {
  try {
    getter(value);
    return true;
  } catch {
    return false;
  }
}

const isSignal = (value) => accepts(isAborted, value);
const describeNoSignal = (value) =>
  (accepts(signalOfController, value) ? 'an AbortController: pass its .signal' : describe(value));

const isWaitOption = (key) => key === 'timeout' || key === 'signal' || key === 'ref';
const isLockOption = (key) => key === 'strict';

function requireOptions(options, name, isKnown, known) {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${name}: options must be an object, not ${describe(options)}`);
  if (isLikeSignal(options))
    throw new TypeError(`${name}: options must be an object such as { signal }, not the AbortSignal itself`);
  for (const key in options)
    if (!isKnown(key)) return requireKnown(options, name, isKnown, known);
}

/// An own key is unknown, or an inherited one is, which is ignored.
function requireKnown(options, name, isKnown, known) {
  const keys = keysOf(options);
  for (let i = 0; i < keys.length; ++i)
    if (!isKnown(keys[i])) throw new TypeError(`${name}: options.${keys[i]} is not an option; there is ${known}`);
}

/// The time-out in milliseconds. `given` is what an argument of the call gives; undefined if there is none.
function timeoutOf(options, name, given) {
  const timeout = timeoutIn(options);
  if (timeout !== undefined && (typeof timeout !== 'number' || timeout !== timeout))
    throw new TypeError(`${name}: options.timeout must be a number, not ${timeout !== timeout ? 'NaN' : describe(timeout)}`);
  if (given === undefined) return timeout === undefined ? Infinity : timeout > 0 ? timeout : 0;
  if (timeout !== undefined)
    throw new TypeError(`${name}: timeout is given twice, as an argument and as options.timeout`);
  return given;
}

/// The options of a call that does not block.
function readOptions(options, name, given = undefined) {
  if (options === undefined) return NO_OPTIONS;
  requireOptions(options, name, isWaitOption, 'timeout, signal and ref');
  const signal = signalIn(options);
  const ref = refIn(options);
  if (signal !== undefined && !isSignal(signal))
    throw new TypeError(`${name}: options.signal must be an AbortSignal, not ${describeNoSignal(signal)}`);
  if (ref !== undefined && typeof ref !== 'boolean')
    throw new TypeError(`${name}: options.ref must be a boolean, not ${describe(ref)}`);
  return new Options(timeoutOf(options, name, given), signal, ref ?? true);
}

/// A blocked thread runs no code that could abort a signal, and keeps its process alive anyhow.
function refuse(useless, value, name) {
  if (value !== undefined)
    throw new TypeError(`${name}: options.${useless} is useless in a call that blocks; ${name}Async takes it`);
}

/// The only option of a call that blocks: the time-out in milliseconds.
function readBlockingOptions(options, name, given = undefined) {
  if (options === undefined) return Infinity;
  requireOptions(options, name, isWaitOption, 'timeout');
  refuse('signal', signalIn(options), name);
  refuse('ref', refIn(options), name);
  return timeoutOf(options, name, given);
}

/// Whether an object has been written to convert to a number.
const converts = (object) => hasOwn(object, 'valueOf') || hasOwn(object, 'toString') || hasOwn(object, toPrimitiveName);

/// Whether the argument in the place of a time-out is an object of options, or is meant as one: then it is refused. Any other
/// object converts to a number, as the specification says.
function isOptionBag(value) {
  if (typeof value !== 'object' || value === null) return false;
  if (hasOwn(value, 'timeout') || hasOwn(value, 'signal') || hasOwn(value, 'ref') || isLikeSignal(value)) return true;
  return getPrototypeOf(value) === objectPrototype && keysOf(value).length > 0 && !converts(value);
}

/// What `read`, one of the two above, reads of the arguments from the time-out on.
function readArguments(timeout, options, name, read) {
  if (!isOptionBag(timeout)) return read(options, name, timeout === undefined ? undefined : toTimeout(timeout, name));
  if (options !== undefined)
    throw new TypeError(`${name}: options are given twice, in the place of timeout and after it`);
  return read(timeout, name);
}

/// Whether a lock is to be strict; undefined if nothing is said.
function readLockOptions(options, name) {
  if (options === undefined) return undefined;
  requireOptions(options, name, isLockOption, 'strict');
  const strict = optionOf(options, 'strict');
  if (strict !== undefined && typeof strict !== 'boolean')
    throw new TypeError(`${name}: options.strict must be a boolean, not ${describe(strict)}`);
  return strict;
}

module.exports = { readOptions, readBlockingOptions, readArguments, readLockOptions, optionOf, isOptionBag };
