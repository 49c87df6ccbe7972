// SPDX-License-Identifier: MIT
'use strict';
// The memory of the locks that this thread holds. The addon notes each in a place (src/held_locks.hpp), and releases those
// that are left when the thread ends; the word must still be there then.

const { Array, defineProperty, setPrototypeOf } = require('./primordials.js');
const { native, doubles, ints, ADDRESS, COUNT, NEXT_NOTE, TAKEN_NOTE } = require('./native.js');

const words = setPrototypeOf(new Array(0), null);

// The addon keeps itself while a lock is held, and so these words, though the program may have forgotten all of lib/.
defineProperty(native, 'words', { __proto__: null, value: words });

/// The next call of the addon may acquire the lock of this word.
function prepareToHold(word) {
  words[ints[NEXT_NOTE]] = word;
}

/// It did not.
function notHeld() {
  words[ints[NEXT_NOTE]] = undefined;
}

/// The addon has acquired the lock for a promise that is settled now. Leaves which acquisition that is.
function hold(address, word) {
  doubles[ADDRESS] = address;
  native.noteOf();
  if (doubles[COUNT] >= 0) words[doubles[COUNT]] = word;
}

/// The addon has released a lock.
function released() {
  if (ints[TAKEN_NOTE] >= 0) words[ints[TAKEN_NOTE]] = undefined;
}

module.exports = { prepareToHold, notHeld, hold, released };
