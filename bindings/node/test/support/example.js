// SPDX-License-Identifier: MIT
'use strict';

// The example addon, which tests what the package promises to threads of other addons, and addons of the tests alone.

const { existsSync, rmSync } = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const folder = path.join(__dirname, '..', '..', 'examples', 'addon');
const testAddons = path.join(__dirname, '..', 'addon');
const fileOf = (source, name) => path.join(source, 'build', `${name}.node`);

function cmake(...args) {
  execFileSync('cmake', args, { stdio: 'pipe', encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
}

/// Builds them, if their sources have changed. One process does this before tests run: a process that loads an
/// addon while it is linked fails. Without the headers of this Node they cannot be built, and the files do not exist
/// then.
function buildExample() {
  for (const source of [folder, testAddons]) {
    const build = path.join(source, 'build');
    try {
      cmake('-S', source, '-B', build, `-DFUTON_NODE=${process.execPath}`);
      cmake('--build', build, '--parallel', '2');
    } catch (error) {
      // Else old ones would be tested.
      for (const name of ['frames', 'threads', 'family', 'another_node']) rmSync(fileOf(source, name), { force: true });
      const said = [error.message, error.stdout].filter(Boolean).join('\n');  // the message has what went to stderr
      if (!/v8\.h(: No such file|' file not found)|There is no (node_api|uv)\.h|are of another Node/.test(said)) throw new Error(said);
    }
  }
}

/// The addon; where it was not built, skips the test and returns undefined.
function load(context, file) {
  if (!existsSync(file)) {
    context.skip('the addon is not there: test/run.js builds it, where there are the headers of this Node');
    return undefined;
  }
  return require(file);
}

const loadExample = (context) => load(context, fileOf(folder, 'frames'));
const loadTestAddon = (context, name) => load(context, fileOf(testAddons, name));

module.exports = { buildExample, loadExample, loadTestAddon, folder };
