// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Programs that load the package anew, as test runners do that reset their modules.

const assert = require('node:assert/strict');
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');
const { test } = require('./support/test');
const { nextIteration } = require('./support/wait_queue');

v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc');
const root = path.join(__dirname, '..') + path.sep;

/// A fresh copy of the package; the cache and the list of children forget the one before.
function load() {
  for (const name of Object.keys(require.cache)) if (name.startsWith(root) && !name.startsWith(__dirname)) delete require.cache[name];
  module.children.length = 0;
  return require('..');
}

async function collect() {
  for (let i = 0; i < 4; ++i) {
    gc();
    await nextIteration();
  }
}

async function useOnce() {
  const { AsyncLock, notify, waitAsync } = load();
  const words = new Int32Array(new SharedArrayBuffer(8));
  const { value } = waitAsync(words, 0, 0);
  notify(words, 0);
  assert.equal(await value, 'ok');
  const lock = new AsyncLock(words.buffer, 4);
  lock.lock().unlock();
  assert.equal(await lock.executeLocked(() => 'done'), 'done');
}

test('Copies of the package that are not used any more are collected', async () => {
  const all = [];
  for (let i = 0; i < 30; ++i) {
    await useOnce();
    all.push(new WeakRef(require('..').AsyncLock));
    await nextIteration();
  }
  load();
  await collect();

  assert.equal(all.filter((reference) => reference.deref() !== undefined).length, 0);
});

test('A copy stays while a wait of it is pending', async () => {
  const words = new Int32Array(new SharedArrayBuffer(8));
  let value = load().waitAsync(words, 0, 0).value;
  const settled = value.then((result) => result);
  value = undefined;
  const { notify } = load();
  await collect();

  assert.equal(notify(words, 0), 1);
  assert.equal(await settled, 'ok');
});

test('A copy stays while a lock is held by it, whose holder is known', async () => {
  const buffer = new SharedArrayBuffer(4);
  (() => void new (load().AsyncLock)(buffer).lock())();
  const { AsyncLock, inspect } = load();
  await collect();

  const lock = new AsyncLock(buffer);
  assert.equal(inspect(lock).isLocked, true);
  assert.equal(inspect(lock).holder, 0);
  lock.unlock();
  assert.equal(lock.lock().wasAbandoned, false);
});

test('The memory of a held lock stays, though the copy that holds it is not referenced any more', async () => {
  const buffer = (() => {
    const { AsyncLock } = load();
    const lock = new AsyncLock(new SharedArrayBuffer(4));
    lock.lock();
    return new WeakRef(lock.buffer);
  })();
  load();
  await nextIteration();
  await collect();

  assert.notEqual(buffer.deref(), undefined);
});

test('A copy that only was loaded has no handles', async () => {
  load();
  await collect();
  const { handles } = process.report.getReport().libuv.reduce((counts, { type, address }) => {
    if (type === 'prepare' && address !== undefined) ++counts.handles;
    return counts;
  }, { handles: 0 });
  for (let i = 0; i < 10; ++i) load();
  const after = process.report.getReport().libuv.filter(({ type }) => type === 'prepare').length;
  assert.equal(after, handles);
});
