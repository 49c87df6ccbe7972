// SPDX-License-Identifier: MIT
'use strict';
// Participants that work in phases: futon::Barrier.

const {
  Type, Primitive, placeOf, act, ask, block, waitFor, requireCount, requireMaking, inUse, notExpected, MAKE, GIVE, RESET, LIMIT,
} = require('./primitive.js');

const TYPE = new Type('Barrier', 7, 8);

const start = async (barrier, options) => {
  const name = 'Barrier.arriveAndWaitAsync';
  const read = await waitFor(placeOf(barrier, TYPE, 'arriveAndWaitAsync'), name, arriveAndWaitAsync, options);
  return read.isLate ? 'timed-out' : 'ok';
};

class Barrier extends Primitive {
  static byteLength = TYPE.size;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(TYPE, buffer, byteOffset);
    const participants = requireMaking(options, 'Barrier', { __proto__: null, participants: 'number' })?.participants;
    if (participants === undefined) return;
    const place = placeOf(this, TYPE, 'constructor');
    requireCount(participants, 'options.participants', 'Barrier', ask(place, LIMIT));
    if (!act(place, MAKE, participants)) throw inUse('Barrier', 'participants');
  }

  arrive(n = 1) {
    const place = placeOf(this, TYPE, 'arrive');
    requireCount(n, 'n', 'Barrier.arrive', ask(place, LIMIT));
    if (!act(place, GIVE, n)) throw notExpected('Barrier.arrive', place);
  }

  arriveAndDrop() {
    const place = placeOf(this, TYPE, 'arriveAndDrop');
    if (!act(place, RESET)) throw notExpected('Barrier.arriveAndDrop', place);
  }

  arriveAndWait(options = undefined) {
    return block(placeOf(this, TYPE, 'arriveAndWait'), 'Barrier.arriveAndWait', options) ? 'ok' : 'timed-out';
  }

  arriveAndWaitAsync(options = undefined) {
    return start(this, options);
  }
}

const { arriveAndWaitAsync } = Barrier.prototype;

module.exports = { Barrier };
