// SPDX-License-Identifier: MIT
// Signals, each for one waiter.

import { LONGEST_SLEEP } from './constants.js';
import { load } from './engine.js';
import { Operation } from './operation.js';
import { blockFor, makePlace, waitFor } from './place.js';
import { placeOf, Primitive } from './primitive.js';
import { wakeAll } from './queue.js';
import { change, update } from './word.js';

// The word: below, the signals; above, the waiters. There is one signal more than waiters at most, which is for one that comes later. So two
// signals for two waiters stay two, although no waiter has run between.
const SIGNALS = 0xffff;
const WAITER = 1 << 16;
const waitersOf = (seen) => seen >>> 16;

const NAME = 'AutoResetEvent';
const SIZE = 4;

const take = (words, left) => update(words, (seen) => (seen & SIGNALS ? seen - 1 - left : undefined)) !== undefined;

/// A waiter is among those of the word from its beginning, unless there are as many as can be counted.
export function makeWaiter(words) {
  const counted = update(words, (seen) => (waitersOf(seen) === SIGNALS ? undefined : seen + WAITER)) === undefined ? 0 : WAITER;
  return {
    look() {
      while (true) {
        if (take(words, counted)) return undefined;
        const seen = load(words, 0);
        if (!(seen & SIGNALS)) return [seen, LONGEST_SLEEP];
      }
    },
    /// What was meant for it is another's, or stays for one that comes later.
    leave() {
      if (counted) update(words, (seen) => (seen & ~SIGNALS) - WAITER | Math.min(seen & SIGNALS, waitersOf(seen)));
    },
  };
}

const waiting = (event, verb) => new Operation(placeOf(event, NAME, verb), makeWaiter, verb);

export class AutoResetEvent extends Primitive {
  static byteLength = SIZE;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(NAME, SIZE, makePlace, buffer, byteOffset, options, { set: 'boolean' },
      ({ set }, words) => !(load(words, 0) & SIGNALS) !== set || (set && change(words, 0, 0, 1)));
  }

  set() {
    const { words } = placeOf(this, NAME, 'set');
    const seen = update(words, (word) => ((word & SIGNALS) > waitersOf(word) || (word & SIGNALS) === SIGNALS ? undefined : word + 1));
    if (waitersOf(seen)) wakeAll(words);
  }

  reset() {
    update(placeOf(this, NAME, 'reset').words, (seen) => seen & ~SIGNALS);
  }

  get isSet() {
    return (load(placeOf(this, NAME, 'isSet').words, 0) & SIGNALS) > 0;
  }

  tryWait() {
    return take(placeOf(this, NAME, 'tryWait').words, 0);
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
}
