// SPDX-License-Identifier: MIT
'use strict';

// The example addon, which tests what the package promises to threads of other addons.

const { existsSync, rmSync } = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const folder = path.join(__dirname, '..', '..', 'examples', 'addon');
const build = path.join(folder, 'build');
const file = path.join(build, 'frames.node');

/// Builds the example, if its sources have changed. One process does this before tests run: a process that loads an
/// addon while it is linked fails. Without the headers of V8 and Node it cannot be built, and the file does not exist
/// then.
function buildExample() {
  const run = (...args) => execFileSync('cmake', args, { stdio: 'pipe', encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  try {
    // Headers that were found for another Node must be found anew.
    run('-S', folder, '-B', build, `-DFUTON_NODE=${process.execPath}`, '-UFUTON_*_INCLUDE_DIR');
    run('--build', build, '--parallel', '2');
  } catch (error) {
    rmSync(file, { force: true });  // else an old one would be tested
    const said = [error.message, error.stdout].filter(Boolean).join('\n');  // the message has what went to stderr
    if (!/v8\.h(: No such file|' file not found)|There is no (node_api|uv)\.h/.test(said)) throw new Error(said);
  }
}

/// The addon; where it was not built, skips the test and returns undefined.
function loadExample(context) {
  if (!existsSync(file)) {
    context.skip('the example addon is not there: test/run.js builds it, where there are headers of V8 and Node');
    return undefined;
  }
  return require(file);
}

module.exports = { buildExample, loadExample, folder };
