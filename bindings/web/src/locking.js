// SPDX-License-Identifier: MIT
// The protocol of the lock: what its word says, and each change of it. tests/promela/engine_lock.pml is its model.

import { compareExchange, load, now } from './engine.js';
import { noteNested } from './nested_lock.js';
import { abortable, Wait } from './pending.js';
import { block, enqueue, wake } from './queue.js';

// The word. Its bits are this package's own, and not those of futon::AsyncLock.
const HELD = 1;
const HAS_WAITERS = 2;  // never clear while a waiter is queued and no thread is about to wake it
const STRICT = 4;       // each unlock hands the lock off
const STARVING = 8;     // the next unlock hands it off
const HANDED = 16;      // held for the waiter that has just been woken: an offer, and the rest of the word is its time
const TAG = 0x3fffffe0; // else the rest is the owner's acquisition, zero while the lock is free; larger numbers are boxed by engines

const THRESHOLD = 1;    // milliseconds: the handoff threshold, and how long an offer is good
const POLL = 2;         // milliseconds until an offer of now has expired, for the clock has whole ones

// Acquisitions are told apart by their tags, those of other threads, too: each thread begins at random.
let lastTag = Math.random() * 2 ** 30;
const makeTag = () => (lastTag = (lastTag + 32 & TAG) || 32);

// The clock that all threads share.
const makeOffer = (seen) => (seen & ~TAG) | HELD | HANDED | (Date.now() << 5 & TAG);
const isExpired = (seen) => ((Date.now() - (seen >> 5)) & TAG >> 5) > THRESHOLD;
const canTake = (seen) => !(seen & HELD) || (seen & HANDED && isExpired(seen));

