// SPDX-License-Identifier: MIT
'use strict';

// Packs the package, and uses the tarball as its users do: node test/package/run.js
// It needs npm's registry for the package managers and for node-gyp-build, and the compilers that packing needs.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { after, test } = require('node:test');
const { clear, makePath, makeProject, must, pack, root, run, whereIs } = require('./project');

after(clear);
const tarball = pack();
const files = must('tar', ['-tzf', tarball]).split('\n').map((file) => file.replace(/^package\//, ''));
const withoutTools = makePath('without-tools', ['node', 'sh', 'env']);

const npm = (...args) => ['npm', ['install', '--no-package-lock', '--no-audit', '--no-fund', ...args, tarball]];
const plain = installed('plain', ...npm());

/// A project in which that command has installed the package.
function installed(name, command, args, options = {}) {
  const project = makeProject(name);
  must(command, args, { cwd: project, ...options });
  return project;
}

function assertRuns(project, node = process.execPath, options = {}) {
  assert.match(must(node, ['program.js'], { cwd: project, ...options }), /^(x64|arm64) ok ok locked\n$/);
}

/// A project with a copy of the package that has no prebuilt binary.
function withoutBinary(name) {
  const project = makeProject(name);
  fs.cpSync(path.join(plain, 'node_modules'), path.join(project, 'node_modules'), { recursive: true });
  fs.rmSync(path.join(project, 'node_modules', 'futon', 'prebuilds'), { recursive: true });
  return project;
}

const build = (project, options) => run(process.execPath, ['node_modules/futon/scripts/build.js'], { cwd: project, ...options });

test('The tarball has the licence, both binaries and the sources, and nothing of the tests', () => {
  for (const file of ['LICENSE', 'prebuilds/linux-x64/futon.napi.glibc.node', 'prebuilds/linux-arm64/futon.napi.glibc.node',
    'futon.gyp', 'gyp.js', 'include/futon/addon_thread.h', 'library/src/queue/shard.cpp', 'lib/load.js', 'index.d.ts'])
    assert.ok(files.includes(file), file);
  assert.deepEqual(files.filter((file) => /^(test|bench|build|node_modules)\/|\/build\/|\.o$/.test(file)), []);
});

test('No script runs at installation, which pnpm and npm 11 would refuse', () => {
  const { scripts, gypfile } = JSON.parse(fs.readFileSync(path.join(plain, 'node_modules', 'futon', 'package.json'), 'utf8'));
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) assert.equal(scripts[name], undefined);
  assert.equal(gypfile, false);
  assert.ok(!files.includes('binding.gyp'));
});

test('The binaries are of their architectures, and need no glibc later than 2.28', () => {
  for (const [architecture, machine] of [['x64', 62], ['arm64', 183]]) {
    const file = path.join(plain, 'node_modules', 'futon', 'prebuilds', `linux-${architecture}`, 'futon.napi.glibc.node');
    const binary = fs.readFileSync(file);
    assert.equal(binary.readUInt16LE(18), machine);  // e_machine of ELF
    const versions = [...binary.toString('latin1').matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    assert.ok(versions.length > 0);
    assert.ok(Math.max(...versions) <= 28, `${architecture}: 2.${Math.max(...versions)}`);
    assert.ok(!binary.includes('libstdc++.so'));
  }
});

test('npm installs it, and a program runs', () => assertRuns(plain));

test('It needs neither a compiler nor CMake', () => {
  assertRuns(plain, process.execPath, { env: { PATH: withoutTools } });
  const npmFile = fs.realpathSync(whereIs('npm'));
  const project = installed('no-compiler', process.execPath, [npmFile, ...npm()[1]], { env: { PATH: withoutTools } });
  assertRuns(project);
});

test('npm --ignore-scripts installs it', () => assertRuns(installed('ignore-scripts', ...npm('--ignore-scripts'))));

/// The newest package managers need a Node that is not too old; run_all brings one where the system's is.
const recent = { PATH: [path.dirname(process.env.FUTON_NODE_RECENT ?? process.execPath), process.env.PATH].join(path.delimiter) };

for (const version of ['10', '11']) {
  test(`npm ${version} installs it without a word of scripts`, () => {
    const project = makeProject(`npm-${version}`);
    const { status, stdout, stderr } = run('npx', ['--yes', `npm@${version}`, ...npm()[1]], { cwd: project, env: recent });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stdout + stderr, /scripts/);
    assertRuns(project);
  });
}

test('pnpm installs it without a word of builds', () => {
  const project = makeProject('pnpm');
  const { status, stdout, stderr } = run('npx', ['--yes', 'pnpm@latest', 'add', tarball], { cwd: project, env: recent });
  assert.equal(status, 0, stdout + stderr);
  assert.doesNotMatch(stdout + stderr, /ignored build/i);
  assertRuns(project);
});

test('The Node of the system runs it', (context) => {
  if (!fs.existsSync('/usr/bin/node')) return context.skip('there is none');
  return assertRuns(plain, '/usr/bin/node');
});

test('The binary for the other architecture runs under QEMU', (context) => {
  const node = process.env.FUTON_NODE_ARM64;
  if (!node || !whereIs('qemu-aarch64')) return context.skip('./dev test-node brings an arm64 Node and QEMU');
  assert.equal(must('qemu-aarch64', ['-L', '/usr/aarch64-linux-gnu', node, 'program.js'], { cwd: plain }), 'arm64 ok ok locked\n');
});

test('Without a binary, loading falls back and says how to build one; building says what is missing', () => {
  const project = withoutBinary('nothing');
  const program = "new (require('futon').AsyncLock)(new SharedArrayBuffer(4)).executeLocked(() => console.log('locked'))";
  const { status, stdout, stderr } = run(process.execPath, ['-e', program], { cwd: project });
  assert.equal(status, 0);
  assert.equal(stdout, 'locked\n');
  assert.match(stderr, /no prebuilt addon for linux-\w+ .*Build it here.*: node .*futon\/scripts\/build\.js/);

  const noCmake = build(project, { env: { PATH: withoutTools } });
  assert.notEqual(noCmake.status, 0);
  assert.match(noCmake.stderr, /^futon: cmake is not installed.*apt-get install/m);

  const noMake = build(project, { env: { PATH: makePath('no-make', ['node', 'cmake']) } });
  assert.notEqual(noMake.status, 0);
  assert.match(noMake.stderr, /^futon: there is neither ninja nor make\. Install/m);

  fs.rmSync(path.join(project, 'node_modules', 'futon', 'build'), { recursive: true });
  const noCompiler = build(project, { env: { PATH: makePath('no-compiler', ['node', 'cmake', 'ninja', 'make']) } });
  assert.notEqual(noCompiler.status, 0);
  assert.match(noCompiler.stderr, /^futon: there is no C\+\+ compiler\. Install/m);
});

test('With no headers of Node, building says where they come from', () => {
  const project = withoutBinary('no-headers');
  const lists = path.join(project, 'node_modules', 'futon', 'CMakeLists.txt');
  // As if nothing were found in any place.
  const text = fs.readFileSync(lists, 'utf8').replace('include(futon_addon.cmake)', 'set(CMAKE_FIND_ROOT_PATH /nonexistent)\n'
    + 'set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)\ninclude(futon_addon.cmake)');
  fs.writeFileSync(lists, text);
  const { status, stderr } = build(project);
  assert.notEqual(status, 0);
  assert.match(stderr, /^futon: the headers of Node are missing\. Install/m);
});

test('build.js --if-needed does nothing where the binary can be loaded, and else builds one that is loaded', () => {
  const script = ['node_modules/futon/scripts/build.js', '--if-needed'];
  assert.deepEqual(run(process.execPath, script, { cwd: plain, env: { PATH: withoutTools } }), { status: 0, stdout: '', stderr: '' });

  const project = withoutBinary('if-needed');
  must(process.execPath, script, { cwd: project });
  assertRuns(project);
});

test('A binary that cannot be loaded, and a system that is not Linux, are said with the cure, and fallen back from', () => {
  const project = withoutBinary('broken');
  fs.mkdirSync(path.join(project, 'node_modules', 'futon', 'build', 'Release'), { recursive: true });
  fs.writeFileSync(path.join(project, 'node_modules', 'futon', 'build', 'Release', 'futon.node'), 'no ELF');
  assert.match(run(process.execPath, ['program.js'], { cwd: project }).stderr, /the addon cannot be loaded: .*Build it here.*scripts\/build\.js/);

  const elsewhere = "Object.defineProperty(process, 'platform', { value: 'darwin' }); require('futon')";
  assert.match(run(process.execPath, ['-e', elsewhere], { cwd: plain }).stderr, /no addon for darwin, only for Linux\. Run the program in a container/);
});

/// node-gyp, as npm brings it.
function nodeGyp(args, options) {
  const bundled = ['../node_modules/node-gyp/bin/node-gyp.js', '../../node-gyp/bin/node-gyp.js']
    .map((file) => path.join(path.dirname(fs.realpathSync(whereIs('npm'))), file)).find((file) => fs.existsSync(file));
  return bundled === undefined ? run('npx', ['--yes', 'node-gyp', ...args], options) : run(process.execPath, [bundled, ...args], options);
}

test('An addon of a user is built with node-gyp, and with headers of another Node it is refused', (context) => {
  const nodedir = path.resolve(process.execPath, '..', '..');
  if (!fs.existsSync(path.join(nodedir, 'include', 'node', 'node_version.h'))) return context.skip('there are no headers of this Node');
  const project = makeProject('gyp');
  fs.cpSync(path.join(plain, 'node_modules'), path.join(project, 'node_modules'), { recursive: true });
  for (const file of ['binding.gyp', 'frames.cpp']) fs.copyFileSync(path.join(root, 'examples', 'addon', file), path.join(project, file));
  const main = fs.readFileSync(path.join(root, 'examples', 'addon', 'main.js'), 'utf8')
    .replace("require('../..')", "require('futon')").replace('./build/frames.node', './build/Release/frames.node');
  fs.writeFileSync(path.join(project, 'main.js'), main);

  const another = path.join(project, 'another', 'include', 'node');
  fs.mkdirSync(another, { recursive: true });
  fs.writeFileSync(path.join(another, 'node_version.h'), '#define NODE_MODULE_VERSION 1\n');
  fs.copyFileSync(path.join(nodedir, 'include', 'node', 'common.gypi'), path.join(another, 'common.gypi'));
  const refused = nodeGyp(['configure', `--nodedir=${path.join(project, 'another')}`], { cwd: project });
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /are of another Node \(NODE_MODULE_VERSION 1\) than the one that runs/);

  const compiler = whereIs('ccache') ? { CXX: 'ccache g++' } : {};
  const { status, stdout, stderr } = nodeGyp(['rebuild', `--nodedir=${nodedir}`], { cwd: project, env: { ...compiler, JOBS: '2' } });
  assert.equal(status, 0, stdout + stderr);
  assert.doesNotMatch(stdout + stderr, /warning:/);
  assert.match(must(process.execPath, ['main.js'], { cwd: project }), /the worker has read 10000 frames, the last is 100000000/);
});
