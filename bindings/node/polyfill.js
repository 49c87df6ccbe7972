// SPDX-License-Identifier: MIT
'use strict';
// Puts futon's functions in the place of the engine's, in this thread.

const futon = require('./index.js');

function install(name) {
  Object.defineProperty(Atomics, name, {
    __proto__: null,
    value: futon[name],
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

install('wait');
install('waitAsync');
install('notify');
if (!Object.hasOwn(Atomics, 'pause')) install('pause');

// In this form, Node finds the names that a module imports.
module.exports = require('./index.js');
