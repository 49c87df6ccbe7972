// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Jest runs each file of tests in a realm of its own, which loads the package anew.

const assert = require('node:assert/strict');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { test } = require('./support/test');
const { installFromNpm } = require('./support/from_npm');
const { generateJestProject } = require('./support/jest_project');

const FILES = 25;
const BALLAST = 4 << 20;  // of each file
const project = path.join(__dirname, '..', 'build', 'jest');

/// Runs Jest over the project, in band; returns what its reporter has measured after each file.
function runJest(jest) {
  const args = ['--expose-gc', path.join(jest, 'bin', 'jest.js'), '--runInBand', '--no-cache', '--watchman=false'];
  const { stdout, stderr, status, signal } =
    spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });
  assert.equal(status, 0, `Jest ended with ${signal ?? status}:\n${stdout}${stderr}`);
  return stdout.trim().split('\n').map((line) => JSON.parse(line));
}

/// A realm that ended last may not be collected yet, which is not a leak.
const leastHeap = (files) => Math.min(...files.map(({ heapUsed }) => heapUsed));

test('Jest collects the realm of each file, and its promises are of that realm', { timeout: 240_000 }, (context) => {
  const jest = installFromNpm('jest');
  if (jest === undefined) {
    context.skip('npm cannot reach its registry, so Jest cannot be installed');
    return;
  }
  generateJestProject(project, FILES);

  const files = runJest(jest);

  assert.deepEqual(files.map(({ passed, failed }) => [passed, failed]), Array(FILES).fill([5, 0]));
  const grown = leastHeap(files.slice(-5)) - leastHeap(files.slice(0, 5));
  assert.ok(grown < BALLAST, `from the first 5 files to the last 5 of ${FILES} the heap has grown by ${grown} bytes`);
});
