// SPDX-License-Identifier: MIT
// The protocol of the lock: what its word says, and each change of it. tests/promela/engine_lock.pml is its model.

import { compareExchange, load, now } from './engine.js';
import {
  ABANDONED, CROWD, FROM, HANDED, HAS_WAITERS, HELD, IDLE, KEPT, LENGTH, LONGEST, LOOKS, PATIENCE, POLL, RESERVED, SLACK, STARVING, STATE,
  STRICT, TAG, THRESHOLD, TIME, VAIN, WATCH,
} from './lock_word.js';
import { noteNested } from './nested_lock.js';
import { afterTurn, expected, isHidden, pace } from './pace.js';
import { pending } from './pending.js';
import { block, enqueue, wake, wakeAll } from './queue.js';
import { endWith, isLeft, number, watch } from './threads.js';

// Acquisitions are told apart by their tags: the number of their thread, and 17 bits that count, of which the word has the upper 8 at
// most. Engines box numbers of more bits than the word has.
let count = Math.random() * 2 ** 17;
const thread = 1 + Math.random() * 255 << 9;
const makeTag = () => (count = count + 0x3579 & 0x1ffff) | number << 17;
const tagBits = (seen) => (seen & RESERVED ? TIME : TAG);
const hasTag = (seen, tag) => !((seen ^ tag) & tagBits(seen));
const owned = (rest, tag) => rest | HELD | (tag & tagBits(rest));

const notesOf = (seen) => seen & (seen & RESERVED ? RESERVED | LENGTH | FROM : LENGTH);
// More than VAIN.
const lengthOf = (milliseconds) => Math.min(7, 31 - Math.clz32(milliseconds | 4)) << 6;

// While the lock is held a reservation has bits of the owner's tag. So one that is given back stays in the word, but is not due.
const isLive = (seen) => seen & RESERVED && seen & FROM;

/// Asks, in a strict lock, for offers that are as long as this thread's turns.
const ask = (seen) => (seen & STRICT ? (seen & ~LENGTH) | Math.max(seen & LENGTH, lengthOf(pace * 1.1)) : seen);

// The clock that all threads share.
const makeOffer = (seen, state) => (seen & KEPT) | notesOf(seen) | state | (Date.now() + 1 +
  (state & HELD && !(seen & STRICT) ? THRESHOLD : 2 << (seen >> 6 & 7 || 7)) << 17 & TIME);
const restOf = (seen) => {
  const rest = (seen >> 17) - Date.now() & TIME >> 17;
  return rest > LONGEST + 1 ? 0 : rest;
};
const isDue = (seen) => isLive(seen) && (seen & STRICT || !(Date.now() / 2 - (seen >> 9) & 128));
const canTake = (seen) => !(seen & STATE) || (seen & HANDED && !restOf(seen));

