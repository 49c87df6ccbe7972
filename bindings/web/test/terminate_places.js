// SPDX-License-Identifier: MIT
// What terminate_suite.js and its workers have in common: where the primitives lie, the notes that the workers leave, and the
// ways to wait.

import { AsyncLock, AutoResetEvent, Barrier, Channel, Condition, Event, Latch, Semaphore, SharedLock } from '../index.js';

export const WORKERS = 4;
export const PERMITS = 12;
export const LATCHES = 16;    // of which one is used after another
export const CAPACITY = 512;  // of the channel

// Where the notes are in the memory, behind the primitives; they are words.
const NOTES = 2048;
export const BYTES = 8192;

// The notes of all threads.
export const WRONG = 0;       // what went wrong first, and who saw it
export const INSIDE = 1;      // who has the lock
export const LEFT = 2;        // two counts that only an owner of a lock changes, one after the other
export const RIGHT = 3;
export const TOLD = 4;        // how often an owner was told that the lock was abandoned
export const ITEMS = 5;       // under the condition
export const USERS = 6;       // permits that are in use
export const SETS = 7;        // signals that were set, or are about to be
export const TAKEN = 8;       // signals that were taken
export const GENERATION = 9;  // of the latch

// The notes of one worker, from `notesOf(slot)` on.
export const MOVES = 0;       // its operations
export const ASKED = 1;       // the most that it may hold; zero while it has asked for nothing
export const HAS = 2;         // the least that it holds
export const WAY = 3;         // by which it waits now, counted from one
export const notesOf = (slot) => 16 + slot * 4;

export const PAGE = 999;      // its name among those inside

// Holds of the shared lock, in the notes.
export const SHARED = 1;
export const UPGRADEABLE = 2;
export const EXCLUSIVE = 3;

export const notesIn = (memory) => new Int32Array(memory, NOTES);
export const latchIn = (memory, generation, options) => new Latch(memory, 512 + generation % LATCHES * 4, options);

/// The primitives. They are made, in memory that is all zero, if there are `options`, one for each that needs some.
export const primitivesIn = (memory, options = {}) => ({
  lock: new AsyncLock(memory, 0, options.lock),
  condition: new Condition(memory, 8),
  sharedLock: new SharedLock(memory, 16, options.sharedLock),
  semaphore: new Semaphore(memory, 32, options.semaphore),
  event: new Event(memory, 48),
  signal: new AutoResetEvent(memory, 52),
  barrier: new Barrier(memory, 56, options.barrier),
  word: new Int32Array(memory, 64, 1),
  channel: new Channel(memory, 1024, options.channel),
});

export function makeRandom(seed) {
  let state = seed % 2147483646 + 1;
  return (below) => (state = state * 48271 % 2147483647) % below;
}

/// A function that takes by a way that is drawn, and does so again after a time-out or an abort. `block` and `promise` get
/// options; a thread has the ways of that which it may do. `noteWay` is told which, counted from one, and zero after that.
export function makeTake(random, mayBlock, mayWait, noteWay = () => {}) {
  const abortSoon = async (promise) => {
    const abortion = new AbortController();
    const attempt = promise({ signal: abortion.signal });
    if (random(2) === 0) setTimeout(() => abortion.abort(), random(3));
    else abortion.abort();
    return attempt;
  };
  const ways = [];
  if (mayBlock) ways.push((block) => block({}), (block) => block({ timeout: random(4) / 2 }));
  const late = (promise) => promise({ timeout: random(4) });
  if (mayWait) ways.push((_, promise) => promise({}), (_, promise) => late(promise), (_, promise) => abortSoon(promise));
  return async (block, promise) => {
    while (true) {
      try {
        const way = random(ways.length);
        noteWay(way + 1);
        const taken = await ways[way](block, promise);
        noteWay(0);
        if (taken !== 'timed-out' && taken?.index !== -1) return taken;
      } catch (error) {
        if (error.name !== 'TimeoutError' && error.name !== 'AbortError') throw error;
      }
    }
  };
}

/// For those who hold a lock: whether it excludes the others, and whether what it protects is whole or they were told.
export function makeTable(notes, me) {
  const note = (what) => Atomics.compareExchange(notes, WRONG, 0, what * 1000 + me);
  return {
    note,

    comeIn(wasAbandoned) {
      const inside = Atomics.exchange(notes, INSIDE, me);
      if (wasAbandoned) {
        Atomics.add(notes, TOLD, 1);
        notes[RIGHT] = notes[LEFT];
      } else if (inside !== 0) {
        note(1);
      } else if (notes[LEFT] !== notes[RIGHT]) {
        note(2);
      }
      notes[LEFT] += 1;
    },

    goOut() {
      for (let i = 0; i < 20; ++i) Atomics.load(notes, LEFT);
      notes[RIGHT] += 1;
      if (notes[LEFT] !== notes[RIGHT]) note(3);
      if (Atomics.exchange(notes, INSIDE, 0) !== me) note(4);
    },
  };
}

export const WHAT_WENT_WRONG = [
  '', 'two threads hold the lock, or an owner has ended and the next was not told',
  'the table is torn, and the owner was not told',
  'the table was changed by another meanwhile', 'two threads hold the lock', 'a reader sees a table that is torn',
  'another has written before an upgrade', 'more permits are in use than there are', 'a message is not what was sent',
];

/// A text whose length a receiver can tell.
export const textOf = (number) => 'x'.repeat(number % 40);
