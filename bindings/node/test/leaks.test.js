// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Many operations of each primitive, in each way, leave no memory behind: neither in the heap, nor outside of it.
//
// FUTON_LEAK_OPERATIONS says how many of each primitive there are in each way: with 200000 at least a million of each primitive.

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const path = require('node:path');
const { promisify } = require('node:util');
const { test } = require('./support/test');
const { kinds } = require('./support/family_kinds');

const operations = Number(process.env.FUTON_LEAK_OPERATIONS ?? 1000);
const program = path.join(__dirname, 'support', 'leaks.js');

for (const name of Object.keys(kinds)) {
  const limit = { timeout: 120_000 + 2 * operations };
  test(`Nothing leaks in ${operations} operations of ${name}, in each way`, limit, async (context) => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, name, operations], {
      signal: context.signal, killSignal: 'SIGKILL',
    });
    assert.match(stdout, /: \d+ operations$/m);
    context.diagnostic(stdout.trim());
  });
}
