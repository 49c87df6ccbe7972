// SPDX-License-Identifier: MIT
// The words of a SharedLock: one that says who holds it, with WAITING, and the claim. A module of constants, as
// src/lock_word.js.

export const SIZE = 8;

// The modes: what a hold adds to the first word.
export const SHARED = 1;
export const UPGRADEABLE = 1 << 28;
export const EXCLUSIVE = 1 << 29;

export const READERS = (1 << 28) - 1;  // how many hold it shared
export const STRICT = 1 << 30;
