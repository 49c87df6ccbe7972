// SPDX-License-Identifier: MIT
'use strict';

// One of each primitive, at the same bytes as in addon/family_ways.hpp.

const {
  AsyncLock, SharedLock, Semaphore, Event, AutoResetEvent, Latch, Barrier, Condition, Channel,
} = require('../..');

/// The indices of words.
const COUNT = 16;
const INSIDE = 17;
const FAILED = 18;
const DONE = 19;
const FIRST = 20;
const SECOND = 21;
const ITEMS = 22;
const PUT = 23;
const TAKEN = 24;
const CHOSEN = 26;
const NEXT = 30;
const READY = 31;
const ORDER = 32;

const LATCHES = 256;  // a byte offset
const CHANNEL = 2048;

/// The primitives of these words. `options` are those of constructors, by the names below, where they are not in use yet.
function primitivesIn(words, options = {}) {
  const { buffer } = words;
  return {
    words,
    lock: new AsyncLock(buffer, 0, options.lock),
    condition: new Condition(buffer, 4),
    sharedLock: new SharedLock(buffer, 8, options.sharedLock),
    semaphore: new Semaphore(buffer, 16, options.semaphore),
    events: [new Event(buffer, 32, options.event), new Event(buffer, 36)],
    signal: new AutoResetEvent(buffer, 40, options.signal),
    otherCondition: new Condition(buffer, 44),
    barrier: new Barrier(buffer, 48, options.barrier),
    latchOf: (round) => new Latch(buffer, LATCHES + 4 * round, options.latch),
    channel: new Channel(buffer, CHANNEL, options.channel ?? (options.isMade ? undefined : { capacity: 64 })),
  };
}

module.exports = {
  primitivesIn, COUNT, INSIDE, FAILED, DONE, FIRST, SECOND, ITEMS, PUT, TAKEN, CHOSEN, NEXT, READY, ORDER, BYTES: 4096,
};
