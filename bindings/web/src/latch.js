// SPDX-License-Identifier: MIT
// A count that goes down to zero once.

import { LONGEST_SLEEP } from './constants.js';
import { requireCount } from './count.js';
import { load } from './engine.js';
import { fail } from './failure.js';
import { Operation } from './operation.js';
import { blockFor, makePlace, waitFor } from './place.js';
import { placeOf, Primitive } from './primitive.js';
import { wakeAll } from './queue.js';
import { change, update } from './word.js';

// The word is the count. It wakes its waiters when it becomes zero.
const MOST = 2 ** 31 - 1;
const NAME = 'Latch';
const SIZE = 4;

function countDown(words, n, name) {
  const seen = update(words, (count) => (n > count ? undefined : count - n));
  if (seen === undefined) fail(name, `${n} is more than what is left of the count`, RangeError);
  if (seen === n) wakeAll(words);
}

/// Counts down by `n` before, if it is given.
function waiting(latch, verb, n = undefined) {
  const place = placeOf(latch, NAME, verb);
  const name = `${NAME}.${verb}`;
  if (n !== undefined) requireCount(n, 'n', name, MOST);
  return new Operation(place, (words) => {
    if (n) countDown(words, n, name);
    return {
      look() {
        const count = load(words, 0);
        return count ? [count, LONGEST_SLEEP] : undefined;
      },
    };
  }, verb);
}

export class Latch extends Primitive {
  static byteLength = SIZE;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(NAME, SIZE, makePlace, buffer, byteOffset, options, { count: 'number' },
      ({ count }, words) => change(words, 0, 0, requireCount(count, 'options.count', NAME, MOST)));
  }

  countDown(n = 1) {
    const name = 'Latch.countDown';
    countDown(placeOf(this, NAME, 'countDown').words, requireCount(n, 'n', name, MOST), name);
  }

  tryWait() {
    return !load(placeOf(this, NAME, 'tryWait').words, 0);
  }

  wait(options = undefined) {
    return blockFor(waiting(this, 'wait'), options);
  }

  waiting() {
    return waiting(this, 'waiting');
  }

  async waitAsync(options = undefined) {
    return waitFor(waiting(this, 'waitAsync'), options);
  }

  arriveAndWait(n = 1, options = undefined) {
    return blockFor(waiting(this, 'arriveAndWait', n), options);
  }

  async arriveAndWaitAsync(n = 1, options = undefined) {
    return waitFor(waiting(this, 'arriveAndWaitAsync', n), options);
  }
}
