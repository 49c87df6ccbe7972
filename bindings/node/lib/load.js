// SPDX-License-Identifier: MIT
'use strict';
// Finds the addon: build/Release, where it was built here, or else the prebuilt binary for this platform.

const path = require('node:path');
const nodeGypBuild = require('node-gyp-build');

const root = path.join(__dirname, '..');
const cure = `Build it here, with CMake and a C++20 compiler: node ${path.join(root, 'scripts', 'build.js')}`;

/// Throws an error that says why there is no addon here, and what to do.
function explain(error) {
  const refuse = (message) => {
    throw Object.assign(new Error(`futon: ${message}`, { cause: error }), { code: 'ERR_FUTON_NO_ADDON' });
  };
  if (process.platform !== 'linux') {
    refuse(`there is no addon for ${process.platform}, only for Linux. ` +
      'Run the program in a container of Linux, or in WSL on Windows.');
  }
  if (!require('node:fs').existsSync(path.join(root, 'scripts', 'build.js'))) {
    refuse(`the files of the package are not in ${root}. If the program was bundled, let the bundler leave the package out ` +
      '(external: futon), for a bundle cannot hold its addon.');
  }
  if (error.code === 'ERR_DLOPEN_FAILED') refuse(`the addon cannot be loaded: ${error.message}. ${cure}`);
  refuse(`there is no prebuilt addon for ${process.platform}-${process.arch} with this libc. ${cure}`);
}

/// The path of the addon.
function file() {
  try {
    return nodeGypBuild.resolve(root);
  } catch (error) {
    return explain(error);
  }
}

function load() {
  try {
    if (process.platform === 'linux') return nodeGypBuild(path.join(__dirname, '..'));  // tools that trace files know this call
  } catch (error) {
    return explain(error);
  }
  return explain();
}

module.exports = { file, load };
