// SPDX-License-Identifier: MIT
// Permits.

import { give, makeWaiter, tryTake } from './claims.js';
import { requireCount } from './count.js';
import { load, store } from './engine.js';
import { fail, failure } from './failure.js';
import { dispose, Operation } from './operation.js';
import { blockFor, makePlace, waitFor } from './place.js';
import { placeOf, Primitive } from './primitive.js';
import { change } from './word.js';

// The words: the permits, and WAITING; the claim; the maximum, zero for MOST; and whether it was
// made with options: 1, or 2 if it is strict.
const MAXIMUM = 2;
const MADE = 3;

const MOST = 2 ** 31 - 1;
const NAME = 'Semaphore';
const SIZE = 16;

const maximumOf = (words) => load(words, MAXIMUM) || MOST;
export const taking = (count) => (seen) => ((seen & MOST) < count ? undefined : seen - count);

function putBack(words, count, name) {
  const most = maximumOf(words);
  if (!give(words, (seen) => ((seen & MOST) + count > most ? undefined : (seen & MOST) + count)))
    fail(name, `the permits would be more than ${most}`, RangeError);
}

/** Owns permits, until it puts them back or goes out of the scope of a `using`. */
class SemaphorePermits {
  #words;
  #count;

  constructor(words, count) {
    this.#words = words;
    this.#count = count;
  }

  /** How many it owns. */
  get count() {
    return this.#count;
  }

  /** Puts them back before the end of the scope. */
  release() {
    if (!this.#count) throw failure('EPERM', 'SemaphorePermits.release', 'the permits were put back already');
    putBack(this.#words, this.detach(), 'SemaphorePermits.release');
  }

  [dispose]() {
    if (this.#count) this.release();
  }

  /** Gives up ownership: returns how many permits the program has to release. */
  detach() {
    const count = this.#count;
    this.#count = 0;
    return count;
  }

  /// Even if a program puts a `then` on Object.prototype, a promise that is resolved with permits is fulfilled with them.
  get then() {
    return undefined;
  }
}

/// The place, and that the count is right.
function begin(semaphore, count, verb) {
  const place = placeOf(semaphore, NAME, verb);
  requireCount(count, 'count', `${NAME}.${verb}`, maximumOf(place.words));
  return place;
}

const acquiring = (semaphore, count, verb) => new Operation(begin(semaphore, count, verb), (words) => makeWaiter(
  words, taking(count), load(words, MADE) > 1, () => new SemaphorePermits(words, count)), verb, 'there are too few permits');

export class Semaphore extends Primitive {
  static byteLength = SIZE;

  constructor(buffer, byteOffset = 0, options = undefined) {
    const kinds = { permits: 'number', maximum: 'number', strict: 'boolean' };
    super(NAME, SIZE, makePlace, buffer, byteOffset, options, kinds, ({ permits, maximum, strict }, words) => {
      requireCount(maximum ?? MOST, 'options.maximum', NAME, MOST);
      requireCount(permits ?? 0, 'options.permits', NAME, maximum ?? MOST, 0);
      const isUnused = !words.some(Boolean) && change(words, MADE, 0, strict ? 2 : 1);
      if (isUnused) {
        store(words, MAXIMUM, maximum ?? MOST);
        store(words, 0, permits ?? 0);
      }
      return isUnused || (permits === undefined && (maximum ?? maximumOf(words)) === maximumOf(words) &&
        (strict === undefined || load(words, MADE) > 1 === strict));
    });
  }

  tryAcquire(count = 1) {
    const { words } = begin(this, count, 'tryAcquire');
    return tryTake(words, taking(count)) ? new SemaphorePermits(words, count) : undefined;
  }

  acquire(count = 1, options = undefined) {
    return blockFor(acquiring(this, count, 'acquire'), options);
  }

  async acquireAsync(count = 1, options = undefined) {
    return waitFor(acquiring(this, count, 'acquireAsync'), options);
  }

  acquiring(count = 1) {
    return acquiring(this, count, 'acquiring');
  }

  release(count = 1) {
    const name = 'Semaphore.release';
    putBack(placeOf(this, NAME, 'release').words, requireCount(count, 'count', name, MOST), name);
  }

  get available() {
    return load(placeOf(this, NAME, 'available').words, 0) & MOST;
  }

  get maximum() {
    return maximumOf(placeOf(this, NAME, 'maximum').words);
  }
}
