// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Where Node refuses to load the addon, and where some threads have it and others have not.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync, spawnSync } = require('node:child_process');
const { test } = require('./support/test');

const root = path.join(__dirname, '..');
const bundle = () => execFileSync(process.execPath, [path.join(root, '..', 'web', 'scripts', 'bundle.js')]);
const permission = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
const hasPermissions = process.allowedNodeEnvironmentFlags.has(permission) &&
  process.allowedNodeEnvironmentFlags.has('--allow-addons');

const load = `const futon = require(${JSON.stringify(root)});
  const words = new Int32Array(new SharedArrayBuffer(8));\n`;
const run = (flags, source) =>
  spawnSync(process.execPath, [...flags, '-e', source], { encoding: 'utf8', timeout: 60_000 });

test('Node with --no-addons: the warning names the flag, and no build', () => {
  bundle();
  const { status, stdout, stderr } = run(['--no-addons'], `${load} console.log(futon.notify(words, 0))`);
  assert.equal(status, 0, stderr);
  assert.equal(stdout, '0\n');
  assert.match(stderr, /FUTON_FALLBACK.*Node was started with --no-addons.*Start it without that/);
  assert.doesNotMatch(stderr, /prebuilt|CMake/);
});

test('Node with its permission model: the warning names the flag that is missing',
  hasPermissions ? {} : { skip: 'this Node has no --allow-addons' }, () => {
    bundle();
    const { status, stdout, stderr } = run([permission, '--allow-fs-read=*'], `${load} console.log(futon.notify(words, 0))`);
    assert.equal(status, 0, stderr);
    assert.equal(stdout, '0\n');
    assert.match(stderr, /FUTON_FALLBACK.*permission model.*--allow-addons/);
    assert.doesNotMatch(stderr, /prebuilt|CMake/);
  });

const worker = `const { parentPort } = require('node:worker_threads');
  ${load}
  const codes = [];
  for (const use of [() => futon.wait(words, 0, 0, 0), () => futon.waitAsync(words, 0, 0, 0), () => futon.notify(words, 0),
      () => new futon.AsyncLock(words.buffer)])
    try { use(); codes.push('none'); } catch (error) { codes.push(error.code); var { message } = error; }
  parentPort.postMessage({ codes, message });`;
const start = `const { Worker } = require('node:worker_threads');
  const worker = new Worker(${JSON.stringify(worker)}, { eval: true, execArgv: ['--no-addons'] });
  worker.on('message', (message) => console.log(JSON.stringify(message)));\n`;

test('A worker without the addon beside a thread with it: each use there throws, and says which thread has what', () => {
  bundle();
  const { status, stdout, stderr } = run([], `${load} futon.notify(words, 0); ${start}`);
  assert.equal(status, 0, stderr);
  const { codes, message } = JSON.parse(stdout);
  assert.deepEqual(codes, Array(4).fill('ERR_FUTON_TWO_KINDS'));
  assert.match(message, /another thread .* addon, and this one \(thread 1\) those of the engine.*--no-addons/);
});

test('A worker without the addon in a process that has none yet: a warning, and its functions work', () => {
  bundle();
  const { status, stdout, stderr } = run([], start);
  assert.equal(status, 0, stderr);
  assert.deepEqual(JSON.parse(stdout).codes, Array(4).fill('none'));
  assert.match(stderr, /FUTON_FALLBACK.*this worker \(thread 1\) was started with --no-addons/);
});

test('Workers of a process without addons: one warning, of the main thread', () => {
  bundle();
  const { status, stdout, stderr } = run(['--no-addons'], `${load} futon.notify(words, 0); ${start}`);
  assert.equal(status, 0, stderr);
  assert.deepEqual(JSON.parse(stdout).codes, Array(4).fill('none'));
  assert.equal(stderr.match(/FUTON_FALLBACK/g).length, 1, stderr);
});

test('Bundled as a module of ECMAScript: the error says what to do with the package', () => {
  // As a bundler of modules wraps a file: there is no __dirname, and `require` of Node's own throws.
  const file = JSON.stringify(path.join(root, 'lib', 'bundled.js'));
  const { stderr, status } = run(['--input-type=module'], `import { readFileSync } from 'node:fs';
    const module = { exports: {} };
    (0, eval)('(function (module) {' + readFileSync(${file}, 'utf8') + '})')(module);
    module.exports.requireCommonJs();`);
  assert.equal(status, 1);
  assert.match(stderr, /ERR_FUTON_BUNDLED|let the bundler leave the package out \(external: futon\)/);
});

test('A clone without its dependency: the error names it, and the command that installs it', () => {
  const clone = fs.mkdtempSync(path.join(os.tmpdir(), 'futon-clone-'));
  try {
    for (const part of ['index.js', 'lib']) fs.cpSync(path.join(root, part), path.join(clone, part), { recursive: true });
    const { status, stderr } = run([], `require(${JSON.stringify(clone)})`);
    assert.equal(status, 1);
    assert.ok(stderr.includes(`futon: node-gyp-build, which finds the addon, is not installed. In a clone of the repository, run: ` +
      `npm install --prefix ${clone}`), stderr);
  } finally {
    fs.rmSync(clone, { recursive: true });
  }
});
