// SPDX-License-Identifier: MIT
// The word of the lock, and how long its waiters wait for what. Nothing is imported here: esbuild puts the values of such a module's
// constants in the place of their names.

// The word. Its bits are this package's own, and not those of futon::AsyncLock. The lock is free (neither HELD nor HANDED), held
// (HELD), offered to the waiter that has just been woken (both), or kept for the promise that has reserved it (HANDED).
export const HELD = 1;
export const HAS_WAITERS = 2;    // never clear while a waiter is queued and no thread is about to wake it
export const STRICT = 4;         // each unlock hands the lock off
export const STARVING = 8;       // the next unlock hands it off
export const HANDED = 16;
export const RESERVED = 32;      // a promise came too late for its offer: an unlock after a time keeps the lock for it
export const LENGTH = 7 << 6;    // how long that lasts, in a strict lock any offer: 2 << n milliseconds; zero if none has asked
export const FROM = 255 << 9;    // of a reservation: its time, in units of 2 ms; in a strict lock its thread; zero if it was given back
export const TIME = 8191 << 17;  // when an offer expires, in milliseconds
export const TAG = FROM | TIME;  // the owner: its thread's number, and its acquisition unless the lock is reserved; zero while it is free
export const ABANDONED = -1 << 30;  // a thread ended while it held the lock, and no owner since has looked; two bits, for engines box others
export const STATE = HELD | HANDED;
export const KEPT = HAS_WAITERS | STRICT | STARVING | ABANDONED;
export const VAIN = 1 << 6;      // the least LENGTH: an offer has expired in vain

export const THRESHOLD = 1;      // milliseconds: the handoff threshold, and how long an offer lasts in a lock that is not strict
export const LONGEST = 256;      // milliseconds that an offer lasts at most; in a strict lock where only threads are queued, for those come
export const POLL = 2;           // milliseconds between looks at what may be handed to a promise of a thread that is blocked
export const WATCH = 16;         // milliseconds at most between looks at an offer
export const SLACK = 24;         // milliseconds after an offer until a blocked thread looks, which loses its place then
export const CROWD = 16;         // waiters that are woken together after an offer in vain, in a strict lock after two
export const IDLE = 1.5;         // milliseconds: turns of a thread that does nothing are shorter
export const PATIENCE = 15;      // milliseconds that a promise waits at least before it has the lock kept idle
export const LOOKS = 32;         // turns for which it looks before it is queued again
