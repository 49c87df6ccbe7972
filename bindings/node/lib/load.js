// SPDX-License-Identifier: MIT
'use strict';
// Finds the addon: build/Release, where it was built here, or else the prebuilt binary for this platform.

const path = require('node:path');
const nodeGypBuild = require('node-gyp-build');
const { isMainThread, threadId } = require('node:worker_threads');
const { bundled } = require('./bundled.js');
const { isWanted, openDiagnostics } = require('./load_diagnostics.js');

const root = path.join(__dirname, '..');
const cure = `Build it here, with CMake and a C++20 compiler: node ${path.join(root, 'scripts', 'build.js')}`;

/// Why Node loads no addon in this thread, and the flag that cures it.
function whyDisabled() {
  const isFlagged = process.execArgv.includes('--no-addons') || /--no-addons/.test(process.env.NODE_OPTIONS ?? '');
  if (process.permission !== undefined && !isFlagged)
    return 'the permission model of Node lets no addon be loaded. Start Node with --allow-addons as well.';
  return isMainThread ? 'Node was started with --no-addons, so it loads no addon. Start it without that.' :
    `this worker (thread ${threadId}) was started with --no-addons, in its execArgv or that of Node, so it loads no addon. ` +
    'Start it without that.';
}

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
    refuse(bundled(`the files of the package are not in ${root}`));
  }
  if (error.code === 'ERR_DLOPEN_DISABLED') refuse(whyDisabled());
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
  if (isWanted()) return openDiagnostics(cure);
  try {
    if (process.platform === 'linux') return nodeGypBuild(path.join(__dirname, '..'));  // tools that trace files know this call
  } catch (error) {
    return explain(error);
  }
  return explain();
}

module.exports = { file, load };
