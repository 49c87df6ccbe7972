// SPDX-License-Identifier: MIT
// Something has happened.

import { LONGEST_SLEEP } from './constants.js';
import { load } from './engine.js';
import { Operation } from './operation.js';
import { blockFor, makePlace, waitFor } from './place.js';
import { placeOf, Primitive } from './primitive.js';
import { wakeAll } from './queue.js';
import { change, update } from './word.js';

// The word: the lowest bit says whether it is set, and the others count how often it was. Only a `set` changes those, so a waiter knows of
// one even if a `reset` has come before it could look.
const SET = 1;
const ONCE = 2;

const NAME = 'Event';
const SIZE = 4;

const waiting = (event, verb) => new Operation(placeOf(event, NAME, verb), (words) => {
  const since = load(words, 0);
  return {
    look() {
      const seen = load(words, 0);
      return seen & SET || seen !== since ? undefined : [seen, LONGEST_SLEEP];
    },
  };
}, verb);

export class Event extends Primitive {
  static byteLength = SIZE;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(NAME, SIZE, makePlace, buffer, byteOffset, options, { set: 'boolean' },
      ({ set }, words) => !(load(words, 0) & SET) !== set || (set && change(words, 0, 0, ONCE | SET)));
  }

  set() {
    const { words } = placeOf(this, NAME, 'set');
    if (update(words, (seen) => (seen & SET ? undefined : seen + ONCE | SET)) !== undefined) wakeAll(words);
  }

  reset() {
    update(placeOf(this, NAME, 'reset').words, (seen) => seen & ~SET);
  }

  get isSet() {
    return (load(placeOf(this, NAME, 'isSet').words, 0) & SET) > 0;
  }

  tryWait() {
    return (load(placeOf(this, NAME, 'tryWait').words, 0) & SET) > 0;
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
