// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Workers that are terminated at any time while they use a primitive: afterwards nothing is queued, and what no worker had is
// there. FUTON_STRESS_SECONDS says how long that is done with all primitives.

const assert = require('node:assert/strict');
const path = require('node:path');
const { Worker } = require('node:worker_threads');
const { inspect, waitAsync, waiters } = require('..');
const { test } = require('./support/test');
const { int32, nextIteration } = require('./support/wait_queue');
const { primitivesIn, COUNT, INSIDE, ORDER, BYTES } = require('./support/family_memory');

const WORKER = path.join(__dirname, 'support', 'terminated_worker.js');
const WORKERS = 3;
const PERMITS = 2;
const COUNT_OF_LATCH = 2 ** 30;

const OPTIONS = {
  semaphore: { permits: PERMITS, maximum: PERMITS }, signal: { set: true }, barrier: { participants: WORKERS },
  latch: { count: COUNT_OF_LATCH },
};

let seed = 1;
const random = (below) => (seed = (seed * 48271) % 0x7fffffff) % below;

/// The lock can be had, and one whose owner ended within was abandoned.
async function checkLock({ lock, words }) {
  const guard = await lock.lockAsync({ timeout: 30_000 });
  if (words[INSIDE] !== 0) assert.equal(guard.wasAbandoned, true, 'an owner ended within, and the next one is not told');
  guard.unlock();
  assert.deepEqual([inspect(lock).isLocked, inspect(lock).waiters], [false, []]);
}

function checkSharedLock({ sharedLock }, mayBeLost) {
  const guard = sharedLock.tryLock();
  if (guard === undefined) return assert.ok(mayBeLost > 0, 'it is held, and no worker has it');
  return guard.unlock();
}

function checkSemaphore({ semaphore }, mayBeLost) {
  const lost = PERMITS - semaphore.available;
  assert.ok(lost >= 0 && lost <= 3 * mayBeLost, `${lost} permits are lost with ${mayBeLost} workers`);
  if (lost > 0) semaphore.release(lost);
  semaphore.acquire(PERMITS, { timeout: 30_000 }).release();
}

function checkSignal({ signal }, mayBeLost) {
  if (!signal.isSet) assert.ok(mayBeLost > 0, 'the signal is lost, and no worker has it');
  signal.set();
  assert.equal(signal.wait({ timeout: 0 }), 'ok');
}

// What is left of each. `mayBeLost` is how many workers were terminated that may have had something.
const checks = {
  lock: checkLock,
  executeLocked: checkLock,
  sharedLock: checkSharedLock,
  semaphore: checkSemaphore,
  event({ events: [event] }) {
    event.set();
    assert.equal(event.wait({ timeout: 0 }), 'ok');
    event.reset();
    assert.equal(event.tryWait(), false);
  },
  signal: checkSignal,
  async latch({ latch, words }) {
    const waits = latch.waitAsync();
    const counted = Atomics.load(words, COUNT);  // at least; a worker may have been terminated before it has noted another
    latch.countDown(COUNT_OF_LATCH - counted - WORKERS);
    while (!latch.tryWait()) latch.countDown();
    assert.equal(await waits, 'ok');
  },
  async barrier({ barrier }) {
    const waits = barrier.arriveAndWaitAsync();
    for (let i = 1; i < WORKERS && barrier.waiters().length > 0; ++i) barrier.arrive();
    assert.equal(await waits, 'ok');
  },
  async condition(all) {
    assert.equal(all.condition.notify(), 0);
    await checkLock(all);
    const guard = all.lock.lock();
    const waits = all.condition.waitAsync(guard);
    assert.equal(all.condition.notify(), 1);
    assert.equal(await waits, 'ok');
    guard.unlock();
  },
  channel({ channel }) {
    let last = -1;
    for (let found = channel.tryReceive(); found !== undefined; found = channel.tryReceive()) {
      const [sender, number] = found.value;
      assert.ok(sender === 0 && number >= last, `${found.value} after ${last}`);
      last = number;
    }
    while (channel.trySend([0, 0]) === 'ok');
    assert.deepEqual(channel.receive().value, [0, 0]);
    assert.equal(channel.send([0, 0], { timeout: 0 }), 'ok');
  },
  async select(all, mayBeLost) {
    await checkLock(all);
    checkSharedLock(all, mayBeLost);
    checkSemaphore(all, mayBeLost);
    checkSignal(all, mayBeLost);
  },
  word() {},
};

/// Begins workers, terminates them at random, and checks what is left.
async function round(name) {
  const words = int32(BYTES / 4);
  const all = primitivesIn(words, OPTIONS);
  all.latch = all.latchOf(0);
  const start = (id) => new Worker(WORKER, { workerData: { words, name, id } });
  const workers = Array.from({ length: WORKERS }, (_, id) => start(id));
  const failed = Promise.race(workers.map((worker) => new Promise((_, reject) => worker.on('error', reject))));
  failed.catch(() => {});
  const end = async () => {
    for (let now = 0; now < 4 * WORKERS; now = Atomics.load(words, COUNT)) await waitAsync(words, COUNT, now).value;
    while (workers.length > 0) {
      for (let i = random(30); i > 0; --i) await nextIteration();
      const [victim] = workers.splice(random(workers.length), 1);
      await victim.terminate();
    }
  };
  await Promise.race([failed, end()]);
  assert.deepEqual(waiters(), []);
  const mayBeLost = words.subarray(ORDER, ORDER + WORKERS).reduce((sum, state) => sum + state);
  await checks[name](all, mayBeLost);
  assert.deepEqual(waiters(), []);
}

const names = Object.keys(checks);
const seconds = Number(process.env.FUTON_STRESS_SECONDS ?? 4) / names.length;
for (const name of names) {
  const limit = { timeout: 60_000 + seconds * 1000 };
  test(`Workers that are terminated amid ${name} leave nothing queued`, limit, async (context) => {
    let rounds = 0;
    const end = performance.now() + seconds * 1000;
    for (; performance.now() < end || rounds === 0; ++rounds) await round(name);
    context.diagnostic(`${rounds} rounds of ${WORKERS} workers`);
  });
}
