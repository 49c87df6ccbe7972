// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Memory: a wait keeps the memory it waits on, but not longer than it waits; very many waits are possible.

const assert = require('node:assert/strict');
const v8 = require('node:v8');
const vm = require('node:vm');
const { addressOf, AsyncLock, notify, waitAsync, waiters } = require('..');
const { test } = require('./support/test');
const { int32, nextIteration } = require('./support/wait_queue');

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');

/// Collects until `predicate()` holds; gives up after many times.
async function collectUntil(predicate) {
  for (let i = 0; i < 50 && !predicate(); i++) {
    collect();
    await nextIteration();
  }
  return predicate();
}

test('A pending wait keeps its memory, so a new array has no waiters', async () => {
  const controller = new AbortController();
  const promise = waitAsync(int32(1024), 0, 0, Infinity, { signal: controller.signal }).value;
  const { address } = waiters()[0];

  for (let i = 0; i < 50; i++) {
    collect();
    const words = int32(1024);
    assert.notEqual(addressOf(words, 0), address);
    assert.equal(waiters(words, 0).length, 0);
    await nextIteration();
  }

  controller.abort();
  await assert.rejects(promise);
});

test('A wait that is over does not keep its memory', async () => {
  let isGone = 0;
  const registry = new FinalizationRegistry(() => isGone++);
  const waits = [];
  for (let i = 0; i < 3; i++) {
    (() => {
      const words = int32(1024);
      registry.register(words.buffer);
      const controller = new AbortController();
      const timeout = i === 1 ? 1 : Infinity;
      const { value } = waitAsync(words, 0, 0, timeout, i === 2 ? { signal: controller.signal } : undefined);
      if (i === 0) notify(words, 0);
      if (i === 2) controller.abort();
      waits.push(value.catch(() => {}));
    })();
  }
  await Promise.all(waits);

  assert.ok(await collectUntil(() => isGone === 3));
});

test('A promise that is only referenced by its reactions settles', async () => {
  const words = int32();
  const heard = [];
  for (let i = 0; i < 1000; i++) waitAsync(words, 0, 0).value.then((result) => heard.push(result));
  collect();

  assert.equal(notify(words, 0), 1000);
  await nextIteration();

  assert.equal(heard.length, 1000);
});

test('Very many promises settle in queue order', async () => {
  const words = int32();
  const count = 20_000;
  const order = [];
  for (let i = 0; i < count; i++) {
    const options = i % 7 === 0 ? {} : undefined;
    const timeout = i % 11 === 0 ? 1e7 : undefined;
    waitAsync(words, 0, 0, timeout, options).value.then((result) => order.push(result === 'ok' ? i : -1));
  }
  assert.equal(waiters(words, 0).length, count);

  assert.equal(notify(words, 0, count / 2), count / 2);
  await null;
  await null;
  assert.equal(notify(words, 0), count / 2);
  await nextIteration();

  assert.deepEqual(order, Array.from({ length: count }, (_, i) => i));
});

/// By how many bytes the memory grows when `run` runs repeatedly: in the heap, and outside of it. Both are approximate.
async function growthOf(run) {
  const measure = async (times) => {
    for (let i = 0; i < times; i++) {
      await run();
      collect();
    }
    const { heapUsed, heapTotal, rss } = process.memoryUsage();
    return { heap: heapUsed, outside: rss - heapTotal };
  };
  const before = await measure(3);
  const after = await measure(10);
  return { heap: after.heap - before.heap, outside: after.outside - before.outside };
}

test('Slots of settled waits are reused', async () => {
  const words = int32();
  const growth = await growthOf(async () => {
    const waits = Array.from({ length: 50_000 }, (_, i) => waitAsync(words, 0, 0, i % 2 === 0 ? undefined : 1e7).value);
    notify(words, 0);
    await Promise.all(waits);
  });

  // Half a million waits of 150 bytes would be 75 MB. The engine keeps some 30 by itself at times.
  assert.ok(growth.heap < 10e6 && growth.outside < 50e6, JSON.stringify(growth));
});

test('Waits that are not queued leave no memory behind', async () => {
  const words = int32();
  const pending = Array.from({ length: 1000 }, () => waitAsync(words, 1, 0).value);
  const growth = await growthOf(() => {
    for (let i = 0; i < 20_000; i++) {
      waitAsync(words, 0, 1);
      waitAsync(words, 0, 1, 1e6);
      waitAsync(words, 0, 0, 0);
    }
  });
  notify(words, 1);
  await Promise.all(pending);

  assert.ok(growth.heap < 10e6 && growth.outside < 30e6, JSON.stringify(growth));
});

test('A guard and a lock without references are collected once the lock is released', async () => {
  let isGone = false;
  const registry = new FinalizationRegistry(() => (isGone = true));
  (() => {
    const words = int32(1024);
    registry.register(words.buffer);
    new AsyncLock(words.buffer).lock().unlock();
  })();

  assert.ok(await collectUntil(() => isGone));
});