/// A lock as this thread sees it, the same for all its AsyncLock objects.
function makeState(buffer, byteOffset) {
  const word = new Int32Array(buffer, byteOffset, 1);
  let free = 0;            // the word of the free lock as it was last seen: zero or STRICT
  let held = 0;            // the tag of this thread's acquisition, until it is released here
  let pending = 0;         // places of this thread's promises in the queue, those that were given up included
  let isWatching = false;

  const change = (from, to) => compareExchange(word, 0, from, to) === from;

  const isOwnedBy = (tag = held) => (load(word, 0) & (TAG | HELD | HANDED)) === (tag | HELD);

  /// Before the lock is used; returns whether it is strict then.
  const makeStrict = () => change(0, STRICT) || (load(word, 0) & STRICT) !== 0;

  // Each function that takes the lock returns the tag of the acquisition; zero if it has not taken it.

  /// Takes the lock if it is free or its offer has expired.
  const take = (bits = 0) => {
    const tag = makeTag();
    let seen = compareExchange(word, 0, free, free | HELD | bits | tag);
    if (seen === free) return held = tag;
    while (canTake(seen)) {
      const old = compareExchange(word, 0, seen, (seen & (HAS_WAITERS | STRICT | STARVING)) | HELD | bits | tag);
      if (old === seen) {
        free = seen & STRICT;
        return held = tag;
      }
      seen = old;
    }
    return 0;
  };

  /// Takes what is handed to a woken waiter. One that has not waited for long ends the starvation.
  const takeHanded = (starvesAt, bits) => {
    const tag = makeTag();
    for (let seen; (seen = load(word, 0)) & HANDED;)
      if (change(seen, (seen & (now() < starvesAt ? STRICT : STRICT | STARVING)) | HELD | bits | tag)) return held = tag;
    return 0;
  };

  /// A woken promise may be late, because its thread computes. Then this thread wakes the next waiter, if its own loop runs; and
  /// so does each thread that comes for the lock meanwhile.
  const watchSoon = () => {
    // If this thread itself was late, what has come for it meanwhile runs before the second timer does.
    if (!isWatching) setTimeout(() => setTimeout(watch), POLL);
    return isWatching = true;
  };

  const watch = () => {
    isWatching = false;
    const seen = load(word, 0);
    if (!(seen & HAS_WAITERS)) return;
    if (!canTake(seen)) seen & HANDED && watchSoon();
    else if (!(seen & HELD) || change(seen, makeOffer(seen))) wakeOne();
  };

  const wakeOne = () => wake(word, 0, 1) > 0 && watchSoon();

  /// A waiter that was woken does not take the lock, so its wake-up goes to the next: at once if the lock is free, else by its owner.
  const passOn = () => {
    for (let seen; (seen = load(word, 0)) & HELD;) if (seen & HAS_WAITERS || change(seen, seen | HAS_WAITERS)) return;
    wakeOne();
  };

  /// Releases the acquisition, any if there is no tag. Returns whether the lock was held so.
  const release = (tag) => {
    const known = tag ?? held;
    if (known && change(free | HELD | known, free)) {
      if (held === known) held = 0;
      return true;
    }
    for (let seen; ((seen = load(word, 0)) & (HELD | HANDED)) === HELD && (tag ?? seen & TAG) === (seen & TAG);) {
      const isHandoff = seen & HAS_WAITERS && seen & (STRICT | STARVING);
      const left = isHandoff ? makeOffer(seen) : seen & (HAS_WAITERS | STRICT);
      if (!change(seen, left)) continue;
      if (held === (seen & TAG)) held = 0;
      if (!(seen & HAS_WAITERS) || wakeOne()) return true;
      if (!isHandoff) {
        change(left, left & ~HAS_WAITERS);
        return true;
      }
      // No waiter was queued to hand it to. One that was woken before may have taken it all the same.
      tag = takeHanded(Infinity, 0);
      if (!tag) return true;
      wake(word, 0, 1);  // a waiter that was queued before the bit was cleared competes
    }
    return false;
  };

  /// A waiter, which is given up if it is a promise and `isGivenUp` says so. The function is told how the last wait has ended. It
  /// gives the word to wait at and for how long; or when it is done the tag, zero if it has not taken the lock.
  const makeWaiter = (timeout, isGivenUp) => {
    const until = now() + timeout;
    const starvesAt = load(word, 0) & STRICT ? Infinity : now() + THRESHOLD;
    let hasPlaces = false;
    let bits = 0;
    return (result) => {
      if (result === 'ok') bits = HAS_WAITERS;  // more may be queued: it sets the bit when it takes the lock
      if ((result === 'ok' || hasPlaces) && takeHanded(starvesAt, HAS_WAITERS)) return held;
      while (!isGivenUp?.()) {
        if (take(bits)) return held;
        const seen = load(word, 0);
        const wanted = seen | HAS_WAITERS | (bits && now() >= starvesAt ? STARVING : 0);
        if (canTake(seen) || (wanted !== seen && !change(seen, wanted))) continue;
        const left = until - now();
        if (left <= 0) break;
        // What is handed to a promise of this thread, a call that blocks has to take; an offer to another has to be watched.
        hasPlaces = !isGivenUp && pending > 0;
        return [wanted, hasPlaces || seen & HANDED ? Math.min(left, POLL) : left];
      }
      if (bits) passOn();
      return 0;
    };
  };

  return {
    word, isOwnedBy, makeStrict, take, release, running: undefined,
    lock: (timeout) => block(word, makeWaiter(timeout)),

    /// A promise of the acquisition's tag, for a function of the program's that is called `name`.
    acquire(read, name) {
      return abortable(new Wait(), read, async (refuse, isGivenUp) => {
        if (read.timeout > 0) noteNested(this, refuse, name);
        ++pending;
        try {
          const next = makeWaiter(read.timeout, isGivenUp);
          let step = next();
          while (step.length) step = next(await enqueue(word, 0, ...step).value);
          return step;
        } finally {
          --pending;
        }
      }, release);
    },
  };
}

const states = new WeakMap();

/// The state of the lock in this thread.
export function stateOf(buffer, byteOffset) {
  if (!states.has(buffer)) states.set(buffer, {});
  return states.get(buffer)[byteOffset] ??= makeState(buffer, byteOffset);
}
