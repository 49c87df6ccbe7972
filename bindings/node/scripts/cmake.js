// SPDX-License-Identifier: MIT
'use strict';
// Runs CMake for scripts/build.js and scripts/prebuild.js; each failure says how it is mended.

const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const packages = 'Debian and Ubuntu: apt-get install cmake make g++; Fedora: dnf install cmake make gcc-c++; Alpine: apk add cmake make g++ linux-headers';

/// What CMake prints when something is missing, and the cure.
const cures = [
  [/CMake [\d.]+ or higher is required/, 'this CMake is too old. Install CMake 3.22 or later.'],
  [/unable to find a build program|CMAKE_MAKE_PROGRAM is not set/i, `there is neither ninja nor make. Install one of them (${packages}).`],
  [/No CMAKE_CXX_COMPILER could be found|CMAKE_CXX_COMPILER not set|is not a full path to an existing compiler/,
    `there is no C++ compiler. Install GCC 12, Clang 14 or a later one (${packages}).`],
  [/There is no (node_api|uv)\.h/, 'the headers of Node are missing. Install them (Debian and Ubuntu: apt-get install libnode-dev), or say where '
    + 'they are: NODE_INCLUDE_DIR=…/include/node as a variable of the environment.'],
];

function fail(message) {
  console.error(`futon: ${message}`);
  process.exit(1);
}

function cmake(args) {
  const { error, status, stderr } = spawnSync('cmake', args, { stdio: ['ignore', 'inherit', 'pipe'], cwd: root, encoding: 'utf8' });
  if (error?.code === 'ENOENT') fail(`cmake is not installed, and it builds the addon. Install it and a C++20 compiler (${packages}).`);
  if (error !== undefined) fail(`cmake cannot be run: ${error.message}`);
  process.stderr.write(stderr);
  if (status === 0) return;
  const [, cure] = cures.find(([said]) => said.test(stderr)) ?? [];
  fail(cure ?? 'the addon could not be built; what CMake and the compiler say is above. It needs CMake 3.22, and GCC 12 or Clang 14.');
}

/// Builds in `folder`, a name in build/; returns the path of the addon.
function build(folder, options, targets = []) {
  const binaries = join(root, folder);
  const isConfigured = existsSync(join(binaries, 'CMakeCache.txt'));
  const hasNinja = spawnSync('ninja', ['--version']).status === 0;
  const generator = !isConfigured && hasNinja ? ['-G', 'Ninja'] : [];
  const headers = process.env.NODE_INCLUDE_DIR ? [`-DNODE_INCLUDE_DIR=${process.env.NODE_INCLUDE_DIR}`] : [];

  // The Node that runs this is the one whose headers are meant; those that were found for another are not.
  cmake([...generator, '-S', root, '-B', binaries, '-DCMAKE_BUILD_TYPE=Release', `-DFUTON_NODE=${process.execPath}`,
    '-UFUTON_V8_H', ...headers, ...options]);
  cmake(['--build', binaries, '--config', 'Release', '--parallel', '2', ...targets.flatMap((target) => ['--target', target])]);
  return join(binaries, 'Release', 'futon.node');
}

module.exports = { build, fail, root };
