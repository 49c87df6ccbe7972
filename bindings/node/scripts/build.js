// SPDX-License-Identifier: MIT
'use strict';
// Builds the addon with CMake, from the sources that are here; downloads nothing.

const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const build = join(root, 'build');

function run(command, args) {
  const { error, status } = spawnSync(command, args, { stdio: 'inherit', cwd: root });
  if (error !== undefined) {
    console.error(`futon is built with ${command}, which cannot be run here: ${error.message}`);
    process.exit(1);
  }
  if (status !== 0) process.exit(status ?? 1);
}

const isConfigured = existsSync(join(build, 'CMakeCache.txt'));
const hasNinja = spawnSync('ninja', ['--version']).status === 0;
const generator = !isConfigured && hasNinja ? ['-G', 'Ninja'] : [];

// The Node that runs this is the one whose headers are meant.
run('cmake', [...generator, '-S', root, '-B', build, '-DCMAKE_BUILD_TYPE=Release', `-DFUTON_NODE=${process.execPath}`]);
run('cmake', ['--build', build, '--config', 'Release', '--parallel', '2']);