/// A lock as this thread sees it, the same for all its AsyncLock objects.
function makeState(name, word) {
  let free = 0;            // the word of the free lock as it was last seen: zero, STRICT, or ABANDONED besides
  let held = 0;            // the tag of this thread's acquisition, until it is released here
  let waiting = 0;         // this thread's promises that wait, and their places that were given up
  let reservation;         // FROM of this thread's reservation, if it has made one
  let looked = 0;          // the tag of this thread's acquisition that has found the lock abandoned
  let isWatching = false;
  // This thread's promises that are not in the queue but look after each turn, in their order: what tells whether one is given up,
  // and what ends its turn.
  const late = new Map();

  const change = (from, to) => compareExchange(word, 0, from, to) === from;
  const isReserved = (seen) => seen & RESERVED && (seen & FROM) === reservation;

  const owns = (tag = held) => {
    const seen = load(word, 0);
    return tag === held && (seen & STATE) === HELD && hasTag(seen, tag);
  };

  /// What is left of the word when the lock is taken. After an offer in vain the next are short, for its promise may not run again.
  const remains = (seen, isVain) => (seen & KEPT) |
    (isLive(seen) && (seen & STATE) !== HANDED && !isReserved(seen) ? notesOf(seen) : isVain ? VAIN : seen & STRICT && seen & LENGTH);

  // Each function that takes the lock returns the tag of the acquisition; zero if it has not taken it.

  /// Takes the lock if it is free, or its offer has expired. From that a strict lock goes to the next in the queue.
  const take = (bits = 0) => {
    if (isLeft) return 0;
    const tag = makeTag();
    let seen = compareExchange(word, 0, free, free | HELD | bits | (tag & TAG));
    if (seen === free) return held = tag;
    while (canTake(seen)) {
      if (seen & HANDED && seen & STRICT && seen & HAS_WAITERS) return offerNext(seen) ? 0 : takeBack();
      const old = compareExchange(word, 0, seen, owned(remains(seen, seen & HANDED) | bits, tag));
      if (old === seen) {
        free = seen & (STRICT | ABANDONED);
        return held = tag;
      }
      seen = old;
    }
    return 0;
  };

  /// Takes what is offered to a woken waiter, if this may be it, or kept for this thread. One that has not waited for long ends the
  /// starvation.
  const takeHanded = (isWoken, starvesAt, bits) => {
    const tag = makeTag();
    for (let seen; (seen = load(word, 0)) & HANDED && (seen & HELD ? isWoken : isReserved(seen));) {
      const dropped = (seen & HELD && HAS_WAITERS) | (now() < starvesAt && STARVING);
      if (change(seen, owned((remains(seen) & ~dropped) | bits, tag))) return held = tag;
    }
    return 0;
  };

  /// Takes what was offered while no waiter was queued. One that was woken before may have taken it all the same.
  const takeBack = () => {
    const tag = takeHanded(true, Infinity, 0);
    if (tag) wake(word, 0, 1);  // a waiter that was queued before the bit was cleared competes
    return tag;
  };

  /// Returns whether there was one. After an offer in vain it wakes several: so many promises of a thread that does not run cost one
  /// long offer and a few short ones.
  const wakeNext = (seen) => wake(word, 0, (seen & (LENGTH | HELD)) === (VAIN | HELD) ? CROWD : 1) > 0 && watchSoon();

  /// Offers to the next what was offered in vain; returns whether there may be one.
  const offerNext = (seen) => !change(seen, makeOffer(remains(seen, true), STATE)) || wakeNext(seen);

  /// A woken promise may be late, because its thread computes. Then this thread wakes the next waiter, if its own loop runs; and
  /// so does each thread that comes for the lock meanwhile.
  const watchSoon = () => {
    const seen = load(word, 0);
    // If this thread itself was late, what has come for it meanwhile runs before the second timer does.
    if (!isWatching) setTimeout(() => setTimeout(watch), seen & HANDED ? Math.min(restOf(seen), WATCH) : POLL);
    return isWatching = true;
  };

  const watch = () => {
    isWatching = false;
    const seen = load(word, 0);
    if (!(seen & HAS_WAITERS)) return;
    if (!canTake(seen)) seen & HANDED && watchSoon();
    else if (seen & HANDED) offerNext(seen);
    else wakeNext();
  };

  /// A waiter that was woken does not take the lock, so its wake-up goes to the next: at once if the lock is free, else by its owner.
  const passOn = () => {
    for (let seen; (seen = load(word, 0)) & STATE;) if (seen & HAS_WAITERS || change(seen, seen | HAS_WAITERS)) return;
    wakeNext();
  };

  /// Releases the acquisition of a tag, any if there is none. Returns whether the lock was held so.
  const letGo = (tag) => {
    const known = tag ?? held;
    if (known && change(free | HELD | (known & TAG), free)) {
      if (held === known) held = 0;
      return true;
    }
    for (let seen; ((seen = load(word, 0)) & STATE) === HELD && hasTag(seen, tag ?? seen);) {
      const isKept = isDue(seen);
      const isHandoff = seen & HAS_WAITERS && seen & (STRICT | STARVING);
      const left = isKept || isHandoff ? makeOffer(seen, isKept ? HANDED : STATE) :
        (seen & (HAS_WAITERS | STRICT | ABANDONED)) | (isLive(seen) && notesOf(seen));
      if (!change(seen, left)) continue;
      if (hasTag(seen, held)) held = 0;
      if (isKept) return watchSoon();
      if (!(seen & HAS_WAITERS) || wakeNext(seen & STRICT ? 0 : seen)) return true;
      if (!isHandoff) {
        change(left, left & ~HAS_WAITERS);
        return true;
      }
      tag = takeBack();
      if (!tag) return true;
    }
    return false;
  };

  /// The same of this thread's acquisitions.
  const release = (tag) => (tag === undefined || tag === held) && letGo(tag);

  /// After the first turn of a wait, how long turns are is known better.
  const askAgain = () => {
    const seen = load(word, 0);
    if (seen & HAS_WAITERS) change(seen, ask(seen));
  };

  /// Has the lock kept for this thread's next look, if no other promise has it kept. Returns whether that is so.
  const reserve = (waited, tries) => {
    const seen = load(word, 0);
    if (!(seen & STATE) || (isLive(seen) && !isReserved(seen))) return false;
    let from = thread;
    let wanted = ask(seen);
    if (!(seen & STRICT)) {
      // It is not known how long owners hold the lock: so at first little idleness is asked for, then more, if need be a sixth of
      // the wait.
      const budget = Math.min(waited / 6, Math.max(2, expected / 8) * 2 ** tries);
      from = (Date.now() + Math.max(0, expected - budget + 1)) / 2 << 9 & FROM || 1 << 9;
      wanted = (seen & ~LENGTH) | lengthOf(Math.min(budget, expected) + expected / 4 + 1);
    }
    wanted = (wanted & ~FROM) | RESERVED | from;
    if (!change(seen, wanted)) return false;
    reservation = from;
    return true;
  };

  /// A waiter, which is given up if it is a promise and `isGivenUp` says so. The function is told how the last wait has ended. It
  /// gives the word to wait at and for how long; if it is a promise, what to await; or when it is done the tag, zero if it has not
  /// taken the lock.
  const makeWaiter = (timeout, isGivenUp) => {
    const since = now();
    const starvesAt = load(word, 0) & STRICT ? Infinity : since + THRESHOLD;
    let looks = 0;
    let tries = 0;   // reservations
    let alarms = 0;  // time-outs after which the offer had been taken
    let hasPlaces = false;
    let bits = 0;

    /// Waits for the next turn.
    const look = () => {
      ++looks;
      return new Promise((resolve) => {
        late.set(isGivenUp, resolve);
        afterTurn(resolve);
      });
    };
    /// Looks no more. The last of this thread's promises that did gives its reservation back.
    const leave = () => {
      late.delete(isGivenUp);
      if (late.size) return;
      for (let seen; isReserved(seen = load(word, 0));) if (change(seen, seen & ~FROM) && seen & HANDED) watchSoon();
      reservation = undefined;
    };
    /// Of this thread's promises the first that is late, and not given up, gets what another has taken.
    const finish = (tag) => {
      if (isGivenUp) for (const [isOver, resolve] of late) {
        if (isOver()) continue;
        if (isOver === isGivenUp) break;
        late.delete(isOver);
        resolve(tag);
        return look();
      }
      leave();
      return tag;
    };

    return (result) => {
      if (result > 0) return leave(), result;
      if (result === 'ok') bits = HAS_WAITERS;  // more may be queued: it sets the bit when it takes the lock
      if (result === 'timed-out' && !canTake(load(word, 0))) ++alarms;
      if (takeHanded(result === 'ok' || hasPlaces, starvesAt, hasPlaces ? HAS_WAITERS : bits)) return finish(held);
      while (!isGivenUp?.()) {
        if (take(bits)) return finish(held);
        const seen = load(word, 0);
        if (canTake(seen)) continue;
        const waited = now() - since;
        const left = timeout - waited;
        if (left <= 0) break;

        // A promise that is late in a strict lock, or in another one whose thread is busy, looks after each turn: an offer to it
        // would be in vain.
        if (isGivenUp && looks < LOOKS && !isHidden() &&
          (seen & STRICT ? bits && (!looks || expected) : Math.max(expected, looks ? 0 : pace) > IDLE)) {
          if (bits && !(seen & HAS_WAITERS) && !change(seen, seen | HAS_WAITERS)) continue;
          if ([...late.keys(), isGivenUp][0] === isGivenUp && (seen & STRICT || waited > PATIENCE)) tries += reserve(waited, tries);
          return look();
        }

        leave();
        const wanted = (isGivenUp ? ask(seen) : seen) | HAS_WAITERS | (bits && now() >= starvesAt && STARVING);
        if (!change(seen, wanted)) continue;
        if (isGivenUp) {
          looks = 0;
          if (seen & HANDED) watchSoon();
          afterTurn(askAgain);
          return enqueue(word, 0, wanted, left).value;
        }
        // What is handed to a promise of this thread, a call that blocks has to take; an offer to another has to be watched.
        hasPlaces = waiting > 0;
        const slack = seen & STRICT && (seen & LENGTH) !== VAIN && SLACK;
        return [wanted, Math.min(left, hasPlaces ? POLL : seen & HANDED ? (restOf(seen) + slack) * 2 ** alarms : left)];
      }
      leave();
      if (bits) passOn();
      return 0;
    };
  };

  return {
    name, words: word, owns, take, release, makeWaiter,

    /// Before the lock is used; returns whether it is strict then.
    /// Returns whether the lock is as is said; a free one is made so.
    makeStrict: (strict) => (strict && change(0, STRICT)) || !(load(word, 0) & STRICT) !== strict,

    lock: (timeout) => block(word, makeWaiter(timeout)),

    /// Whether that acquisition is the first since a thread ended that has looked; it may look more than once.
    wasAbandoned(tag = held) {
      for (let seen; owns(tag) && (seen = load(word, 0)) & ABANDONED;) if (change(seen, seen & ~ABANDONED)) looked = tag;
      return tag > 0 && looked === tag;
    },

    /// The thread of that number has ended: releases what it held, and sees to an offer to it. It may have ended in `takeBack`, before
    /// it woke a waiter, so there may be one even if HAS_WAITERS is clear.
    abandon(ended) {
      for (let seen; ((seen = load(word, 0)) & STATE) === HELD && (seen & TIME) >> 17 === ended;)
        if (change(seen, seen | ABANDONED | HAS_WAITERS)) return letGo(seen & TAG);
      if (load(word, 0) & HAS_WAITERS) watchSoon();
    },

    /// A promise of the acquisition's tag, for a function of the program's that is called `name`.
    acquire(read, name) {
      return pending(read, async (resolve, refuse, isGivenUp) => {
        if (read.timeout > 0) noteNested(this, refuse, name);
        const end = endWith(name, (error) => {
          refuse(error);
          for (const endTurn of late.values()) endTurn();
          wakeAll(word);  // the code of a frame that is gone may not run, and would swallow a wake-up
        });
        ++waiting;
        try {
          const next = makeWaiter(read.timeout, isGivenUp);
          let step = next();
          while (typeof step !== 'number') step = next(await step);
          // At once: before the next microtask of this thread, which may block for the lock.
          if (isGivenUp()) release(step);
          else resolve(step);
        } catch (error) {
          refuse(error);
        }
        --waiting;
        end();
      });
    },
  };
}

const states = new WeakMap();

/// The state of the lock in this thread.
export function stateOf(name, words) {
  const { buffer, byteOffset } = words;
  if (!states.has(buffer)) states.set(buffer, {});
  return states.get(buffer)[byteOffset] ??= watch(makeState(name, words));
}
