// SPDX-License-Identifier: MIT
// The changes of a word, one after the other.

import { waitAsync } from './atomics.js';
import { readWaitOptions } from './option_bag.js';

async function* follow(typedArray, index, options) {
  let value = Atomics.load(typedArray, index);
  yield value;
  while (true) {
    await waitAsync(typedArray, index, value, undefined, options).value;
    const now = Atomics.load(typedArray, index);
    if (now === value) continue;
    value = now;
    yield value;
  }
}

/** The value of an element, and each value that it is seen to have after that. Who changes it calls `notify`. */
export function changes(typedArray, index, options = undefined) {
  const { signal, ref } = readWaitOptions(options, 'changes', false);
  waitAsync(typedArray, index, Atomics.load(typedArray, index), 0);  // throws where it cannot be waited on
  return follow(typedArray, index, { signal, ref });
}
