// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// A program may have accessors on Object.prototype. None of them is called by the package nor changes what it does:
// neither while it is loaded, nor while its functions run.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { AsyncLock, notify, wait, waitAsync } = require('..');
const { test } = require('./support/test');
const { int32 } = require('./support/wait_queue');

const folder = path.join(__dirname, '..');

/// Each word of the package's sources: the names of all properties that it could read or write, and more.
function plausibleNames() {
  const names = new Set(['0', '1', '2', '255', '600', 'return', 'throw', 'cause', 'then', 'stack', 'toJSON']);
  for (const part of ['.', 'lib', 'src']) {
    for (const file of fs.readdirSync(path.join(folder, part))) {
      if (!/\.[jc](s|pp)$/.test(file)) continue;
      const source = fs.readFileSync(path.join(folder, part, file), 'utf8');
      for (const [name] of source.matchAll(/[A-Za-z_]\w*/g)) names.add(name);
    }
  }
  for (const name of Object.getOwnPropertyNames(Object.prototype)) names.delete(name);
  return [...names];
}

const expected = {
  wait: 'not-equaltimed-outtimed-outtimed-out',
  'waitAsync at once': 'not-equaltimed-out',
  'waitAsync and notify': 'ok',
  'six hundred waits': 600,
  'a time-out': 'timed-out',
  'a time-out of options': 'timed-out',
  'empty options': 'ok',
  'ref and unref': 'ok',
  introspection: 'waitAsync futon::wait true 1',
  'pause and canBlock': true,
  errors: 'TypeErrorRangeErrorTypeErrorTypeError',
  'a strict lock': 9,
  lock: 'true TimeoutError EDEADLK EPERM EPERM',
  lockAsync: 'third TimeoutError 16 true',
  executeLocked: 'EvalError async now',
  signals: '1 ok AbortError AbortError true',
};

function run(when, names) {
  const child = path.join(__dirname, 'support', 'accessor_child.js');
  const { stdout, stderr, status } = spawnSync(process.execPath, [child, when, JSON.stringify(names)],
    { encoding: 'utf8', timeout: 30_000 });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
  return JSON.parse(stdout);
}

test('The functions return the same in a program without accessors', () => {
  assert.deepEqual(run('never', []), { called: [], results: expected });
});

for (const when of ['before', 'after']) {
  test(`Accessors on Object.prototype that are defined ${when} the package is loaded are not called`, () => {
    const names = plausibleNames();
    assert.ok(names.length > 500);
    for (const name of ['value', 'signal', 'timeout', 'get', 'set', 'async', 'ref', 'resolve', 'slot', 'code', 'next'])
      assert.ok(names.includes(name), name);
    assert.deepEqual(run(when, names), { called: [], results: expected });
  });
}

test('What Object.prototype has is not an option', async () => {
  const words = int32();
  const lock = new AsyncLock(words.buffer, 4);
  const guard = lock.lock();
  const nonsense = { timeout: -1, signal: 5, ref: 'no', strict: 'yes', unknown: 1 };
  Object.assign(Object.prototype, nonsense);
  let waits;
  try {
    const options = { ref: true };
    assert.equal(wait(words, 0, 1, {}), 'not-equal');
    waits = [waitAsync(words, 0, 0), waitAsync(words, 0, 0, undefined, {}), waitAsync(words, 0, 0, options),
      waitAsync(words, 0, 0, undefined, Object.create(options))];
    lock.lockAsync({}).then((guard) => guard.unlock());
    lock.executeLocked(() => undefined, {});
    assert.equal(new AsyncLock(words.buffer, 8, {}).tryLock() && words[2], 1);
    assert.equal(waitAsync(words, 0, 0, undefined, Object.create({ timeout: 0 })).value, 'timed-out');
  } finally {
    for (const name of Object.keys(nonsense)) delete Object.prototype[name];
  }
  assert.equal(notify(words, 0), 4);
  for (const { value } of waits) assert.equal(await value, 'ok');
  guard.unlock();
});
