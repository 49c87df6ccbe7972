// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// One lock used by workers that block, workers that do not, the main thread and a native thread.

const assert = require('node:assert/strict');
const { AsyncLock, wait, waitAsync, waiters } = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32 } = require('./support/wait_queue');
const { loadExample } = require('./support/example');

const COUNTER = 1;

const countBlocking = (words, rounds) => {
  const { AsyncLock } = require('../..');
  const lock = new AsyncLock(words.buffer);
  for (let i = 0; i < rounds; i++) {
    lock.lock();
    words[1] = words[1] + 1;
    lock.unlock();
  }
};

const countAsync = async (words, rounds) => {
  const { AsyncLock } = require('../..');
  const lock = new AsyncLock(words.buffer);
  for (let i = 0; i < rounds; i++) {
    const guard = await lock.lockAsync();
    words[1] = words[1] + 1;
    if (i % 16 === 0) await null;
    guard.unlock();
  }
};

const countTrying = (words, rounds) => {
  const { AsyncLock } = require('../..');
  const lock = new AsyncLock(words.buffer);
  for (let i = 0; i < rounds; ) {
    if (!lock.tryLock()) continue;
    words[1] = words[1] + 1;
    lock.unlock();
    i++;
  }
};

test('No increment is lost between workers of all kinds and the main thread', () =>
  withAgents(3, async (...agents) => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    const bodies = [countBlocking, countAsync, countTrying];
    const theirs = agents.map((agent, i) => agent.run(bodies[i], words, 5000));

    for (let i = 0; i < 2000; i++) await lock.executeLocked(() => (words[COUNTER] = words[COUNTER] + 1));
    await Promise.all(theirs);

    assert.equal(words[COUNTER], 17_000);
    assert.equal(words[0] & 1, 0);
    assert.equal(waiters(words, 0).length, 0);
  }));

test('No increment is lost between a native thread, workers and the main thread', (context) =>
  withAgents(2, async (...agents) => {
    const example = loadExample(context);
    if (example === undefined) return;
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    example.increment(words, 20_000);
    const theirs = [agents[0].run(countBlocking, words, 5000), agents[1].run(countAsync, words, 5000)];

    for (let i = 0; i < 2000; i++) await lock.executeLocked(() => (words[COUNTER] = words[COUNTER] + 1));
    await Promise.all(theirs);
    if (Atomics.load(words, 2) === 0) await waitAsync(words, 2, 0).value;

    assert.equal(words[COUNTER], 32_000);
    assert.equal(words[0] & 1, 0);
  }));

test('Aborts and time-outs under contention lose neither the lock nor a wake-up', () =>
  withAgents(2, async (...agents) => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    const theirs = agents.map((agent) => agent.run(countBlocking, words, 5000));

    let mine = 0;
    for (let i = 0; i < 1000; i++) {
      const controller = new AbortController();
      const attempts = [
        lock.lockAsync({ signal: controller.signal }),
        lock.lockAsync({ timeout: 0.01 }),
        lock.lockAsync(),
      ];
      const counted = attempts.map((attempt) =>
        attempt.then((guard) => {
          words[COUNTER] = words[COUNTER] + 1;
          mine++;
          guard.unlock();
        }, () => {}));
      if (i % 2 === 0) controller.abort();
      await Promise.all(counted);
    }
    await Promise.all(theirs);

    assert.equal(words[COUNTER], 10_000 + mine);
    assert.equal(words[0] & 1, 0);
    assert.equal(waiters(words, 0).length, 0);
  }));

/// Unlocks when words[2] becomes 1. Once one of the two waiters was woken for that, it barges: it tries to lock, and leaves in words[3]
/// whether it did: 1, or 2 if the lock was handed off. If it did, it unlocks again, at once or when words[2] becomes 2.
const unlockAndBarge = (words, { barges, waitsToUnlock }) => {
  const { AsyncLock, waiters } = require('../..');
  const lock = new AsyncLock(words.buffer);
  Atomics.store(words, 1, 1);
  while (Atomics.load(words, 2) !== 1);
  lock.unlock();
  while (waiters(words, 0).length === 2);  // at once, or where the loop is in the middle of a turn, a little later
  const hasBarged = barges && lock.tryLock();
  Atomics.store(words, 3, hasBarged ? 1 : 2);
  if (!hasBarged) return;
  while (waitsToUnlock && Atomics.load(words, 2) !== 2);
  lock.unlock();
};

