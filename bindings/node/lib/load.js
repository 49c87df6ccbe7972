// SPDX-License-Identifier: MIT
'use strict';
// Finds the addon: build/Release, where it was built here, or else the prebuilt binary for this platform.

const path = require('node:path');
const find = require('node-gyp-build').resolve;

const root = path.join(__dirname, '..');
const cure = `Build it here, with CMake and a C++20 compiler: node ${path.join(root, 'scripts', 'build.js')}`;

/// The path of the addon.
function file() {
  if (process.platform !== 'linux') {
    throw new Error(`futon: there is no addon for ${process.platform}, only for Linux. ` +
      'Run the program in a container of Linux, or in WSL on Windows.');
  }
  try {
    return find(root);
  } catch (error) {
    throw new Error(`futon: there is no prebuilt addon for ${process.platform}-${process.arch} with this libc. ${cure}`, { cause: error });
  }
}

function load() {
  const addon = file();
  try {
    return require(addon);
  } catch (error) {
    if (error.code !== 'ERR_DLOPEN_FAILED') throw error;
    throw new Error(`futon: the addon cannot be loaded: ${error.message}. ${cure}`, { cause: error });
  }
}

module.exports = { file, load };
