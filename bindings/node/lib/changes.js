// SPDX-License-Identifier: MIT
'use strict';
// The changes of a word, one after the other.

const { load, typedArrayLength } = require('./primordials.js');
const { waitAsync } = require('./atomics.js');
const { requireShared } = require('./view.js');
const { toIndex } = require('./coerce.js');
const { readOptions } = require('./option_bag.js');
const { nextTurn } = require('./turns.js');

async function* follow(typedArray, index, options) {
  let value = load(typedArray, index);
  yield value;
  while (true) {
    const turn = nextTurn(options.ref);
    if (turn !== undefined) await turn;
    await waitAsync(typedArray, index, value, undefined, options).value;
    const now = load(typedArray, index);
    if (now === value) continue;
    value = now;
    yield value;
  }
}

/** The value of an element, and each value that it is seen to have after that. Who changes it calls `notify`. */
function changes(typedArray, index, options = undefined) {
  requireShared(typedArray, 'changes');
  const at = toIndex(index, typedArrayLength(typedArray), 'changes');
  const { signal, ref } = readOptions(options, 'changes');
  return follow(typedArray, at, { __proto__: null, signal, ref });
}

module.exports = { changes };