/// Locks; enqueues two waiters, the first with a signal; has the agent unlock, and barge, while this thread runs no
/// callbacks; and aborts the first. By then it has been woken, but does not know. `hasBarged` is false if the lock was handed
/// off to it: then it had waited for longer than the handoff threshold.
async function abortWoken(agent, how) {
  const words = int32();
  const lock = new AsyncLock(words.buffer);
  lock.tryLock();
  const agentsEnd = agent.run(unlockAndBarge, words, how);
  while (Atomics.load(words, 1) !== 1);
  const controller = new AbortController();
  const first = lock.lockAsync({ signal: controller.signal });
  const second = lock.lockAsync();
  Atomics.store(words, 2, 1);
  // Blocked, not spinning: where there is one core, the agent gets it before the handoff threshold has passed.
  while (Atomics.load(words, 3) === 0) wait(words, 3, 0, 1);
  controller.abort();
  return { words, lock, first, second, agentsEnd, hasBarged: words[3] === 1 };
}

/// The same, again and again until the agent has barged.
async function abortWokenAfterBarging(agent, how) {
  while (true) {
    const result = await abortWoken(agent, { barges: true, ...how });
    if (result.hasBarged) return result;
    (await result.first).unlock();
    (await result.second).unlock();
  }
}

test('An abort that meets a wake-up has no effect if the lock is free or handed off', () =>
  withAgents(1, async (agent) => {
    for (let i = 0; i < 20; i++) {
      const { words, lock, first, second } = await abortWoken(agent, { barges: false });

      let isSecondDone = false;
      const both = second.then((guard) => { isSecondDone = true; guard.unlock(); });
      const guard = await first;
      assert.equal(lock.tryLock(), undefined);
      assert.equal(isSecondDone, false);  // it is queued, or was woken in vain: this thread was late
      guard.unlock();
      await both;

      assert.equal(waiters(words, 0).length, 0);
      assert.equal(words[0] & 1, 0);
    }
  }));

test('An abort that meets a wake-up while another thread has barged rejects, and the next waiter gets the lock', () =>
  withAgents(1, async (agent) => {
    for (let i = 0; i < 5; i++) {
      const { words, lock, first, second, agentsEnd } = await abortWokenAfterBarging(agent, { waitsToUnlock: true });

      await assert.rejects(first, { name: 'AbortError' });
      assert.equal(waiters(words, 0).length, 1);
      assert.equal(words[0] & 1, 1);
      Atomics.store(words, 2, 2);
      const guard = await second;
      await agentsEnd;
      assert.equal(lock.tryLock(), undefined);
      guard.unlock();

      assert.equal(waiters(words, 0).length, 0);
      assert.equal(words[0] & 1, 0);
    }
  }));

test('An abort that meets a wake-up while another thread barges and unlocks again loses no wake-up', () =>
  withAgents(1, async (agent) => {
    for (let i = 0; i < 30; i++) {
      const { words, first, second, agentsEnd } = await abortWokenAfterBarging(agent, { waitsToUnlock: false });

      const outcome = await first.then((guard) => guard.unlock(), (error) => error.name);
      assert.ok(outcome === undefined || outcome === 'AbortError');
      (await second).unlock();
      await agentsEnd;

      assert.equal(waiters(words, 0).length, 0);
      assert.equal(words[0] & 1, 0);
    }
  }));

test('A lock whose blocked and pending waiters are terminated stays usable', () =>
  withAgents(1, async (survivor) => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    for (let i = 0; i < 5; i++) {
      lock.lock();
      await withAgents(2, async (blocked, pending) => {
        blocked.run(countBlocking, words, 1);
        await pending.run((words) => {
          const { AsyncLock } = require('../..');
          new AsyncLock(words.buffer).lockAsync();
        }, words);
        while (waiters(words, 0).length < 2) wait(words, 3, 0, 1);
        // The wake-up may go to a thread that is about to end, but it must not be lost with it.
        if (i % 2 === 0) setImmediate(() => lock.unlock());
      });
      if (i % 2 !== 0) lock.unlock();
      if ((words[0] & 1) === 1) Atomics.store(words, 0, 0);  // its owner was terminated
      await survivor.run(countBlocking, words, 10);
    }
    assert.equal(waiters(words, 0).length, 0);
  }));
