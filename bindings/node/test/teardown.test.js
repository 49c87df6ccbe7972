// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// How threads and processes end, beyond what exit.test.js asks of the engine's functions as well.

const assert = require('node:assert/strict');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { Worker } = require('node:worker_threads');
const { AsyncLock, notify, waitAsync, waiters } = require('..');
const { test } = require('./support/test');
const { Agent, withAgents } = require('./support/agent');
const { stopwatch } = require('./support/clock');
const { int32, nextIteration, untilWaiting } = require('./support/wait_queue');

test('A worker that catches all exceptions and waits again can be terminated', async () => {
  const words = int32();
  const agent = new Agent();
  agent.run((words) => {
    for (;;) {
      try {
        Atomics.wait(words, 0, 0);
      } catch {
        // again
      }
    }
  }, words);
  await untilWaiting(words, 0, 1);

  await agent.terminate();

  assert.equal(notify(words, 0), 0);
});

test('A worker that is blocked in lock can be terminated', async () => {
  const words = int32();
  const lock = new AsyncLock(words.buffer);
  lock.lock();
  const agent = new Agent();
  agent.run((words) => new (require('../..').AsyncLock)(words.buffer).lock(), words);
  await untilWaiting(words, 0, 1);

  await agent.terminate();

  assert.equal(waiters(words, 0).length, 0);
  lock.unlock();
  assert.ok(lock.tryLock());
});

for (const [how, take] of [
  ['taken by another', (lock) => {
    while (!lock.tryLock());  // an offer expires
    lock.unlock();
  }],
  ['released by a plain store', (lock, words) => Atomics.store(words, 0, 0)],
]) {
  test(`A worker can be terminated after a lock was offered to it and was ${how}`, async () => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    lock.lock();
    const agent = new Agent();
    agent.run((words) => {
      new (require('../..').AsyncLock)(words.buffer).lockAsync();
      Atomics.store(words, 1, 1);
      for (;;);  // so that it never takes the lock
    }, words);
    while (Atomics.load(words, 1) === 0) await nextIteration();
    // Once the handoff threshold has passed, a millisecond, the unlock offers the lock.
    const clock = stopwatch();
    while (clock.since() < 3);
    lock.unlock();
    take(lock, words);

    await agent.terminate();

    assert.equal(waiters(words, 0).length, 0);
    assert.ok(lock.tryLock());
  });
}

for (const [what, waited] of [
  ['offered to it', (clock) => clock.since() >= 3],  // longer than the handoff threshold
  ['released and it was woken', () => true],            // unless this thread is slow: then it is offered, too
]) {
  test(`A lock that was ${what} goes to the next waiter when the worker is terminated`, async () => {
    const words = int32();
    const lock = new AsyncLock(words.buffer);
    const agent = new Agent();
    await agent.run(() => {});
    lock.lock();
    agent.run((words) => {
      new (require('../..').AsyncLock)(words.buffer).lockAsync();
      Atomics.store(words, 1, 1);
      for (;;);  // so that it never takes the lock
    }, words);
    while (Atomics.load(words, 1) === 0);
    const next = lock.lockAsync();
    const clock = stopwatch();
    while (!waited(clock));
    lock.unlock();

    await agent.terminate();

    (await next).unlock();
    assert.equal(waiters(words, 0).length, 0);
    assert.ok(lock.tryLock());
  });
}

test('Promises notified while their worker ends are counted at most once', async () => {
  const words = int32();
  for (let i = 0; i < 20; i++) {
    const agent = new Agent();
    await agent.run((words) => {
      for (let k = 0; k < 500; k++) Atomics.waitAsync(words, 0, 0, k % 2 === 0 ? undefined : 1e6);
    }, words);
    const ended = agent.terminate();
    let woken = 0;
    for (let k = 0; k < 500; k++) woken += notify(words, 0, 1);
    await ended;
    assert.ok(woken <= 500);
    assert.equal(waiters(words, 0).length, 0);
    assert.equal(notify(words, 0), 0);
  }
});

test('Workers can begin and end while another thread notifies them', () =>
  withAgents(1, async (notifier) => {
    const words = int32();
    const notifying = notifier.run((words) => {
      let count = 0;
      while (Atomics.load(words, 1) === 0) count += Atomics.notify(words, 0);
      return count;
    }, words);
    for (let i = 0; i < 10; i++) {
      const agents = [new Agent(), new Agent()];
      for (const agent of agents) {
        agent.run(async (words) => {
          for (;;) await Promise.all([Atomics.waitAsync(words, 0, 0).value, Atomics.waitAsync(words, 0, 0, 0.1).value]);
        }, words);
      }
      await waitAsync(words, 0, 0).value;
      await Promise.all(agents.map((agent) => agent.terminate()));
    }
    Atomics.store(words, 1, 1);
    assert.ok((await notifying) > 0);
    assert.equal(waiters(words, 0).length, 0);
  }));

test('Workers that load the package one after the other can end, if no other thread has loaded it', () => {
  const source = `
    const { Worker } = require('node:worker_threads');
    const load = ${JSON.stringify(`require(${JSON.stringify(path.join(__dirname, '..'))})`)};
    const code = load + '.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5).value.then(console.log)';
    const run = () => new Promise((resolve) => new Worker(code, { eval: true }).on('exit', resolve));
    run().then(run).then(run).then((code) => console.log('exit', code));
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', source], { encoding: 'utf8', timeout: 30_000 });
  assert.deepEqual({ status, stdout, stderr },
    { status: 0, stdout: 'timed-out\ntimed-out\ntimed-out\nexit 0\n', stderr: '' });
});

test('A process whose main thread is blocked can be killed by a signal', async () => {
  const source = `
    const futon = require(${JSON.stringify(path.join(__dirname, '..'))});
    console.log('ready');
    futon.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  `;
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGTERM');
  const signal = await new Promise((resolve) => child.on('exit', (_, name) => resolve(name)));
  assert.equal(signal, 'SIGTERM');
});

test('A worker that is blocked from its start can be terminated', async () => {
  const words = int32();
  const worker = new Worker(`
    const { workerData } = require('node:worker_threads');
    require(${JSON.stringify(path.join(__dirname, '..'))}).wait(workerData, 0, 0, 1e9);
  `, { eval: true, workerData: words });
  await untilWaiting(words, 0, 1);
  assert.equal(await worker.terminate(), 1);
});
