// SPDX-License-Identifier: MIT
// The words of a channel and its messages. A module of constants, as src/lock_word.js.

// The words: a count of changes, at which all sleep; where the first message begins, and where the next one will, in units of
// eight bytes, modulo a multiple of the capacity; the capacity, in these units; and the number of the thread that sends, zero
// if none does. The ring follows.
export const HEAD = 1;
export const TAIL = 2;
export const UNITS = 3;
export const SENDER = 4;
export const SIZE = 32;

export const CLOSED = 1 << 29;     // of TAIL, so that no message follows a close
export const MOST = 2 ** 31 - 8;   // bytes of the ring

// The kinds of messages of the codec that a channel has by itself. The JSON text of undefined is empty.
export const BYTES = 0;
export const NUMBER = 1;
export const TEXT = 2;
export const JSON_TEXT = 3;

// What comes of an attempt to send or to receive that has to wait: for how many milliseconds to sleep at most. While another
// sends one has to look now and then, for that may end with its thread.
export const LATER = 1000;         // LONGEST_SLEEP
export const BUSY = 1;

// Tries of a call that does not wait: more than a copy takes, but a thread may stand still in the middle of one.
export const TRIES = 1000;
