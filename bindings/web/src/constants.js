// SPDX-License-Identifier: MIT
// Numbers of several modules. Nothing is imported here, and so esbuild puts the values in the place of the names: a constant that
// is declared below a module's imports stays a variable. The words of locks and claims are in lock_word.js and claim_word.js.

// How long the turns of an event loop are (pace.js).
export const DEATH = 256;         // milliseconds: what takes longer is no turn, but a dialog, a stop or a timer that the engine holds back
export const LAPSE = 0.98;        // what a turn leaves of a longer one before

// What is pending (pending.js).
export const LONGEST_TIMER = 2 ** 31 - 1;  // milliseconds

// Threads that end (threads.js).
export const WATCHED = 4096;      // numbers below this one are of threads whose end is noticed; each is of one thread of the origin
export const ATTEMPTS = 32;       // numbers to try: others may be taken

// The state of a sleeper's wait, which both sides change (sleeper.js).
export const STARTING = 0;
export const SLEEPING = 1;        // or about to sleep
export const OVER = 3;            // 2: the word had changed before it slept

// Milliseconds that a call waits at most for a sleeper to go to sleep, which takes some microseconds on a machine that is not busy.
export const LONGEST_SPIN = 2;    // in a thread that must not block, for the sake of other threads alone
export const LONGEST_BLOCK = 1000;  // in one that may; and in any if a wake-up would be lost else

// Milliseconds that a waiter of the family sleeps at most (place.js).
export const LONGEST_SLEEP = 1000;
