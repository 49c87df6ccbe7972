// SPDX-License-Identifier: MIT
'use strict';

// The programs of diagnostics.test.js: node diagnosed.js PROGRAM. Each thread of a program has this file, and the same locks.

const path = require('node:path');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { AsyncLock, SharedLock, diagnostics, notify, waitAsync } = require('../..');

const memory = isMainThread ? new SharedArrayBuffer(1024) : workerData.memory;
const words = new Int32Array(memory);
const a = new AsyncLock(memory, 0);
const b = new AsyncLock(memory, 4);
const c = new SharedLock(memory, 16);

/// Says that this thread has come to a step; waits until another has. By the engine's functions, which the diagnostics do not see.
function come(step) {
  Atomics.store(words, 32 + step, 1);
  Atomics.notify(words, 32 + step);
}
const until = (step) => void Atomics.wait(words, 32 + step, 0);

function start(part, options = {}) {
  const worker = new Worker(__filename, { ...options, workerData: { memory, part } });
  worker.on('message', (message) => console.log(message));
  return worker;
}

function nameThem() {
  diagnostics.name(a, 'accounts');
  diagnostics.name(b, 'log');
  diagnostics.name(c, 'cache');
}

/// Locks the one and then the other, when the other thread has locked its first, too.
function cross(own, other, step) {
  own.lock();
  come(step);
  until(1 - step);
  try {
    other.lock().unlock();
  } catch (error) {
    parentPort.postMessage(`${error.code}: ${error.message}`);
  }
  own.unlock();
}

/// Holds b and waits for a.
function hold() {
  b.lock();
  come(0);
  a.lock().unlock();
  b.unlock();
}

/// Holds a while it awaits b, which a worker holds that waits for a.
async function awaitOther(release) {
  const guard = a.tryLock();
  start('hold');
  await untilCome(0);
  const other = b.lockAsync();
  release?.(guard);
  (await other).unlock();
  if (guard.ownsLock) guard.unlock();
}

function lockPairs(order) {
  for (let i = 0; i < 400; ++i) {
    const buffer = new SharedArrayBuffer(64);
    const [first, second] = order(new AsyncLock(buffer, 0), new AsyncLock(buffer, 4));
    first.lock();
    second.lock().unlock();
    first.unlock();
    if (i % 20 === 19) globalThis.gc();
  }
}

/// Resolves when a worker has come to a step. Nothing of that stays in the loop.
function untilCome(step) {
  return new Promise((resolve) => {
    const look = () => (Atomics.load(words, 32 + step) === 1 ? resolve() : setImmediate(look));
    look();
  });
}

const programs = {
  off() {
    diagnostics.name(a, 'accounts');
    diagnostics.watch({ hold: 1, wait: 1, job: 1 });
    diagnostics.trace(10);
    diagnostics.writeTrace('/nowhere/trace.json');
    diagnostics.onReport('throw');
    const guard = a.lock();
    console.log(JSON.stringify([diagnostics.isOn, diagnostics.dump(), diagnostics.dumpJson(), diagnostics.metrics()]));
    guard.unlock();
  },

  async dump() {
    nameThem();
    diagnostics.name(words, 60, 'a word');
    diagnostics.trace();
    const own = a.lock();
    const pending = b.lock() && b.lockAsync();
    const shared = await c.lockSharedAsync();
    const word = waitAsync(words, 60, 0);
    console.log(JSON.stringify({ text: diagnostics.dump(), json: diagnostics.dumpJson(), metrics: diagnostics.metrics() }));
    b.unlock();
    (await pending).unlock();
    shared.unlock();
    own.unlock();
    notify(words, 60);
    await word.value;
    diagnostics.writeTrace(path.join(process.argv[3], 'trace.json'));
    diagnostics.writeTimeline(path.join(process.argv[3], 'timeline.html'));
  },

  threads() {
    nameThem();
    if (process.argv[3] !== undefined) diagnostics.onReport(process.argv[3]);
    start('first');
    start('second');
  },
  first: () => cross(a, b, 0),
  second: () => cross(b, a, 1),

  async promise() {
    nameThem();
    await awaitOther();
  },
  hold,

  /// The same, but a timer releases what is held.
  async timer() {
    await awaitOther((guard) => setTimeout(() => guard.unlock(), 50));
    console.log('done');
  },

  /// Two functions of one loop.
  async functions() {
    nameThem();
    const both = async (first, second) => {
      const guard = await first.lockAsync();
      await null;
      (await second.lockAsync()).unlock();
      guard.unlock();
    };
    await Promise.all([both(a, b), both(b, a)]);
  },

  /// A worker gives the main thread b, which holds a, and wants it once more.
  async settled() {
    nameThem();
    const guard = a.tryLock();
    start('giving');
    await untilCome(0);
    const other = b.lockAsync();
    come(1);
    await other;
    (await a.lockAsync()).unlock();
    guard.unlock();
  },
  giving() {
    const guard = b.lock();
    come(0);
    until(1);
    guard.unlock();
  },

  /// The same crosswise, but one of them gives up.
  async patient() {
    const both = async (first, second, options) => {
      const guard = await first.lockAsync();
      await null;
      await second.lockAsync(options).then((other) => other.unlock(), () => {});
      guard.unlock();
    };
    await Promise.all([both(a, b, { timeout: 30 }), both(b, a)]);
    console.log('done');
  },

  orders() {
    nameThem();
    start('forth').once('exit', () => start('back'));
  },
  forth() {
    a.lock();
    b.lock().unlock();
    a.unlock();
  },
  back() {
    b.lock();
    a.lock().unlock();
    b.unlock();
  },

  /// Two functions of one loop hold a and b at once, and know nothing of each other; so no order of them is seen.
  async strangers() {
    for (const [first, second] of [[a, b], [b, a]]) {
      const guard = await first.lockAsync();
      (await second.lockAsync()).unlock();
      guard.unlock();
    }
    start('forth').once('exit', () => console.log('done'));
  },

  /// Locks of a thread that lie where those of another one were, in the other order.
  again() {
    start('pairs').once('exit', () => start('reversedPairs').once('exit', () => console.log('done')));
  },
  pairs: () => lockPairs((first, second) => [first, second]),
  reversedPairs: () => lockPairs((first, second) => [second, first]),

  holding() {
    nameThem();
    diagnostics.watch({ hold: 20 });
    a.lock();
    setInterval(() => {}, 1000);
  },
  async waiting() {
    nameThem();
    diagnostics.watch({ wait: 20 });
    a.lock();
    setInterval(() => {}, 1000);
    await a.lockAsync();
  },
  busy() {
    diagnostics.watch({ job: 20 });
    setImmediate(() => setImmediate(() => {
      for (const end = Date.now() + 100; Date.now() < end;);
    }));
  },

  /// A worker of another environment.
  inherit() {
    start('tell', { env: {} });
  },
  ask() {
    start('tell', { env: { FUTON_DIAGNOSTICS: '1' } }).on('error', (error) => console.log(`${error.code}: ${error.message}`));
  },
  tell: () => parentPort.postMessage(String(diagnostics.isOn)),
};

void programs[isMainThread ? process.argv[2] : workerData.part]();
