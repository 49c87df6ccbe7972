// SPDX-License-Identifier: MIT
'use strict';

// The example addon: what another addon's threads do is a part of what the package promises.

const { existsSync } = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const folder = path.join(__dirname, '..', '..', 'examples', 'addon');
const build = path.join(folder, 'build');
const file = path.join(build, 'frames.node');

/// Builds it, or what has changed of it. One process does this, before tests run: who loads an addon while it is linked
/// finds a file that is none. Returns whether it is there; where there is no v8.h, it cannot be.
function buildExample() {
  const run = (...args) => execFileSync('cmake', args, { stdio: 'pipe', encoding: 'utf8' });
  try {
    run('-S', folder, '-B', build, `-DFUTON_NODE=${process.execPath}`);
    run('--build', build, '--parallel', '2');
    return true;
  } catch (error) {
    const said = `${error.stdout}${error.stderr}`;
    if (/v8\.h(: No such file|' file not found)/.test(said)) return false;
    error.message += `\n${said}`;
    throw error;
  }
}

/// The addon; where it was not built, skips the test and returns undefined.
function loadExample(context) {
  if (!existsSync(file)) {
    context.skip('the example addon is not there: test/run.js builds it, where there is a v8.h');
    return undefined;
  }
  return require(file);
}

module.exports = { buildExample, loadExample, folder };
