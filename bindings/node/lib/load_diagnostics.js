// SPDX-License-Identifier: MIT
'use strict';
// Which of the two binaries this process has: the plain one, or with FUTON_DIAGNOSTICS=1 the one that sees who waits.

const { existsSync, readFileSync, realpathSync } = require('node:fs');
const path = require('node:path');
const { isMainThread, threadId } = require('node:worker_threads');

const root = path.join(__dirname, '..');

/// Where the second binary is: built here, or prebuilt.
const places = [
  path.join(root, 'build', 'Release', 'diagnostics', 'futon_diagnostics.node'),
  path.join(root, 'prebuilds', `linux-${process.arch}`, 'diagnostics', 'futon_diagnostics.napi.glibc.node'),
];

function refuse(message, cause = undefined) {
  throw Object.assign(new Error(`futon: ${message}`, { cause }), { code: 'ERR_FUTON_NO_DIAGNOSTICS' });
}

const thisThread = () => (isMainThread ? 'the main thread' : `thread ${threadId}`);

/// What the environment of this thread says.
function isAskedFor() {
  const value = (Object.hasOwn(process.env, 'FUTON_DIAGNOSTICS') && process.env.FUTON_DIAGNOSTICS) || '';  // nothing of Object.prototype's
  if (value !== '' && value !== '0' && value !== '1') refuse(`FUTON_DIAGNOSTICS is '${value}', and may be 0 or 1.`);
  return value === '1';
}

/// The paths of the package's binaries that the process has mapped. It keeps what it has loaded, and a worker may have another
/// environment than the thread that loaded first.
function loadedFiles() {
  try {
    return [...new Set(readFileSync('/proc/self/maps', 'latin1').match(/\/\S*\/futon[^/\n]*\.node$/gm) ?? [])];
  } catch {
    return [];
  }
}

const isOfDiagnostics = (file) => path.basename(file).startsWith('futon_diagnostics.');

/// Whether this thread must take the second binary: because this process has it, or it is asked for and the process has none.
function isWanted() {
  const isAsked = isAskedFor();
  if (process.platform !== 'linux') {
    if (isAsked) refuse(`FUTON_DIAGNOSTICS=1 asks for diagnostics, which are for Linux only, and this is ${process.platform}.`);
    return false;
  }
  const loaded = loadedFiles();
  if (loaded.some(isOfDiagnostics)) return true;
  if (isAsked && loaded.length > 0) {
    refuse(`FUTON_DIAGNOSTICS=1 asks for diagnostics in ${thisThread()}, but another thread of this process has loaded the addon ` +
      `without them (${loaded[0]}), and all threads must have the same. Set FUTON_DIAGNOSTICS=1 in the environment of the process.`);
  }
  return isAsked;
}

/// Opens it, or throws an error that says what is missing; the plain one is no substitute. `cure` says how to build.
function openDiagnostics(cure) {
  const file = places.find((place) => existsSync(place));
  const other = loadedFiles().find((loaded) => isOfDiagnostics(loaded) && (file === undefined || loaded !== realpathSync(file)));
  if (other !== undefined) {
    refuse(`this process has loaded the diagnostics of another copy of the package (${other}). Two copies would see nothing of each ` +
      'other: let all of the program use one.');
  }
  if (file === undefined) {
    refuse('FUTON_DIAGNOSTICS=1 asks for the addon with diagnostics, and there is none here for ' +
      `${process.platform}-${process.arch} (${places.join(', ')}). ${cure}`);
  }
  try {
    return require(file);
  } catch (error) {
    return refuse(`FUTON_DIAGNOSTICS=1 asks for the addon with diagnostics, which cannot be loaded: ${error.message}. ${cure}`, error);
  }
}

module.exports = { isWanted, openDiagnostics };
