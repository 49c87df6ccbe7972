// SPDX-License-Identifier: MIT
'use strict';

// The runner of tests in the format of test262: which tests pass, which fail, and the reasons it gives.

const assert = require('node:assert/strict');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { test } = require('../support/test');
const { isNative, name } = require('../support/implementation');
const { parseFrontmatter } = require('./frontmatter');

const runner = path.join(__dirname, '..', 'run_test262.js');
const fixtures = path.join(__dirname, 'fixtures');

function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [runner, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const below = (...names) => path.join(fixtures, 'test', ...names);

test('Passing tests pass, in each of their modes', () => {
  const { status, stdout } = run('--verbose', below('passing'));

  // 13 run twice, 5 once; the engine's own functions cannot forbid blocking, and some engines have no pause.
  const skipped = isNative ? ('pause' in Atomics ? 2 : 4) : 0;
  assert.match(stdout, new RegExp(`^${name}: ${31 - skipped} passed, 0 failed, ${skipped} skipped$`, 'm'), stdout);
  assert.equal(status, 0);
});

for (const [file, reason] of Object.entries({
  'assertion.js': /0 is not 1/,
  'async_failure.js': /on purpose/,
  'async_throws.js': /RangeError: on purpose/,
  'negative_completes.js': /expected a TypeError \(runtime\), but it completed/,
  'negative_other_type.js': /expected a TypeError \(runtime\), got a RangeError \(runtime\)/,
  'negative_other_phase.js': /expected a SyntaxError \(parse\), got a SyntaxError \(runtime\)/,
  'process_ends.js': /without a call of \$DONE/,
})) {
  test(`${file} fails with its reason`, () => {
    const { status, stdout } = run(below('failing', file));

    assert.match(stdout, reason);
    assert.match(stdout, /0 passed, 1 failed, 0 skipped/);
    assert.equal(status, 1);
  });
}

test('Paths that are not a checkout are refused', () => {
  for (const [args, message] of [
    [[], /usage/],
    [['--unknown', fixtures], /usage/],
    [[path.join(fixtures, 'nowhere')], /there is no/],
    [[path.join(__dirname, 'host.js')], /no checkout/],
  ]) {
    const { status, stderr } = run(...args);
    assert.match(stderr, message);
    assert.equal(status, 2);
  }
});

test('Frontmatter is parsed in all its forms', () => {
  const comment = (text) => parseFrontmatter(`// Copyright\n/*---\n${text}\n---*/\ncode();`);
  const empty = { includes: [], flags: [], features: [], negative: null };

  assert.deepEqual(comment('description: nothing else'), empty);
  assert.deepEqual(comment('includes: [a.js, b.js]\nflags: [async]'), {
    ...empty,
    includes: ['a.js', 'b.js'],
    flags: ['async'],
  });
  assert.deepEqual(comment('includes:\n  - a.js\n  - b.js\ndescription: >\n  more\n  - not this'), {
    ...empty,
    includes: ['a.js', 'b.js'],
  });
  assert.deepEqual(comment('features: [\n  Atomics,\n  "BigInt",\n]'), { ...empty, features: ['Atomics', 'BigInt'] });
  assert.deepEqual(comment('info: |\n  flags: [raw]\nesid: x'), empty);
  assert.deepEqual(comment('negative:\n  phase: parse\n  type: SyntaxError'), {
    ...empty,
    negative: { phase: 'parse', type: 'SyntaxError' },
  });
  assert.throws(() => comment('negative:\n  phase: parse'), SyntaxError);
  assert.throws(() => parseFrontmatter('code();'), SyntaxError);
});
