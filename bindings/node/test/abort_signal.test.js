// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// waitAsync with an AbortSignal: an abort dequeues the wait and rejects its promise, unless it was notified before.

const assert = require('node:assert/strict');
const { getEventListeners } = require('node:events');
const { AsyncLock, waitAsync, notify, waiters } = require('..');
const { test } = require('./support/test');
const { int32, nextIteration } = require('./support/wait_queue');

test('An abort rejects the promise with the reason, and dequeues the wait', async () => {
  const words = int32();
  const controller = new AbortController();
  const before = waitAsync(words, 0, 0);
  const { async, value } = waitAsync(words, 0, 0, Infinity, { signal: controller.signal });
  const after = waitAsync(words, 0, 0);
  assert.equal(async, true);

  controller.abort(new RangeError('on purpose'));

  await assert.rejects(value, new RangeError('on purpose'));
  assert.equal(waiters(words, 0).length, 2);
  assert.equal(notify(words, 0), 2);
  assert.deepEqual([await before.value, await after.value], ['ok', 'ok']);
});

test('A signal that is already aborted rejects the promise, and no waiter is queued', async () => {
  const words = int32();
  const { async, value } = waitAsync(words, 0, 0, Infinity, { signal: AbortSignal.abort() });

  assert.equal(async, true);
  assert.equal(waiters(words, 0).length, 0);
  await assert.rejects(value, { name: 'AbortError' });
});

test('An abort after the notify has no effect', async () => {
  const words = int32();
  const controller = new AbortController();
  const { value } = waitAsync(words, 0, 0, Infinity, { signal: controller.signal });

  assert.equal(notify(words, 0), 1);
  controller.abort();

  assert.equal(await value, 'ok');
});

test('A wait that is over has removed its listener', async () => {
  const words = int32();
  const { signal } = new AbortController();
  const notified = waitAsync(words, 0, 0, Infinity, { signal });
  const late = waitAsync(words, 0, 0, 1, { signal });
  assert.equal(getEventListeners(signal, 'abort').length, 1);

  assert.equal(await late.value, 'timed-out');
  notify(words, 0);
  assert.equal(await notified.value, 'ok');

  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('A wait that was not queued adds no listener', () => {
  const words = int32();
  const { signal } = new AbortController();

  assert.equal(waitAsync(words, 0, 1, Infinity, { signal }).value, 'not-equal');
  assert.equal(waitAsync(words, 0, 0, 0, { signal }).value, 'timed-out');

  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('AbortSignal.timeout ends a wait', async () => {
  const words = int32();
  const { value } = waitAsync(words, 0, 0, Infinity, { signal: AbortSignal.timeout(1) });

  await assert.rejects(value, { name: 'TimeoutError' });
});

test('One signal ends many waits, of light and heavy slots', async () => {
  const words = int32();
  const controller = new AbortController();
  const waits = Array.from({ length: 1000 }, () =>
    waitAsync(words, 0, 0, Infinity, { signal: controller.signal }).value);

  controller.abort();

  const results = await Promise.allSettled(waits);
  assert.ok(results.every(({ status }) => status === 'rejected'));
  assert.equal(waiters(words, 0).length, 0);
});

test('Many waits with one signal add one listener, and cause no warning', async () => {
  const words = int32();
  const controller = new AbortController();
  const warnings = [];
  const note = (warning) => warnings.push(warning);
  process.on('warning', note);
  const waits = Array.from({ length: 100 }, () => waitAsync(words, 0, 0, Infinity, { signal: controller.signal }).value);
  assert.equal(getEventListeners(controller.signal, 'abort').length, 1);
  assert.equal(notify(words, 0, 50), 50);
  controller.abort();
  const results = await Promise.allSettled(waits);
  await nextIteration();
  process.off('warning', note);

  assert.deepEqual(results.map(({ status }) => status),
    [...Array(50).fill('fulfilled'), ...Array(50).fill('rejected')]);
  assert.deepEqual(warnings, []);
});

test('A signal still ends waits after the program has dispatched an abort event itself', async () => {
  const words = int32();
  const controller = new AbortController();
  const first = waitAsync(words, 0, 0, Infinity, { signal: controller.signal }).value;
  controller.signal.dispatchEvent(new Event('abort'));
  await assert.rejects(first);
  const second = waitAsync(words, 0, 0, Infinity, { signal: controller.signal }).value;
  controller.abort();
  await assert.rejects(second, { name: 'AbortError' });
});

/// Objects that pass for an AbortSignal, but to which no listener can be added.
const strangeSignals = {
  'whose constructor is not an EventTarget': () =>
    Object.create(new AbortController().signal, { constructor: { value: Object } }),
  'that throws when a listener is added': () =>
    new Proxy(new AbortController().signal, {
      get(target, name) {
        if (name === 'constructor') throw new Error('on purpose');
        return Reflect.get(target, name);
      },
    }),
};

for (const [what, make] of Object.entries(strangeSignals)) {
  test(`A signal ${what} leaves no waiter queued`, async () => {
    const words = int32();
    assert.throws(() => waitAsync(words, 0, 0, Infinity, { signal: make() }));
    assert.equal(waiters(words, 0).length, 0);

    const lock = new AsyncLock(words.buffer, 4);
    lock.lock();
    await assert.rejects(lock.lockAsync({ signal: make() }));
    assert.equal(waiters(words, 1).length, 0);
    lock.unlock();
    assert.ok(lock.tryLock());
  });
}

test('Properties of Object.prototype are not used as options of the listener', async () => {
  const words = int32();
  const controller = new AbortController();
  Object.prototype.signal = 5;
  let value;
  try {
    ({ value } = waitAsync(words, 0, 0, Infinity, { signal: controller.signal }));
  } finally {
    delete Object.prototype.signal;
  }
  controller.abort();
  await assert.rejects(value, { name: 'AbortError' });
});

test('A signal can abort and enqueue waits while a listener is added to it', async () => {
  const words = int32();
  const controller = new AbortController();
  const others = [];
  let isFirst = true;
  const signal = new Proxy(controller.signal, {
    get(target, name) {
      if (name === 'constructor' && isFirst) {
        isFirst = false;
        for (let i = 0; i < 300; i++) others.push(waitAsync(words, 1, 0, Infinity, { signal: target }).value);
        for (let i = 0; i < 300; i++) others.push(waitAsync(words, 1, 0).value);
        controller.abort();
      }
      return Reflect.get(target, name);
    },
  });
  const { value } = waitAsync(words, 0, 0, Infinity, { signal });

  await assert.rejects(value, { name: 'AbortError' });
  assert.equal(waiters(words, 0).length, 0);
  assert.equal(notify(words, 1), 300);
  const results = await Promise.allSettled(others);
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 300);
});

test('Invalid options throw a TypeError that names them', () => {
  const words = int32();

  for (const options of [null, 1, 'signal', Symbol()])
    assert.throws(() => waitAsync(words, 0, 0, 1, options), { name: 'TypeError', message: /options/ });
  for (const signal of [null, {}, 1, new EventTarget()])
    assert.throws(() => waitAsync(words, 0, 0, 1, { signal }), { name: 'TypeError', message: /options\.signal/ });
  assert.throws(() => waitAsync(words, 0, 0, 1, { ref: 1 }), { name: 'TypeError', message: /options\.ref/ });
  assert.equal(waiters(words, 0).length, 0);
});
