// SPDX-License-Identifier: MIT
// The changes of a word, one after the other.

import { waitAsync } from './atomics.js';
import { toIndex } from './coerce.js';
import { readWaitOptions } from './option_bag.js';
import { nextTurn } from './turns.js';

async function* follow(typedArray, index, options) {
  let value = Atomics.load(typedArray, index);
  yield value;
  while (true) {
    const turn = nextTurn(options.ref);
    if (turn !== undefined) await turn;
    await waitAsync(typedArray, index, value, undefined, options).value;
    const now = Atomics.load(typedArray, index);
    if (now === value) continue;
    value = now;
    yield value;
  }
}

/** The value of an element, and each value that it is seen to have after that. Who changes it calls `notify`. */
export function changes(typedArray, index, options = undefined) {
  const at = toIndex(typedArray, index, 'changes', false);
  const { signal, ref } = readWaitOptions(options, 'changes', false);
  return follow(typedArray, at, { signal, ref });
}
