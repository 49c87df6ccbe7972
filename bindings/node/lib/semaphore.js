// SPDX-License-Identifier: MIT
'use strict';
// Permits: futon::Semaphore.

const { RangeError } = require('./primordials.js');
const { bigs, ints, WIDTH } = require('./native.js');
const { failure, timedOut, timedOutLater } = require('./failure.js');
const {
  Type, Primitive, operationOf, placeOf, act, ask, block, waitFor, requireCount, requireMaking, inUse, requireSame, isStrict,
  dispose, MAKE, TRY_TAKE, GIVE, LOOK, LIMIT,
} = require('./primitive.js');

const MOST = 2 ** 31 - 1;
const TYPE = new Type('Semaphore', 1, 16);
const KNOWN = { __proto__: null, permits: 'number', maximum: 'number', strict: 'boolean' };

const tooMany = (place, name) => new RangeError(`${name}: the permits would be more than ${ask(place, LIMIT)}`);

function give(place, count, name) {
  if (!act(place, GIVE, count)) throw tooMany(place, name);
}

/** Owns permits, until it puts them back or goes out of the scope of a `using`. */
class SemaphorePermits {
  #place;
  #count;

  constructor(place, count) {
    this.#place = place;
    this.#count = count;
  }

  /** How many it owns. */
  get count() {
    return this.#count;
  }

  /** Puts them back before the end of the scope. */
  release() {
    if (this.#count === 0) throw failure('EPERM', 'SemaphorePermits.release: the permits were put back already');
    this[dispose]();
  }

  /** The same, if there are any. */
  [dispose]() {
    const count = this.#count;
    this.#count = 0;
    if (count !== 0) give(this.#place, count, 'SemaphorePermits.release');
  }

  /** Gives up ownership: returns how many permits the program has to release. */
  detach() {
    const count = this.#count;
    this.#count = 0;
    return count;
  }

  // Even if a program puts a `then` on Object.prototype, a promise that is resolved with permits is fulfilled with them.
  get then() {
    return undefined;
  }
}

const start = async (semaphore, count, options) => {
  const name = 'Semaphore.acquireAsync';
  const place = placeOf(semaphore, TYPE, 'acquireAsync');
  requireCount(count, 'count', name, ask(place, LIMIT));
  const read = await waitFor(place, name, acquireAsync, options, count);
  if (read.isLate) throw timedOutLater(name, start, read.site);
  return new SemaphorePermits(place, count);
};

class Semaphore extends Primitive {
  static byteLength = TYPE.size;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(TYPE, buffer, byteOffset);
    const read = requireMaking(options, 'Semaphore', KNOWN);
    if (read === undefined) return;
    const { permits = 0, maximum = MOST, strict = false } = read;
    requireCount(maximum, 'options.maximum', 'Semaphore', MOST);
    requireCount(permits, 'options.permits', 'Semaphore', maximum, 0);
    bigs[0] = BigInt(maximum);
    ints[WIDTH] = strict ? 1 : 0;
    const place = placeOf(this, TYPE, 'constructor');
    if (act(place, MAKE, permits)) return;
    if (read.permits !== undefined) throw inUse('Semaphore', 'permits');  // how many it began with is not known any more
    requireSame('Semaphore', 'maximum', read.maximum, ask(place, LIMIT));
    requireSame('Semaphore', 'strict', read.strict, isStrict(place));
  }

  tryAcquire(count = 1) {
    const place = placeOf(this, TYPE, 'tryAcquire');
    requireCount(count, 'count', 'Semaphore.tryAcquire', ask(place, LIMIT));
    return act(place, TRY_TAKE, count) ? new SemaphorePermits(place, count) : undefined;
  }

  acquire(count = 1, options = undefined) {
    const place = placeOf(this, TYPE, 'acquire');
    requireCount(count, 'count', 'Semaphore.acquire', ask(place, LIMIT));
    if (!block(place, 'Semaphore.acquire', options, count)) throw timedOut('Semaphore.acquire', acquire);
    return new SemaphorePermits(place, count);
  }

  acquireAsync(count = 1, options = undefined) {
    return start(this, count, options);
  }

  acquiring(count = 1) {
    const place = placeOf(this, TYPE, 'acquiring');
    requireCount(count, 'count', 'Semaphore.acquiring', ask(place, LIMIT));
    return operationOf(place, () => new SemaphorePermits(place, count), count);
  }

  release(count = 1) {
    const place = placeOf(this, TYPE, 'release');
    give(place, requireCount(count, 'count', 'Semaphore.release', MOST), 'Semaphore.release');
  }

  get available() {
    return ask(placeOf(this, TYPE, 'available'), LOOK);
  }

  get maximum() {
    return ask(placeOf(this, TYPE, 'maximum'), LIMIT);
  }
}

// Where the stack of a time-out begins, even if a program replaces the functions of the prototype.
const { acquire, acquireAsync } = Semaphore.prototype;

module.exports = { Semaphore, SemaphorePermits };
