// SPDX-License-Identifier: MIT
// The protocol of the lock: what its word says, and each change of it. tests/promela/engine_lock.pml is its model.

import { compareExchange, engineWait, load, now } from './engine.js';
import { enqueue, wake } from './queue.js';

// The word. The first three bits are those of futon::AsyncLock.
const HELD = 1;
const HAS_WAITERS = 2;  // never clear while a waiter is queued and no thread is about to wake it
const STRICT = 4;       // each unlock hands the lock off
const STARVING = 8;     // the next unlock hands it off
const HANDED = 16;      // held for the waiter that has just been woken: an offer, and the rest of the word is its time
const TAG = -32;        // else the rest is the owner's acquisition, zero while the lock is free

const THRESHOLD = 1;    // milliseconds: the handoff threshold, and how long an offer is good
const POLL = 2;         // milliseconds until an offer of now has expired, for the clock has whole ones

// Acquisitions are told apart by their tags, those of other threads, too: each thread begins at random.
let lastTag = (Math.random() * 2 ** 27) << 5;
const makeTag = () => (lastTag = (lastTag + 32 | 0) || 32);

// The clock that all threads share.
const makeOffer = (seen) => (seen & ~TAG) | HELD | HANDED | Date.now() << 5;
const isExpired = (seen) => ((Date.now() - (seen >>> 5)) & 0x7ffffff) > THRESHOLD;
const canTake = (seen) => (seen & HELD) === 0 || ((seen & HANDED) !== 0 && isExpired(seen));

/// A lock as this thread sees it, the same for all its AsyncLock objects.
class LockState {
  word;
  held = 0;            // the tag of this thread's acquisition, until it is released here
  running = undefined; // the LockedCall whose callback runs
  #pending = 0;        // places of this thread's promises in the queue, those that were given up included
  #isWatching = false;

  constructor(buffer, byteOffset) {
    this.word = new Int32Array(buffer, byteOffset, 1);
  }

  makeStrict() {
    const seen = compareExchange(this.word, 0, 0, STRICT);
    return seen === 0 || (seen & STRICT) !== 0;
  }

  isOwnedBy(tag) {
    return (load(this.word, 0) & (TAG | HELD | HANDED)) === (tag | HELD);
  }

