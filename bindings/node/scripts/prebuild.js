// SPDX-License-Identifier: MIT
'use strict';
// Before the package is packed: builds the binaries that it brings, prebuilds/linux-*/, for every version of Node. A machine of
// the other architecture is not needed, only a cross compiler.

const { spawnSync } = require('node:child_process');
const { copyFileSync, mkdirSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { build, fail, root } = require('./cmake');

const architectures = [
  { name: 'x64', processor: 'x86_64', compiler: 'x86_64-linux-gnu-g++', package: 'g++-x86-64-linux-gnu' },
  { name: 'arm64', processor: 'aarch64', compiler: 'aarch64-linux-gnu-g++', package: 'g++-aarch64-linux-gnu' },
];

/// As node-gyp-build searches for it: N-API serves all versions, and libc must be this one.
const file = 'futon.napi.glibc.node';

/// As lib/load.js searches for it. Only the binary of this machine's own architecture is made.
const diagnostics = join('diagnostics', 'futon_diagnostics.napi.glibc.node');

function optionsFor({ name, processor, compiler, package: debianPackage }) {
  if (name === process.arch) return [];
  if (spawnSync(compiler, ['--version']).error !== undefined)
    fail(`the binary for ${name} is built with ${compiler}, which is not here. Install it (Debian and Ubuntu: apt-get install ${debianPackage}).`);
  return ['-DCMAKE_SYSTEM_NAME=Linux', `-DCMAKE_SYSTEM_PROCESSOR=${processor}`, `-DCMAKE_CXX_COMPILER=${compiler}`];
}

for (const architecture of architectures) {
  const isHere = architecture.name === process.arch;
  const addon = build(`build/prebuild-${architecture.name}`, ['-DFUTON_NODE_NAPI_ONLY=ON', ...optionsFor(architecture)],
    ['futon_node', ...(isHere ? ['futon_node_diagnostics'] : [])]);
  const folder = join(root, 'prebuilds', `linux-${architecture.name}`);
  mkdirSync(folder, { recursive: true });
  copyFileSync(addon, join(folder, file));
  if (!isHere) continue;
  mkdirSync(dirname(join(folder, diagnostics)), { recursive: true });
  copyFileSync(join(dirname(addon), 'diagnostics', 'futon_diagnostics.node'), join(folder, diagnostics));
}
