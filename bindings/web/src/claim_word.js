// SPDX-License-Identifier: MIT
// The words of claims, and how long they last; src/claims.js says what claims are. A module of constants, as src/lock_word.js.

export const WAITING = 1 << 31;  // of the first word: a waiter may sleep. The sign bit, so that what is below may be added and subtracted

// The claim, zero if there is none: below, since when the waiter waits, in milliseconds of a clock that all threads share; above,
// the deadline on the same clock, zero if there is none. Both are made odd, so they are never zero: two waiters of the same two
// milliseconds share a claim.
export const CLAIM = 1;
export const SINCE = 2 ** 23 - 1;
export const HALF = 2 ** 22;    // of the difference of two: set if the second is the later one
export const DEADLINE = 23;
export const DEADLINES = 2 ** 9 - 1;

/// In the place of since when, of which it is none: of a waiter that comes before all others, for they wait for what it holds. Only one
/// at a time may be so.
export const FIRST = 2;

export const PATIENCE = 2;              // milliseconds
export const LEASE = 128;               // milliseconds until the deadline: a page that computes for longer may lose its claim
