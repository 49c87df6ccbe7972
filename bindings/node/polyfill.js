// SPDX-License-Identifier: MIT
'use strict';
// Puts futon's functions in the place of the engine's, in this thread.

const futon = require('./index.js');

function install(name) {
  Object.defineProperty(Atomics, name, {
    value: futon[name],
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

install('wait');
install('waitAsync');
install('notify');
if (Atomics.pause === undefined) install('pause');

// Said in this way, the named imports of a module are found.
module.exports = require('./index.js');
