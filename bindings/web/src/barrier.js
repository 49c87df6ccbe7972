// SPDX-License-Identifier: MIT
// Participants that work in phases.

import { LONGEST_SLEEP } from './constants.js';
import { requireCount } from './count.js';
import { load } from './engine.js';
import { fail } from './failure.js';
import { Operation } from './operation.js';
import { blockFor, makePlace, waitFor } from './place.js';
import { placeOf, Primitive } from './primitive.js';
import { wakeAll } from './queue.js';
import { change, update } from './word.js';

// The words: below, the arrivals that the phase still needs, and above the number of the phase; the participants of the next one. The last
// arrival of a phase begins the next by one change, and wakes all.
const NEEDED = 0xffff;
const PHASE = 1 << 16;
const phaseOf = (seen) => seen >>> 16;
const PARTICIPANTS = 1;

const NAME = 'Barrier';
const SIZE = 8;

/// Returns the phase; undefined if it does not need so many arrivals.
function arrive(words, n) {
  const seen = update(words, (word) => {
    const needed = word & NEEDED;
    return needed < n ? undefined : needed > n ? word - n : (word & ~NEEDED) + PHASE | load(words, PARTICIPANTS);
  });
  if ((seen & NEEDED) === n) wakeAll(words);
  return seen && phaseOf(seen);
}

const refuse = (name, words) => fail(name, 'the phase of the barrier needs no more arrivals' +
  (words.some(Boolean) ? '' : ': no thread has made it yet, with options.participants'), RangeError);

const arriving = (barrier, verb) => new Operation(placeOf(barrier, NAME, verb), (words) => {
  const phase = arrive(words, 1) ?? refuse(`${NAME}.${verb}`, words);
  return {
    look() {
      const seen = load(words, 0);
      return phaseOf(seen) === phase ? [seen, LONGEST_SLEEP] : undefined;
    },
  };
}, verb);

function addParticipants(words, n) {
  for (let seen; !change(words, PARTICIPANTS, seen = load(words, PARTICIPANTS), seen + n););
}

export class Barrier extends Primitive {
  static byteLength = SIZE;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(NAME, SIZE, makePlace, buffer, byteOffset, options, { participants: 'number' }, ({ participants }, words) => {
      requireCount(participants, 'options.participants', NAME, NEEDED);
      return !load(words, 0) && change(words, PARTICIPANTS, 0, participants) && update(words, (seen) => seen + participants) !== undefined;
    });
  }

  arrive(n = 1) {
    const name = 'Barrier.arrive';
    const { words } = placeOf(this, NAME, 'arrive');
    arrive(words, requireCount(n, 'n', name, NEEDED)) ?? refuse(name, words);
  }

  arriveAndDrop() {
    const { words } = placeOf(this, NAME, 'arriveAndDrop');
    // Before it arrives: who ends the phase then knows of it.
    addParticipants(words, -1);
    if (arrive(words, 1) !== undefined) return;
    addParticipants(words, 1);
    refuse('Barrier.arriveAndDrop', words);
  }

  arriveAndWait(options = undefined) {
    return blockFor(arriving(this, 'arriveAndWait'), options);
  }

  async arriveAndWaitAsync(options = undefined) {
    return waitFor(arriving(this, 'arriveAndWaitAsync'), options);
  }
}
