// SPDX-License-Identifier: MIT
'use strict';

const nodeTest = require('node:test');
const { isNative } = require('./implementation');

const limit = 60_000;

/// node:test's `test`, with a time limit.
///
/// The engine's own waitAsync does not keep the loop alive, so for `native` a timer does while a test runs. For futon
/// nothing does: every test relies on pending waits to keep their thread alive.
function test(title, options, body) {
  if (typeof options === 'function') return test(title, {}, options);

  return nodeTest.test(title, { timeout: limit, ...options }, async (context) => {
    const hold = isNative ? setInterval(() => {}, limit) : null;
    try {
      await body(context);
    } finally {
      clearInterval(hold);
    }
  });
}

module.exports = { test };
