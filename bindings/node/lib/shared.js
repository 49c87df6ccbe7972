// SPDX-License-Identifier: MIT
'use strict';
// Primitives in messages, since a structured clone cannot be one.

const { hasOwn, keysOf, TypeError } = require('./primordials.js');
const { describe } = require('./describe.js');

/// The two functions, for these classes by their names.
function makeSharing(classes) {
  const names = keysOf(classes);
  return {
    /** What another thread can be sent: there `fromShared` makes the same primitive of it. */
    toShared(primitive) {
      for (const name of names) {
        if (primitive instanceof classes[name])
          return { futon: name, buffer: primitive.buffer, byteOffset: primitive.byteOffset };
      }
      throw new TypeError(`toShared: primitive must be one of futon's, not ${describe(primitive)}`);
    },

    /** The primitive that `toShared` was given, in this thread. */
    fromShared(message) {
      if (typeof message !== 'object' || message === null || !hasOwn(classes, message.futon))
        throw new TypeError(`fromShared: message must be what toShared has returned, not ${describe(message)}`);
      return new classes[message.futon](message.buffer, message.byteOffset);
    },
  };
}

module.exports = { makeSharing };
