// SPDX-License-Identifier: MIT
// Something has happened.

import { load } from './engine.js';
import { Operation } from './operation.js';
import { readOptions } from './option_bag.js';
import { blockFor, placeOf, Primitive, requireUnused, waitFor } from './primitive.js';
import { change, update, wakeAll } from './word.js';

// The word: the lowest bit says whether it is set, and the others count how often it was. Only a `set` changes those, so a waiter knows of
// one even if a `reset` has come before it could look.
const SET = 1;
const ONCE = 2;

const NAME = 'Event';
const SIZE = 4;

const look = ({ words }, since) => {
  const seen = load(words, 0);
  return seen & SET || seen !== since ? undefined : [seen, Infinity];
};
const waiting = (place) => () => {
  const since = load(place.words, 0);
  return { look: () => look(place, since), leave() {} };
};

export class Event extends Primitive {
  static byteLength = SIZE;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(NAME, SIZE, false, buffer, byteOffset);
    if (readOptions(options, NAME, { set: 'boolean' }).set)
      requireUnused(change(placeOf(this, NAME, 'constructor').words, 0, 0, ONCE | SET), NAME);
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
}
