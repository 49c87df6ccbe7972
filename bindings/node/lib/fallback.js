// SPDX-License-Identifier: MIT
'use strict';
// Where no addon can be loaded: futon-web, the same functions over the engine's own wait queues.

const path = require('node:path');
const { isMainThread } = require('node:worker_threads');

function find() {
  for (const file of ['../web/futon-web.cjs', '../../web/dist/futon-web.cjs']) {  // of the package, of the repository
    try {
      return require(path.join(__dirname, file));
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

/// What the package exports then. `error` says why the addon was not loaded, and how to build it.
function loadFallback(error) {
  const web = find();
  if (web === undefined) throw error;
  if (isMainThread) {
    process.emitWarning(`${error.message} Until then the wait queues are the engine's: threads of C++ do not share them.`,
      { type: 'Warning', code: 'FUTON_FALLBACK' });
  }
  const unknown = (name) => () => {
    const failure = new Error(`${name}: the engine does not tell who waits; the addon does. ${error.message}`);
    failure.code = 'ENOTSUP';
    throw failure;
  };
  return { ...web, addressOf: unknown('addressOf'), inspect: unknown('inspect'), waiters: unknown('waiters') };
}

module.exports = { loadFallback };
