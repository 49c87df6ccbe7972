// SPDX-License-Identifier: MIT
'use strict';

// Programs of npm that some tests and measurements run. The package does not depend on them: they are installed below
// build/ when they are first needed, each at a fixed version and with what its dependencies were on a fixed day. The
// newest would be other programs each time, and a mirror of the registry may know a package's newest version before
// it knows those which that depends on.

const { existsSync, mkdirSync, rmSync } = require('node:fs');
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const VERSIONS = { jest: '30.2.0', 'async-mutex': '0.5.0' };
const DAY = '2026-05-01';
const below = path.join(__dirname, '..', '..', 'build', 'npm');

/// What npm says when it has no connection to its registry.
const UNREACHABLE = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED)\b/;

/// Installs the package, if it is not there yet. Returns its folder; undefined if npm cannot reach its registry.
function installFromNpm(name) {
  const prefix = path.join(below, `${name}-${VERSIONS[name]}`);
  const folder = path.join(prefix, 'node_modules', name);
  const isComplete = path.join(prefix, 'complete');  // npm may have been ended midway
  if (existsSync(isComplete)) return folder;

  rmSync(prefix, { recursive: true, force: true });
  mkdirSync(prefix, { recursive: true });
  const options =
    [`--before=${DAY}`, '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts',
      '--fetch-retries=1'];
  try {
    execFileSync('npm', ['install', '--prefix', prefix, ...options, `${name}@${VERSIONS[name]}`],
      { stdio: 'pipe', encoding: 'utf8', cwd: prefix });
  } catch (error) {
    if (UNREACHABLE.test(error.stderr)) return undefined;
    throw error;
  }
  mkdirSync(isComplete);
  return folder;
}

module.exports = { installFromNpm };
