// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// The types of the package: right programs compile, and wrong ones do not, under the configurations that programs use.
// The compiler is installed by npm into build/types.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { test } = require('./support/test');

const root = path.join(__dirname, '..');
const work = path.join(root, 'build', 'types');
// The first and the last compiler that the types are for, and the one of most programs.
const wanted = ['typescript@5.9', 'typescript-5.2@npm:typescript@5.2', 'typescript-7@npm:typescript@7', '@types/node@20'];

/// Installs the compiler, unless it is there; returns why it cannot be, if it cannot.
function install() {
  const stamp = path.join(work, 'installed');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted.join()) return undefined;
  fs.mkdirSync(path.join(work, 'node_modules'), { recursive: true });
  fs.writeFileSync(path.join(work, 'package.json'), '{ "private": true }');
  const { status, error, stderr } = spawnSync('npm',
    ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts', ...wanted],
    { cwd: work, encoding: 'utf8', timeout: 50_000 });
  if (status !== 0) return error?.message ?? stderr;
  fs.writeFileSync(stamp, wanted.join());
  return undefined;
}

const failure = install();
const isOffline = failure !== undefined && /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(failure);
const needsCompiler = isOffline && !process.env.CI ? { skip: 'npm cannot be reached' } : {};

/// Lets programs find the package as `futon`. npm removes what it has not installed.
function link() {
  const target = path.join(work, 'node_modules', 'futon');
  fs.rmSync(target, { force: true, recursive: true });
  fs.symlinkSync(root, target, 'dir');
}

/// What the compiler says of those files of types/, after a change of their text.
function compile(files, options, { compiler = 'typescript', change = (text) => text } = {}) {
  const folder = fs.mkdtempSync(path.join(work, 'program-'));
  try {
    for (const file of files) {
      const text = fs.readFileSync(path.join(__dirname, 'types', file), 'utf8');
      fs.writeFileSync(path.join(folder, file), change(text));
    }
    const compilerOptions = {
      noEmit: true, strict: true, target: 'es2022', lib: ['es2022', 'esnext.disposable'], types: [],
      module: 'node16', moduleResolution: 'node16', preserveSymlinks: true, ...options,
    };
    fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const { stdout } = spawnSync(process.execPath,
      [path.join(work, 'node_modules', compiler, 'bin', 'tsc'), '-p', folder], { encoding: 'utf8' });
    return stdout;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

const dom = { lib: ['es2022', 'esnext.disposable', 'dom'] };
const node = { types: ['node'], skipLibCheck: true };
const exact = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
const bundler = { module: 'esnext', moduleResolution: 'bundler' };
const classic = { module: 'commonjs', moduleResolution: 'node10' };

const programs = ['right.ts', 'wrapper.ts', 'wrong.ts', 'polyfill.ts', 'family.ts'];
const modules = ['module.mts', 'common.cts'];
const all = [...programs, ...modules];

for (const [name, files, options, compiler] of [
  ['without DOM and @types/node', [...all, 'unshared.ts'], {}],
  ['without DOM and @types/node, exact optional properties', all, exact],
  ['with DOM, exact optional properties', [...programs, ...modules, 'signals.ts'], { ...dom, ...exact }],
  ['with @types/node, exact optional properties', [...programs, ...modules, 'signals.ts'], { ...node, ...exact }],
  ['with DOM and @types/node', [...programs, 'signals.ts'], { ...dom, ...node }],
  ['for a bundler', [...programs, 'signals.ts', 'module.mts'], { ...dom, ...bundler }],
  ['for CommonJS of before exports', ['right.ts', 'wrapper.ts', 'wrong.ts', 'polyfill.ts'], classic],
  ['for TypeScript 5.2', all, exact, 'typescript-5.2'],
  ['for TypeScript 7', [...all, 'unshared.ts'], exact, 'typescript-7'],
]) {
  test(`Right programs compile, and each wrong line does not: ${name}`, { ...needsCompiler, timeout: 120_000 }, () => {
    assert.equal(failure, undefined);
    link();
    assert.equal(compile(files, options, { compiler }), '');
  });
}

test('The compiler checks: a wrong line without its expectation is an error, which is about what was written', needsCompiler, () => {
  assert.equal(failure, undefined);
  link();
  const withBags = (text) => `${text}
    import { wait } from 'futon';
    wait(words, 0, 0, { tiemout: 1 });
    waitAsync(words, 0, { timeout: 1 });`;
  const said = compile(['signals.ts'], {}, { change: withBags });
  assert.match(said, /Cannot find name 'AbortController'/);
  assert.match(said, /tiemout/);
  assert.match(said, /\{ timeout: number; \}/);
  assert.doesNotMatch(said, /BigInt64Array|bigint/);
});
