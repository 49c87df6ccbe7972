// SPDX-License-Identifier: MIT
// A count that goes down to zero once.

import { load } from './engine.js';
import { fail } from './failure.js';
import { Operation } from './operation.js';
import { readOptions } from './option_bag.js';
import { blockFor, placeOf, Primitive, requireCount, requireUnused, waitFor } from './primitive.js';
import { change, update, wakeAll } from './word.js';

// The word is the count. It wakes its waiters when it becomes zero.
const MOST = 2 ** 31 - 1;
const NAME = 'Latch';
const SIZE = 4;

function countDown({ words }, n, name) {
  const seen = update(words, (count) => (n > count ? undefined : count - n));
  if (seen === undefined) fail(name, `${n} is more than what is left of the count`, RangeError);
  if (seen === n) wakeAll(words);
}

/// Waiters count down by `n` before.
const waiting = (place, n, name) => () => {
  if (n) countDown(place, n, name);
  return {
    look() {
      const count = load(place.words, 0);
      return count ? [count, Infinity] : undefined;
    },
    leave() {},
  };
};

/// The place, and that the count is right.
function begin(latch, n, verb) {
  const place = placeOf(latch, NAME, verb);
  requireCount(n, 'n', `${NAME}.${verb}`, MOST);
  return place;
}

export class Latch extends Primitive {
  static byteLength = SIZE;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(NAME, SIZE, false, buffer, byteOffset);
    const { count } = readOptions(options, NAME, { count: 'number' });
    if (count !== undefined)
      requireUnused(change(placeOf(this, NAME, 'constructor').words, 0, 0, requireCount(count, 'options.count', NAME, MOST)), NAME);
  }

  countDown(n = 1) {
    countDown(begin(this, n, 'countDown'), n, 'Latch.countDown');
  }

  tryWait() {
    return !load(placeOf(this, NAME, 'tryWait').words, 0);
  }

  wait(options = undefined) {
    const place = placeOf(this, NAME, 'wait');
    return blockFor(place, 'wait', options, waiting(place));
  }

  waiting() {
    const place = placeOf(this, NAME, 'waiting');
    return new Operation(place, waiting(place));
  }

  async waitAsync(options = undefined) {
    const place = placeOf(this, NAME, 'waitAsync');
    return waitFor(place, 'waitAsync', options, waiting(place));
  }

  arriveAndWait(n = 1, options = undefined) {
    const place = begin(this, n, 'arriveAndWait');
    return blockFor(place, 'arriveAndWait', options, waiting(place, n, 'Latch.arriveAndWait'));
  }

  async arriveAndWaitAsync(n = 1, options = undefined) {
    const place = begin(this, n, 'arriveAndWaitAsync');
    return waitFor(place, 'arriveAndWaitAsync', options, waiting(place, n, 'Latch.arriveAndWaitAsync'));
  }
}
