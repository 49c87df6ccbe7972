// SPDX-License-Identifier: MIT
'use strict';
// What the primitives besides the lock have in common: an object of C++ in shared memory, and the three ways to wait for it.

const {
  typedArrayBuffer, typedArrayByteOffset, sharedByteLength, isAborted, reasonOf, maxSafeInteger, hasOwn, keysOf, compareExchange, load, Int32Array,
  BigInt64Array, Error, TypeError, RangeError, Symbol,
} = require('./primordials.js');
const {
  native, doubles, ints, ADDRESS, TIMEOUT, COUNT, NARROW, OUTCOME, BATCH_SIZE, KIND, OK, NOT_EQUAL, TIMED_OUT,
} = require('./native.js');
const { requireShared } = require('./view.js');
const { describe, isShared } = require('./describe.js');
const { requireCanBlock } = require('./agent.js');
const { requireRoom, makePromise, capability, settle } = require('./pending.js');
const { enqueueWithSignal } = require('./options.js');
const { readOptions, readBlockingOptions, optionOf } = require('./option_bag.js');
const { Registration, unlisten } = require('./abort.js');
const { siteOf } = require('./failure.js');
const { Operation } = require('./operation.js');
const { waitersAt } = require('./introspection.js');
const { isDiagnosed, noteCall, noteMemory } = require('./diagnosis.js');

const dispose = hasOwn(Symbol, 'dispose') ? Symbol.dispose : Symbol.for('nodejs.dispose');
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

// As Verb of src/mailbox.hpp.
const MAKE = 0;
const TRY_TAKE = 1;
const GIVE = 2;
const RESET = 3;
const LOOK = 4;
const LIMIT = 5;

const LATE = Symbol('late');  // what the promise of a waiter gives whose time-out is over

/// A barrier that was made counts its phases, so its bytes are not all zero, even if all have dropped.
const notExpected = (name, { words }) => new RangeError(`${name}: the phase of the barrier needs no more arrivals` +
  `${(load(words, 0) | load(words, 1)) === 0 ? ', for no thread has made it yet, with options.participants' : ''}`);

/// A kind of primitive: its class's name, its number (Kind of src/mailbox.hpp), its bytes, and the error of a wait that is refused.
class Type {
  name = '';
  kind = 0;
  size = 0;
  alignment = 0;
  refusal = undefined;

  constructor(name, kind, size, alignment = size, refusal = notExpected) {
    this.name = name;
    this.kind = kind;
    this.size = size;
    this.alignment = alignment;
    this.refusal = refusal;
  }
}

const withArticle = (noun) => `${'AEIOUo'.includes(noun[0]) ? 'an' : 'a'} ${noun}`;

/// The memory of a primitive, for the functions below.
class Place {
  type = undefined;
  words = undefined;
  address = 0;

  constructor(type, words, address) {
    this.type = type;
    this.words = words;
    this.address = address;
  }

  /// The same memory, for waits of another kind.
  as(type) {
    return type === this.type ? this : new Place(type, this.words, this.address);
  }
}

let placeOf;
let anyPlaceOf;  // the same for any type; undefined if it is no primitive

