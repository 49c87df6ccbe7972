// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Unusual programs: changed globals, calls from hooks, a full stack.

const assert = require('node:assert/strict');
const path = require('node:path');
const { AsyncLocalStorage, createHook } = require('node:async_hooks');
const { spawnSync } = require('node:child_process');
const { once } = require('node:events');
const { Worker } = require('node:worker_threads');
const { AsyncLock, notify, wait, waitAsync, waiters } = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { bigInt64, int32, nextIteration, untilWaiting } = require('./support/wait_queue');

function run(source) {
  const prelude = `const futon = require(${JSON.stringify(path.join(__dirname, '..'))});
    const words = new Int32Array(new SharedArrayBuffer(16));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', prelude + source], { encoding: 'utf8', timeout: 30_000 });
  return { status, stdout, stderr };
}

test('The functions work after the program has changed its globals', () => {
  const result = run(`
    const { wait, waitAsync, notify, AsyncLock } = futon;
    const log = console.log;
    const lock = new AsyncLock(words.buffer, 8);
    const spoil = (object, name) => Object.defineProperty(object, name, { value() { throw new Error(name); } });
    const TypedArrayPrototype = Object.getPrototypeOf(Int32Array.prototype);
    for (const name of ['length', 'buffer', Symbol.toStringTag, 'keys']) spoil(TypedArrayPrototype, name);
    spoil(SharedArrayBuffer.prototype, 'byteLength');
    spoil(Promise, 'resolve');
    spoil(Map.prototype, 'set');
    spoil(Math, 'trunc');
    spoil(Number, 'isInteger');
    spoil(BigInt, 'asIntN');
    Int32Array = Map = Promise = TypeError = undefined;
    log(notify(words, 0), wait(words, 0, 0, 1), waitAsync(words, 0, 1).value, lock.tryLock() !== undefined);
    const { value } = waitAsync(words, 0, 0);
    log(notify(words, 0, 1));
    value.then(log);
  `);
  assert.deepEqual(result, { status: 0, stdout: '0 timed-out not-equal true\n1\nok\n', stderr: '' });
});

test('An array that is not extensible can be waited on', async () => {
  const words = Object.preventExtensions(int32());
  const { value } = waitAsync(words, 1, 0);
  assert.equal(wait(words, 1, 0, 0), 'timed-out');
  assert.equal(notify(words, 1), 1);
  assert.equal(await value, 'ok');
});

test('Waiting on an array does not change its properties', () => {
  const words = int32();
  const before = [Reflect.ownKeys(words), Object.isExtensible(words), Object.getPrototypeOf(words)];
  notify(words, 0);
  assert.deepEqual([Reflect.ownKeys(words), Object.isExtensible(words), Object.getPrototypeOf(words)], before);
});

test('A proxy of an array is refused', () => {
  const words = int32();
  notify(words, 0);
  for (const impostor of [new Proxy(words, {}), Object.create(words)])
    assert.throws(() => notify(impostor, 0), TypeError);
});

test('Hooks of async_hooks can wait and notify', async () => {
  const words = int32();
  let calls = 0;
  const hook = createHook({
    init() {
      if (calls++ < 100) waitAsync(words, 1, 0);
    },
    promiseResolve() {
      if (calls++ < 100) notify(words, 1, 1);
    },
  });
  hook.enable();
  const waits = [];
  for (let i = 0; i < 300; i++) waits.push(waitAsync(words, 0, 0).value);
  assert.equal(notify(words, 0), 300);
  hook.disable();
  notify(words, 1);

  assert.deepEqual(new Set(await Promise.all(waits)), new Set(['ok']));
  assert.equal(waiters(words, 0).length + waiters(words, 1).length, 0);
});

test('A continuation runs in its own asynchronous context', () =>
  withAgents(1, async (agent) => {
    const storage = new AsyncLocalStorage();
    const words = int32();
    const seen = [1, 2].map((number) => storage.run(number, async () => {
      await waitAsync(words, 0, 0).value;
      return storage.getStore();
    }));

    await agent.run((words) => Atomics.notify(words, 0), words);

    assert.deepEqual(await Promise.all(seen), [1, 2]);
  }));

test('A full stack throws a RangeError, and no promise is lost', async () => {
  const words = int32();
  const promises = [];
  let counted = 0;
  let deepest = false;
  function descend() {
    try {
      descend();
    } catch (error) {
      assert.ok(error instanceof RangeError);
    }
    // Each frame on the way back has a little more of the stack left.
    if (deepest) return;
    try {
      const { async, value } = waitAsync(words, 0, 0);
      if (async) promises.push(value);
      counted += notify(words, 0);
      if (promises.length > 50) deepest = true;
    } catch (error) {
      assert.ok(error instanceof RangeError);
    }
  }
  descend();
  counted += notify(words, 0);

  assert.deepEqual(new Set(await Promise.all(promises)), new Set(['ok']));
  assert.ok(counted >= promises.length);
  assert.equal(waiters(words, 0).length, 0);
});

test('An object that converts to a wrong type throws a TypeError that names the argument', () => {
  const words = int32();
  const wide = bigInt64();
  const big = { valueOf: () => 1n };
  const symbol = { [Symbol.toPrimitive]: () => Symbol() };
  const stubborn = { valueOf: () => ({}), toString: () => ({}) };
  for (const wrong of [big, symbol, stubborn, Symbol(), 1n]) {
    for (const [argument, call] of [
      ['index', () => notify(words, wrong)],
      ['count', () => notify(words, 0, wrong)],
      ['value', () => wait(words, 0, wrong)],
      ['timeout', () => waitAsync(words, 0, 0, wrong)],
    ]) {
      assert.throws(call, { name: 'TypeError', message: new RegExp(`: ${argument} `) });
    }
  }
  for (const wrong of [{ valueOf: () => 1 }, symbol, stubborn, 1, undefined, null])
    assert.throws(() => wait(wide, 0, wrong), { name: 'TypeError', message: /: value / });
  assert.throws(() => wait(wide, 0, 'abc'), SyntaxError);
});

test('Objects convert to numbers as the specification says', () => {
  const words = int32();
  const hints = [];
  const exotic = {
    [Symbol.toPrimitive](...hint) {
      hints.push(...hint);
      return '1';
    },
  };
  assert.equal(wait(words, 0, exotic), 'not-equal');
  assert.equal(wait(bigInt64(), exotic, exotic), 'not-equal');
  assert.deepEqual(hints, ['number', 'number', 'number']);
  assert.equal(wait(words, 0, { [Symbol.toPrimitive]: null, valueOf: () => ({}), toString: () => '1' }), 'not-equal');
  assert.equal(wait(words, 0, { valueOf: 1, toString: () => true }), 'not-equal');
  assert.equal(wait(words, 0, new Date(1)), 'not-equal');
  assert.equal(wait(words, 0, Object.assign(() => {}, { valueOf: () => 1 })), 'not-equal');
  assert.throws(() => wait(words, 0, { [Symbol.toPrimitive]: 1 }), TypeError);
});

test('Functions of AsyncLock throw a TypeError with their name if this is not an AsyncLock', async () => {
  const { lock, tryLock, unlock, lockAsync, executeLocked } = AsyncLock.prototype;
  for (const impostor of [{}, undefined, 1, AsyncLock.prototype]) {
    for (const method of [lock, tryLock, unlock])
      assert.throws(() => method.call(impostor), { name: 'TypeError', message: new RegExp(`^AsyncLock.${method.name}: this`) });
    for (const method of [lockAsync, executeLocked])
      await assert.rejects(method.call(impostor), { name: 'TypeError', message: new RegExp(`^AsyncLock.${method.name}: this`) });
  }
  assert.throws(() => new AsyncLock(new SharedArrayBuffer(0)), { name: 'RangeError', message: /four bytes/ });
  const free = new AsyncLock(new SharedArrayBuffer(4));
  await assert.rejects(free.lockAsync({ timeout: Symbol() }), { name: 'TypeError', message: /options\.timeout/ });
});

/// Runs `body` in each frame on the way back from a full stack: from where it cannot run to where it can. How many frames that
/// takes differs from version to version of Node.
function atTheLimit(body) {
  const descend = () => {
    try {
      descend();
    } catch {
      // the end of the stack
    }
    try {
      body();
    } catch (error) {
      assert.ok(error instanceof RangeError);
    }
  };
  descend();
}

test('A waitAsync with a signal that throws on a full stack leaves no waiter queued', async () => {
  const words = int32();
  const controller = new AbortController();
  const promises = [];
  atTheLimit(() => {
    const { value } = waitAsync(words, 0, 0, undefined, { signal: controller.signal });
    promises[promises.length] = value;
  });

  assert.ok(promises.length > 0);
  assert.equal(waiters(words, 0).length, promises.length);
  assert.equal(notify(words, 0, 1), 1);
  controller.abort();
  const results = await Promise.allSettled(promises);
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal(waiters(words, 0).length, 0);
});

test('A wait that is notified on a full stack returns', async () => {
  const words = int32();
  const [WORD, COUNTED, IS_OVER, CALLS] = [0, 1, 2, 3];
  const worker = new Worker(`
    const { workerData: { words, futon } } = require('node:worker_threads');
    const { notify } = require(futon);
    while (Atomics.load(words, ${IS_OVER}) === 0) words[${COUNTED}] += notify(words, ${WORD});
  `, { eval: true, workerData: { words, futon: require.resolve('..') } });
  let returned = 0;
  for (let round = 0; round < 20; ++round) {
    const last = returned + 20;
    atTheLimit(() => {
      ++words[CALLS];
      if (returned < last && wait(words, WORD, 0) === 'ok') ++returned;
    });
  }
  Atomics.store(words, IS_OVER, 1);
  await once(worker, 'exit');

  assert.ok(words[CALLS] > returned);
  assert.equal(words[COUNTED], returned, 'it took notifications, and threw');
});

test('A guard whose unlock throws on a full stack still holds the lock', () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  let thrown = 0;
  for (let round = 0; round < 20; ++round) {
    const guard = lock.lock();
    atTheLimit(() => {
      if (!guard.ownsLock) return;
      ++thrown;
      guard.unlock();
      --thrown;
    });
    assert.equal(guard.ownsLock, false);
    assert.ok(lock.tryLock());
    lock.unlock();
  }
  assert.ok(thrown > 0);
});

test('A lock that throws on a full stack is not held, though it was abandoned', () => {
  const words = int32();
  const lock = new AsyncLock(words.buffer);
  lock.lock().unlock();
  let thrown = 0;
  for (let round = 0; round < 50; ++round) {
    words[0] = 2;  // free, and abandoned
    let guard;
    let wasHeld = false;
    atTheLimit(() => {
      if (guard !== undefined || wasHeld) return;
      wasHeld = words[0] !== 2;
      ++thrown;
      guard = lock.lock();
      --thrown;
    });
    assert.equal(wasHeld, false);
    assert.equal(guard.wasAbandoned, true);
    guard.unlock();
  }
  assert.ok(thrown > 0);
});

for (const [what, isFree, call] of [
  ['lockAsync of a free lock', true, (lock) => lock.lockAsync()],
  ['lockAsync of a lock that is held', false, (lock) => lock.lockAsync()],
  ['lockAsync with a signal', false, (lock, signal) => lock.lockAsync({ signal })],
  ['executeLocked', false, (lock) => lock.executeLocked(() => undefined)],
  ['executeLocked of a free lock', true, (lock) => lock.executeLocked(() => undefined)],
]) {
  test(`No lock is lost on a full stack: ${what}`, async () => {
    const lock = new AsyncLock(new SharedArrayBuffer(4));
    const { signal } = new AbortController();
    if (!isFree) lock.lock();
    const promises = [];
    atTheLimit(() => {
      const promise = call(lock, signal);
      promises[promises.length] = promise;
    });
    if (!isFree) lock.unlock();

    // Each by itself: where the machine has kept this thread from running, one that was offered the lock in vain may be overtaken.
    let served = 0;
    await Promise.all(promises.map(async (promise) => {
      try {
        (await promise)?.unlock();
        served++;
      } catch (error) {
        assert.ok(error instanceof RangeError);
      }
    }));
    assert.ok(served > 0);
    assert.ok(lock.tryLock());
  });
}

test('An exception in a reaction is an unhandled rejection', () => {
  const result = run(`
    futon.waitAsync(words, 0, 0, 1).value.then(() => { throw new Error('on purpose'); });
    process.on('unhandledRejection', (error) => console.log(error.message));
  `);
  assert.deepEqual(result, { status: 0, stdout: 'on purpose\n', stderr: '' });
});

test('An exception of nextTick after a time-out reaches uncaughtException', () => {
  const result = run(`
    futon.waitAsync(words, 0, 0, 1).value.then(() => process.nextTick(() => { throw new Error('on purpose'); }));
    process.on('uncaughtException', (error) => {
      console.log(error.message);
      futon.waitAsync(words, 0, 0, 1).value.then(console.log);
    });
  `);
  assert.deepEqual(result, { status: 0, stdout: 'on purpose\ntimed-out\n', stderr: '' });
});

test('Microtasks and nextTicks of one wake-up run before the next iteration of the loop', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const order = [];
    const done = waitAsync(words, 0, 0).value.then(() => {
      order.push('promise');
      process.nextTick(() => order.push('tick'));
      setImmediate(() => order.push('immediate'));
      queueMicrotask(() => order.push('microtask'));
    });
    await agent.run((words) => Atomics.notify(words, 0), words);
    await done;
    await nextIteration();
    await nextIteration();

    assert.deepEqual(order, ['promise', 'microtask', 'tick', 'immediate']);
  }));

test('No wake-up is lost in a burst from several threads', () =>
  withAgents(2, async (...agents) => {
    const words = int32();
    const waits = Array.from({ length: 10_000 }, () => waitAsync(words, 0, 0).value);
    const counts = agents.map((agent) => agent.run((words) => {
      let count = 0;
      for (let i = 0; i < 5000; i++) count += Atomics.notify(words, 0, 1);
      return count;
    }, words));

    assert.deepEqual(await Promise.all(counts), [5000, 5000]);
    assert.deepEqual(new Set(await Promise.all(waits)), new Set(['ok']));
  }));

test('notify counts exactly the waits that did not time out', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const notifying = agent.run((words) => {
      let count = 0;
      while (Atomics.load(words, 1) === 0) count += Atomics.notify(words, 0, 1);
      return count;
    }, words);
    let ok = 0;
    for (let round = 0; round < 50; round++) {
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, i) => waitAsync(words, 0, 0, (i % 10) / 10 + 0.001).value));
      ok += results.filter((result) => result === 'ok').length;
    }
    Atomics.store(words, 1, 1);
    assert.equal(await notifying, ok);
    await untilWaiting(words, 0, 0);
  }));
