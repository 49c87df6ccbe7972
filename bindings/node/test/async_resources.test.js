// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// A pending wait shows what keeps a process alive: as an async resource, and in process.getActiveResourcesInfo().

const assert = require('node:assert/strict');
const { createHook } = require('node:async_hooks');
const { AsyncLock, notify, waitAsync } = require('..');
const { test } = require('./support/test');
const { int32, nextIteration } = require('./support/wait_queue');

const ours = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('futon.'));

test('A pending wait is an active resource until it is over', async () => {
  const words = int32();
  assert.deepEqual(ours(), []);
  const { value } = waitAsync(words, 0, 0);
  assert.deepEqual(ours(), ['futon.waitAsync']);
  notify(words, 0);
  await value;
  assert.deepEqual(ours(), []);
});

test('What waits for a lock is an active resource', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  const guard = lock.lock();
  const later = lock.lockAsync();
  const executed = lock.executeLocked(() => {});
  assert.deepEqual(ours(), ['futon.AsyncLock', 'futon.AsyncLock']);
  guard.unlock();
  (await later).unlock();
  await executed;
  assert.deepEqual(ours(), []);
});

test('A wait that does not keep the process alive is not listed', async () => {
  const words = int32();
  const wait = waitAsync(words, 0, 0, undefined, { ref: false });
  assert.deepEqual(ours(), []);
  wait.ref();
  assert.deepEqual(ours(), ['futon.waitAsync']);
  wait.unref();
  assert.deepEqual(ours(), []);
  notify(words, 0);
  await wait.value;
});

test('An aborted wait and one that has timed out are not listed', async () => {
  const words = int32();
  const controller = new AbortController();
  const aborted = waitAsync(words, 0, 0, undefined, { signal: controller.signal });
  const late = waitAsync(words, 0, 0, 1);
  assert.equal(ours().length, 2);
  controller.abort();
  assert.equal(ours().length, 1);
  await assert.rejects(aborted.value, { name: 'AbortError' });
  assert.equal(await late.value, 'timed-out');
  assert.deepEqual(ours(), []);
});

test('Hooks see where a wait began, and when it is over', async () => {
  const begun = new Map();
  const destroyed = new Set();
  const hook = createHook({
    init(id, type) {
      if (type.startsWith('futon.')) begun.set(id, { type, stack: new Error().stack });
    },
    destroy: (id) => destroyed.add(id),
  }).enable();
  const words = int32();
  const { value } = waitAsync(words, 0, 0);
  notify(words, 0);
  await value;
  while (destroyed.size === 0) await nextIteration();
  hook.disable();

  const [[id, { type, stack }]] = begun;
  assert.equal(begun.size, 1);
  assert.equal(type, 'futon.waitAsync');
  assert.match(stack, /async_resources\.test\.js/);
  assert.ok(destroyed.has(id));
});

test('Tools can ask each resource whether it keeps the process alive', async () => {
  const resources = [];
  const hook = createHook({
    init(id, type, trigger, resource) {
      if (type.startsWith('futon')) resources.push({ resource, canBeAsked: typeof resource.hasRef === 'function' });
    },
  }).enable();
  const words = int32();
  const kept = waitAsync(words, 0, 0);
  const loose = waitAsync(words, 0, 0, undefined, { ref: false });
  hook.disable();

  assert.deepEqual(resources.map(({ canBeAsked }) => canBeAsked), [true, true]);
  assert.deepEqual(resources.map(({ resource }) => resource.hasRef()), [true, false]);
  notify(words, 0);
  await Promise.all([kept.value, loose.value]);
});

test('A hook that waits itself disturbs no wait', async () => {
  const words = int32();
  const inner = [];
  let count = 0;
  const hook = createHook({
    init(id, type) {
      if (type === 'futon.waitAsync' && count++ < 3) inner.push(waitAsync(words, 1, 0).value);
    },
  }).enable();
  const outer = waitAsync(words, 0, 0).value;
  hook.disable();
  assert.equal(notify(words, 1), 3);
  assert.equal(notify(words, 0), 1);
  assert.equal(await outer, 'ok');
  assert.deepEqual(await Promise.all(inner), ['ok', 'ok', 'ok']);
});

/// How often the hooks of async_hooks were called for each resource of this package that `body` has made.
async function hooksOf(body) {
  const calls = new Map();
  const hook = createHook({
    init: (id, type) => type.startsWith('futon.') && calls.set(id, 0),
    destroy: (id) => calls.has(id) && calls.set(id, calls.get(id) + 1),
  }).enable();
  try {
    await body();
    for (let i = 0; i < 5; ++i) await nextIteration();
  } finally {
    hook.disable();
  }
  return [...calls.values()];
}

test('An uncontended acquisition makes no async resource', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  const destroyed = await hooksOf(async () => {
    (await lock.lockAsync()).unlock();
    await lock.executeLocked(() => {});
  });
  assert.deepEqual(destroyed, []);
});

test('Each async resource is destroyed once, however many waits are pending', async () => {
  const words = int32();
  const lock = new AsyncLock(words.buffer, 4);
  const guard = lock.lock();
  const destroyed = await hooksOf(async () => {
    const waits = Array.from({ length: 300 }, () => waitAsync(words, 0, 0, { timeout: 60_000 }).value);
    const calls = Array.from({ length: 300 }, () => lock.executeLocked(() => {}));
    notify(words, 0);
    guard.unlock();
    await Promise.all([...waits, ...calls]);
  });
  assert.equal(destroyed.length, 600);
  assert.deepEqual(new Set(destroyed), new Set([1]));
});

test('A hook that waits while the promise of another wait is made does not take its async resource', async () => {
  const words = int32();
  const destroyed = await hooksOf(async () => {
    let inner;
    let hasCalled = false;
    const hook = createHook({
      init(id, type) {
        if (type !== 'PROMISE' || hasCalled) return;
        hasCalled = true;
        inner = waitAsync(words, 0, 0);
      },
    }).enable();
    const outer = waitAsync(words, 0, 0);
    hook.disable();
    assert.equal(notify(words, 0), 2);
    await Promise.all([outer.value, inner.value]);
  });
  assert.deepEqual(destroyed, [1, 1]);
});
