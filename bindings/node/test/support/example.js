// SPDX-License-Identifier: MIT
'use strict';

// The example addon, built on demand: what another addon's threads do is a part of what the package promises.

const { existsSync, statSync } = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const folder = path.join(__dirname, '..', '..', 'examples', 'addon');
const file = path.join(folder, 'build', 'frames.node');

/// Builds it, unless it is there and newer than its source.
function buildExample() {
  if (existsSync(file) && statSync(file).mtimeMs > statSync(path.join(folder, 'frames.cpp')).mtimeMs) return;
  const run = (...args) => execFileSync('cmake', args, { stdio: 'pipe', encoding: 'utf8' });
  run('-S', folder, '-B', path.dirname(file), `-DFUTON_NODE=${process.execPath}`);
  run('--build', path.dirname(file), '--parallel', '2');
}

/// The addon; where it cannot be built for want of V8's headers, skips the test and returns undefined.
function loadExample(context) {
  try {
    buildExample();
  } catch (error) {
    if (!/v8\.h/.test(String(error.stderr))) throw error;
    context.skip('there is no v8.h to build the example addon with');
    return undefined;
  }
  return require(file);
}

module.exports = { loadExample, folder };