/** A primitive in a SharedArrayBuffer. All objects of the same bytes are one primitive, and C++ may use it, too. */
class Primitive {
  static {
    placeOf = (value, type, name) => {
      if (typeof value === 'object' && value !== null && #place in value && value.#place.type === type) return value.#place;
      throw new TypeError(`${type.name}.${name}: this must be ${withArticle(type.name)}, not ${describe(value)}`);
    };
    anyPlaceOf = (value) => (typeof value === 'object' && value !== null && #place in value ? value.#place : undefined);
  }

  // A structured clone would be an empty object. Because of this symbol it throws, with the text of it.
  cannotBeCloned = Symbol('A primitive of futon: send its buffer and byteOffset, and make one of them there');

  #place;

  constructor(type, buffer, byteOffset) {
    const { name, size, alignment } = type;
    if (!isShared(buffer)) throw new TypeError(`${name}: buffer must be a SharedArrayBuffer, not ${describe(buffer)}`);
    if (typeof byteOffset !== 'number')
      throw new TypeError(`${name}: byteOffset must be a number, not ${describe(byteOffset)}`);
    const length = sharedByteLength(buffer);
    if (length < size) throw new RangeError(`${name}: buffer must have ${size} bytes at least, not ${length}`);
    if (!(byteOffset >= 0 && byteOffset <= maxSafeInteger && byteOffset % alignment === 0 && byteOffset + size <= length))
      throw new RangeError(`${name}: byteOffset must be a multiple of ${alignment} that leaves ${size} bytes of ${length}, not ${byteOffset}`);
    const words = new Int32Array(buffer, byteOffset, size / 4);
    this.#place = new Place(type, words, requireShared(words, name).address);
    if (isDiagnosed) noteMemory(buffer, this.#place.address, byteOffset);
  }

  get buffer() {
    return typedArrayBuffer(this.#place.words);
  }

  get byteOffset() {
    return typedArrayByteOffset(this.#place.words);
  }

  /** Its waiters, in the order of their queue. */
  waiters() {
    return waitersAt(this.#place.address);
  }

  [inspectCustom](depth, options, inspect) {
    if (!(#place in this)) return this;
    return `${this.#place.type.name} ${inspect({ byteOffset: this.byteOffset }, options)}`;
  }
}

/// To wait for the primitive, as an operation.
const operationOf = (place, finish, count = 0) => new Operation(() => {
  doubles[ADDRESS] = place.address;
  doubles[COUNT] = count;
  ints[KIND] = place.type.kind;
}, place.words, finish);

let told = 0;  // by the last call

/// Does what never waits; returns whether it could be done. What promises of this thread were given is settled when it returns.
function act(place, verb, count = 0) {
  if (isDiagnosed && verb === TRY_TAKE) noteCall();
  doubles[ADDRESS] = place.address;
  doubles[COUNT] = count;
  ints[KIND] = place.type.kind;
  ints[NARROW] = verb;
  native.act();
  const isDone = ints[OUTCOME] === OK;
  told = doubles[COUNT];
  try {
    if (ints[BATCH_SIZE] !== 0) settle();
  } catch {
    // The stack is full. The loop settles what is left.
  }
  return isDone;
}

/// The number that a primitive tells.
function ask(place, verb, count = 0) {
  act(place, verb, count);
  return told;
}

/// Blocks for the primitive; returns whether it was there in time.
function block(place, name, options, count = 0) {
  requireCanBlock(name);
  const timeout = readBlockingOptions(options, name);
  if (isDiagnosed) noteCall();
  requireRoom(8);
  doubles[ADDRESS] = place.address;
  doubles[TIMEOUT] = timeout;
  doubles[COUNT] = count;
  ints[KIND] = place.type.kind;
  native.blockInOperation();
  if (ints[OUTCOME] === OK) return true;
  if (ints[OUTCOME] === TIMED_OUT) return false;
  if (ints[OUTCOME] === NOT_EQUAL) throw place.type.refusal(name, place);
  throw new Error(`${name}: this thread is being ended`);  // and then no code of it runs any more
}

/// Waits for the primitive, which was not there a moment ago. Returns undefined if it is there by now, else a promise, which gives LATE
/// if the time-out comes first. `caller`, a function called `name`, was called by the program. `prepare` writes what else the call needs;
/// `done`, if it is given, gets how the wait has ended, 'ok' or 'not-equal', and the slot of it, negative if there is none.
function begin(place, read, name, caller, count = 0, prepare = undefined, done = undefined) {
  const { signal, ref, timeout } = read;
  if (isDiagnosed) noteCall();
  requireRoom(8);
  const promise = makePromise(`futon.${place.type.name}`);
  const { resolve, reject, resource } = capability;
  if (timeout !== Infinity) read.site = siteOf(name, caller);
  const registration = new Registration(reject);
  const settler = (result) => {
    const { slot } = registration;
    unlisten(registration);
    if (result === 'timed-out') return resolve(LATE);
    if (result === 'cancelled') return reject(reasonOf(signal));
    if (done !== undefined) done(result, slot);
    else if (result === 'not-equal') return reject(place.type.refusal(name, place));
    return resolve();
  };
  const fill = () => {
    prepare?.();
    doubles[ADDRESS] = place.address;
    doubles[TIMEOUT] = timeout;
    doubles[COUNT] = count;
    ints[KIND] = place.type.kind;
  };
  const outcome = enqueueWithSignal(registration, signal, ref, settler, resource, place.words, fill, native.beginOperation);
  if (done !== undefined && (outcome === OK || outcome === NOT_EQUAL)) {
    done(outcome === OK ? 'ok' : 'not-equal', -1);
    return undefined;
  }
  if (outcome === OK) return undefined;
  if (outcome === undefined) reject(reasonOf(signal));
  if (outcome === TIMED_OUT) resolve(LATE);
  if (outcome === NOT_EQUAL) reject(place.type.refusal(name, place));
  return promise;
}

/// Waits for the primitive; gives whether it was there in time.
async function waitFor(place, name, caller, options, count = 0) {
  const read = readOptions(options, name);
  if (read.signal !== undefined && isAborted(read.signal)) throw reasonOf(read.signal);
  if (act(place, TRY_TAKE, count)) return read;
  const promise = begin(place, read, name, caller, count);
  if (promise !== undefined && await promise === LATE) read.isLate = true;
  return read;
}

/// A whole number that an argument must be.
function requireCount(value, argument, name, most, least = 1) {
  if (typeof value !== 'number') throw new TypeError(`${name}: ${argument} must be a number, not ${describe(value)}`);
  if (!(value >= least && value <= most && value % 1 === 0)) {
    const what = least === most ? most : `a whole number from ${least} to ${most}`;
    throw new RangeError(`${name}: ${argument} must be ${what}, not ${value}`);
  }
  return value;
}

/// The options of a constructor that are given, of those that `known` lists, each with its type; undefined if none is.
function requireMaking(options, name, known) {
  if (options === undefined) return undefined;
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${name}: options must be an object, not ${describe(options)}`);
  for (const key in options) {
    if (!hasOwn(known, key) && hasOwn(options, key))  // else a program has put it on Object.prototype
      throw new TypeError(`${name}: options.${key} is not an option; there is ${keysOf(known).join(', ') || 'none'}`);
  }
  let given;
  for (const key of keysOf(known)) {
    const value = optionOf(options, key);
    if (value === undefined) continue;
    if (typeof value !== known[key])
      throw new TypeError(`${name}: options.${key} must be ${withArticle(known[key])}, not ${describe(value)}`);
    given ??= { __proto__: null };
    given[key] = value;
  }
  return given;
}

const inUse = (name, option) => new Error(`${name}: options.${option} is for ${withArticle(name)} that is not in use yet; this one is`);

/// What an option says of a primitive that is in use must be what it is.
function requireSame(name, option, given, is) {
  if (given !== undefined && given !== is)
    throw new Error(`${name}: options.${option} is ${given}, and of this one, which is in use, it is ${is}`);
}

const STRICT = 1n << 33n;  // of the first eight bytes of a SharedLock and a Semaphore, as ArbiterBits of C++ has it

const bitsOf = ({ words }) => new BigInt64Array(typedArrayBuffer(words), typedArrayByteOffset(words), 1);
const isStrict = (place) => (load(bitsOf(place), 0) & STRICT) !== 0n;

/// Makes it strict if it is not in use yet; returns whether it is strict then.
const makeStrict = (place) => compareExchange(bitsOf(place), 0, 0n, STRICT) === 0n || isStrict(place);

module.exports = {
  Type, Primitive, operationOf, placeOf: (...args) => placeOf(...args), anyPlaceOf: (value) => anyPlaceOf(value), act, ask, block, begin, LATE, waitFor, requireCount, requireMaking, inUse,
  requireSame, isStrict, makeStrict, notExpected, dispose, MAKE, TRY_TAKE, GIVE, RESET, LOOK, LIMIT,
};
