// SPDX-License-Identifier: MIT
'use strict';
// Builds the addon with CMake, from the sources that are here; downloads nothing.
//
//     node scripts/build.js                 into build/Release/futon.node, which is loaded rather than a prebuilt binary
//     node scripts/build.js --if-needed     only if no binary that is here can be loaded

const { platform } = require('node:process');
const { build, fail } = require('./cmake');

function canBeLoaded() {
  try {
    require('../lib/load').load();
    return true;
  } catch {
    return false;
  }
}

const options = process.argv.slice(2);
if (options.some((option) => option !== '--if-needed')) fail('usage: build.js [--if-needed]');
if (platform !== 'linux') fail(`the addon is built on Linux only, and this is ${platform}. Use a container of Linux, or WSL on Windows.`);
if (!options.includes('--if-needed') || !canBeLoaded()) build('build', []);