  #change(from, to) {
    return compareExchange(this.word, 0, from, to) === from;
  }

  #own(tag) {
    this.held = tag;
    return tag;
  }

  // Each function that takes the lock returns the tag of the acquisition; zero if it has not taken it.

  /// Takes the lock if it is free or its offer has expired.
  take(bits = 0) {
    const tag = makeTag();
    let seen = compareExchange(this.word, 0, 0, HELD | bits | tag);
    if (seen === 0) return this.#own(tag);
    while (canTake(seen)) {
      const old = compareExchange(this.word, 0, seen, (seen & (HAS_WAITERS | STRICT | STARVING)) | HELD | bits | tag);
      if (old === seen) return this.#own(tag);
      seen = old;
    }
    return 0;
  }

  /// Takes what is handed to the woken waiter. It sets the bit, for more may be queued; and one that has not waited for long ends
  /// the starvation.
  #takeHanded(starvesAt) {
    const tag = makeTag();
    for (let seen = load(this.word, 0); (seen & HANDED) !== 0; seen = load(this.word, 0)) {
      const kept = (seen & STARVING) !== 0 && now() < starvesAt ? STRICT : STRICT | STARVING;
      if (this.#change(seen, (seen & kept) | HELD | HAS_WAITERS | tag)) return this.#own(tag);
    }
    return 0;
  }

  /// No waiter was queued to hand it to. One that was woken before may have taken it all the same.
  #takeBack() {
    const tag = makeTag();
    for (let seen = load(this.word, 0); (seen & HANDED) !== 0; seen = load(this.word, 0))
      if (this.#change(seen, (seen & STRICT) | HELD | tag)) return this.#own(tag);
    return 0;
  }

  /// Releases the acquisition, any if the tag is zero. Returns whether the lock was held so.
  release(tag) {
    const held = tag || this.held;
    if (held !== 0 && compareExchange(this.word, 0, held | HELD, 0) === (held | HELD)) {
      if (this.held === held) this.held = 0;
      return true;
    }
    while (true) {
      const seen = load(this.word, 0);
      if ((seen & (HELD | HANDED)) !== HELD || (tag !== 0 && (seen & TAG) !== tag)) return false;
      const free = seen & (HAS_WAITERS | STRICT);
      if ((seen & HAS_WAITERS) === 0) {
        if (!this.#change(seen, free)) continue;
        this.#forget(seen);
        return true;
      }
      if ((seen & (STRICT | STARVING)) !== 0) {
        if (!this.#change(seen, makeOffer(seen))) continue;
        this.#forget(seen);
        if (this.#wakeOne()) return true;
        tag = this.#takeBack();
        if (tag === 0) return true;
        wake(this.word, 0, 1);  // a waiter that was queued before the bit was cleared competes
      } else {
        if (!this.#change(seen, free)) continue;
        this.#forget(seen);
        if (!this.#wakeOne()) this.#change(free, free & ~HAS_WAITERS);
        return true;
      }
    }
  }

  #forget(seen) {
    if (this.held === (seen & TAG)) this.held = 0;
  }

  /// A woken promise may be late, because its thread computes. Then this thread wakes the next waiter, if its own loop runs; and
  /// so does each thread that comes for the lock meanwhile.
  #wakeOne() {
    if (wake(this.word, 0, 1) === 0) return false;
    this.#watchSoon();
    return true;
  }

  #watchSoon() {
    if (this.#isWatching) return;
    this.#isWatching = true;
    setTimeout(() => {
      this.#isWatching = false;
      this.#watch();
    }, POLL);
  }

  #watch() {
    const seen = load(this.word, 0);
    if ((seen & HAS_WAITERS) === 0) return;
    if ((seen & HELD) === 0) {
      this.#wakeOne();
    } else if ((seen & HANDED) !== 0) {
      if (!isExpired(seen)) {
        this.#watchSoon();
      } else if (this.#change(seen, makeOffer(seen))) {
        this.#wakeOne();
      }
    }
  }

  /// A wake-up that is not used goes to the next waiter: at once if the lock is free, else by its owner.
  #passOn() {
    while (true) {
      const seen = load(this.word, 0);
      if ((seen & HELD) === 0) return void this.#wakeOne();
      if ((seen & HAS_WAITERS) !== 0 || this.#change(seen, seen | HAS_WAITERS)) return;
    }
  }

  /// Takes the lock and returns zero; or sets the bits of a waiter, and returns the word that it waits at.
  #prepare(bits, starvesAt) {
    while (this.take(bits) === 0) {
      const seen = load(this.word, 0);
      if (canTake(seen)) continue;
      const wanted = seen | HAS_WAITERS | (bits !== 0 && now() >= starvesAt ? STARVING : 0);
      if (wanted === seen || this.#change(seen, wanted)) return wanted;
    }
    return 0;
  }

  #starvesAt() {
    return (load(this.word, 0) & STRICT) !== 0 ? Infinity : now() + THRESHOLD;
  }

  /// Blocks until it has taken the lock; returns zero if the time-out is over before.
  lock(timeout) {
    const until = now() + timeout;
    const starvesAt = this.#starvesAt();
    for (let bits = 0; ;) {
      const seen = this.#prepare(bits, starvesAt);
      if (seen === 0) return this.held;
      const left = until - now();
      if (left <= 0) {
        if (bits !== 0) this.#passOn();
        return 0;
      }
      // What is handed to a promise of this thread, this call has to take; an offer to another has to be watched.
      const hasPlaces = this.#pending > 0;
      const result = engineWait(this.word, 0, seen, hasPlaces || (seen & HANDED) !== 0 ? Math.min(left, POLL) : left);
      if (result === 'ok') bits = HAS_WAITERS;
      if (result === 'ok' || hasPlaces) {
        const tag = this.#takeHanded(starvesAt);
        if (tag !== 0) return tag;
      }
    }
  }

  /// The same without blocking: calls `done` with the tag, zero if the time is over, or with an error. Returns what gives the wait
  /// up: then `done` is not called, and what comes to its place in the queue goes to the next waiter.
  enqueue(timeout, done) {
    const until = now() + timeout;
    const starvesAt = this.#starvesAt();
    let bits = 0;
    let isGivenUp = false;
    const end = (tag, error) => {
      --this.#pending;
      if (isGivenUp) {
        if (tag !== 0) this.release(tag);
      } else {
        isGivenUp = true;
        done(tag, error);
      }
    };
    const compete = () => {
      while (true) {
        if (isGivenUp) {
          if (bits !== 0) this.#passOn();
          return end(0);
        }
        const seen = this.#prepare(bits, starvesAt);
        if (seen === 0) return end(this.held);
        const left = until - now();
        const answer = left <= 0 ? undefined : enqueue(this.word, 0, seen, (seen & HANDED) !== 0 ? Math.min(left, POLL) : left);
        if (answer?.async) return void answer.value.then(arrive, (error) => end(0, error));
        if (left <= 0) {
          if (bits !== 0) this.#passOn();
          return end(0);
        }
      }
    };
    const arrive = (result) => {
      if (result === 'ok') {
        bits = HAS_WAITERS;
        const tag = this.#takeHanded(starvesAt);
        if (tag !== 0) return end(tag);
      }
      return compete();
    };
    ++this.#pending;
    compete();
    return () => {
      if (isGivenUp) return false;
      return isGivenUp = true;
    };
  }
}

const states = new WeakMap();

/// The state of the lock in this thread.
export function stateOf(buffer, byteOffset) {
  let ofBuffer = states.get(buffer);
  if (ofBuffer === undefined) states.set(buffer, ofBuffer = new Map());
  let state = ofBuffer.get(byteOffset);
  if (state === undefined) ofBuffer.set(byteOffset, state = new LockState(buffer, byteOffset));
  return state;
}
