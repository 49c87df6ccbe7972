// SPDX-License-Identifier: MIT
'use strict';
// The addon, opened for this thread, and the mailbox that has the arguments and results of its calls (src/mailbox.hpp).

const { threadId } = require('node:worker_threads');
const { load } = require('./load.js');

const native = load().open(threadId, Number(process.versions.modules));

module.exports = {
  native,
  doubles: new Float64Array(native.mailbox, 0, 4),
  bigs: new BigInt64Array(native.mailbox, 24, 1),
  ints: new Int32Array(native.mailbox, 32, 14),
  batch: new Uint32Array(native.mailbox, 88),

  // Of `doubles`.
  ADDRESS: 0,
  TIMEOUT: 1,
  COUNT: 2,
  LOCK: 3,  // in the place of `bigs`

  // Of `ints`.
  NARROW: 0,
  WIDTH: 1,
  SLOT: 2,
  IS_SETTLING: 3,
  OUTCOME: 4,
  LIGHT_SLOT: 5,
  HEAVY_SLOT: 6,
  BATCH_SIZE: 7,
  HAS_MORE: 8,
  NEXT_NOTE: 9,
  ACQUISITION: 10,
  TAKEN_NOTE: 11,
  LOOP_TIME: 12,
  KIND: 13,

  // Values of `ints[OUTCOME]` that are not slots.
  OK: -1,
  NOT_EQUAL: -2,
  TIMED_OUT: -3,
  ENDED: -4,
  NOT_HELD: -5,
  HELD_HERE: -6,
};
