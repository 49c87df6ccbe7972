// SPDX-License-Identifier: MIT
// The words of the primitives besides AsyncLock.

import { compareExchange, load } from './engine.js';

export const change = (words, index, from, to) => compareExchange(words, index, from, to) === from;

/// Changes the first word as `step` says, which returns undefined if it cannot be. Returns what the word was, or undefined.
export function update(words, step) {
  while (true) {
    const seen = load(words, 0);
    const next = step(seen);
    if (next === undefined) return undefined;
    if (change(words, 0, seen, next)) return seen;
  }
}
