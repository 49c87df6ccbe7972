// SPDX-License-Identifier: MIT
'use strict';
// Requires nothing, because in a bundle that is a module of ECMAScript each `require` of Node's own throws.

/// The message of a program that was bundled with the package. `where` says what is missing.
const bundled = (where) => `${where}. If the program was bundled, let the bundler leave the package out ` +
  '(external: futon), for a bundle cannot hold its addon.';

/// Throws if this is part of a module of ECMAScript, which no file of the package is.
function requireCommonJs() {
  if (typeof __dirname !== 'undefined') return;
  throw Object.assign(new Error(`futon: ${bundled('the files of the package cannot be found from a module of ECMAScript')}`),
    { code: 'ERR_FUTON_BUNDLED' });
}

module.exports = { bundled, requireCommonJs };
