// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// The options `timeout`, `signal` and `ref`: which function takes which, in which place, and what is refused.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const {
  AsyncLock, SharedLock, Semaphore, Event, Latch, Barrier, Channel, selectAsync, setCanBlock, wait, waitAsync, notify, waiters,
} = require('..');
const { test } = require('./support/test');
const { bigInt64, int32 } = require('./support/wait_queue');

function heldLock() {
  const word = int32(1);
  word[0] = 1;  // held, but not by this thread: that would be a deadlock
  return new AsyncLock(word.buffer);
}

const refusal = (message) => ({ name: 'TypeError', message });

/// The functions that take options and do not block, with what they wait for never coming.
const asynchronous = {
  'waitAsync, in the place of timeout': (options) => waitAsync(int32(), 0, 0, options).value,
  'waitAsync, after timeout': (options) => waitAsync(int32(), 0, 0, undefined, options).value,
  'waitAsync of a BigInt64Array': (options) => waitAsync(bigInt64(), 0, 0n, options).value,
  lockAsync: (options) => heldLock().lockAsync(options),
  executeLocked: (options) => heldLock().executeLocked(() => assert.fail('it runs'), options),
};

const blocking = {
  'wait, in the place of timeout': (options) => wait(int32(), 0, 0, options),
  'wait, after timeout': (options) => wait(int32(), 0, 0, undefined, options),
  lock: (options) => heldLock().lock(options),
};

/// 'timed-out' also for a call that reports that by an exception.
async function resultOf(call) {
  try {
    return await call();
  } catch (error) {
    if (error.name === 'TimeoutError') return 'timed-out';
    throw error;
  }
}

for (const [name, call] of Object.entries({ ...asynchronous, ...blocking })) {
  test(`options.timeout ends ${name}`, async () => {
    for (const timeout of [1, 0, -1, 0.5])
      assert.equal(await resultOf(() => call({ timeout })), 'timed-out', String(timeout));
  });

  test(`A timeout that is not a number is refused by ${name}, and named`, async () => {
    for (const timeout of [1n, Symbol(), NaN, '1', '5s', null, true, {}, { valueOf: () => 1 }, new Date()])
      await assert.rejects(async () => call({ timeout }), refusal(/options\.timeout/));
  });

  test(`Unknown options are refused by ${name}, which names them and those that there are`, async () => {
    await assert.rejects(async () => call({ timeout: 1, tiemout: 1 }), refusal(/options\.tiemout .* timeout/));
    await assert.rejects(async () => call({ timeout: 1, strict: undefined }), refusal(/options\.strict /));
  });

  test(`Options may be inherited, or not enumerable, for ${name}`, async () => {
    class Options {
      get timeout() {
        return 1;
      }
    }
    const own = Object.defineProperty(Object.create(null), 'timeout', { value: 1 });
    assert.equal(await resultOf(() => call(own)), 'timed-out');
    if (name.includes('in the place') || name.includes('BigInt64')) return;  // there the option must be an own property
    assert.equal(await resultOf(() => call(new Options())), 'timed-out');
    assert.equal(await resultOf(() => call(Object.create({ timeout: 1 }))), 'timed-out');
  });
}

for (const [name, call] of Object.entries(asynchronous)) {
  test(`options.signal ends ${name}`, async () => {
    const controller = new AbortController();
    const promise = call({ signal: controller.signal, timeout: undefined });
    controller.abort(new EvalError('on purpose'));
    await assert.rejects(promise, EvalError);
    await assert.rejects(async () => call({ signal: controller.signal }), EvalError);
  });

  test(`Options of a wrong type are refused by ${name}, and named`, async () => {
    for (const [signal, what] of [[1, 'a number'], [null, 'null'], [[], 'an Array'], [new EventTarget(), 'an object'],
      [new AbortController(), 'an AbortController: pass its \\.signal']])
      await assert.rejects(async () => call({ signal }), refusal(new RegExp(`options\\.signal .* not ${what}$`)));
    for (const ref of [0, null, 'false'])
      await assert.rejects(async () => call({ ref }), refusal(/options\.ref must be a boolean/));
  });
}

for (const [name, call] of Object.entries(blocking)) {
  test(`signal and ref are refused by ${name}, which says why`, () => {
    const { signal } = new AbortController();
    for (const options of [{ signal }, { ref: false }, { ref: true, timeout: 1 }])
      assert.throws(() => call(options), refusal(/options\.(signal|ref) is useless in a call that blocks; .*Async/));
    assert.doesNotThrow(() => wait(int32(), 0, 1, { signal: undefined, ref: undefined }));
  });
}

test('ref: false lets the process end, in each function that takes it', () => {
  const source = `
    const { AsyncLock, waitAsync } = require(${JSON.stringify(path.join(__dirname, '..'))});
    const words = new Int32Array(new SharedArrayBuffer(8));
    const lock = new AsyncLock(words.buffer, 4);
    lock.lock();
    const ends = () => { throw new Error('it settles'); };
    waitAsync(words, 0, 0, { ref: false }).value.then(ends);
    waitAsync(words, 0, 0, { ref: false, timeout: 1e6 }).value.then(ends);
    waitAsync(words, 0, 0, 1e6, { ref: false }).value.then(ends);
    lock.lockAsync({ ref: false }).then(ends);
    lock.executeLocked(ends, { ref: false }).then(ends);`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', source], { encoding: 'utf8', timeout: 30_000 });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
});

test('A time-out or options that are given twice are refused', () => {
  const words = int32();
  for (const call of [wait, waitAsync]) {
    assert.throws(() => call(words, 0, 0, 1, { timeout: 1 }), refusal(/timeout is given twice/));
    assert.throws(() => call(words, 0, 0, { timeout: 1 }, {}), refusal(/options are given twice/));
    assert.throws(() => call(words, 0, 0, { timeout: 1 }, { timeout: 1 }), refusal(/given twice/));
  }
  assert.equal(wait(words, 0, 0, 1, { timeout: undefined }), 'timed-out');
  assert.equal(wait(words, 0, 0, 1, {}), 'timed-out');
  assert.equal(waiters(words, 0).length, 0);
});

test('An AbortSignal in the place of the options is refused, not ignored', async () => {
  const { signal } = new AbortController();
  assert.throws(() => waitAsync(int32(), 0, 0, undefined, signal), refusal(/not the AbortSignal itself/));
  await assert.rejects(heldLock().lockAsync(signal), refusal(/not the AbortSignal itself/));
});

test('An object in the place of timeout that has none of the options converts to a number', async () => {
  const words = int32();
  for (const timeout of [{ valueOf: () => 1 }, { toString: () => '1' }, { [Symbol.toPrimitive]: () => 1 }, [1],
    Object.create({ timeout: 1e6 }, { valueOf: { value: () => 1 } })]) {
    assert.equal(wait(words, 0, 0, timeout), 'timed-out');
    const result = waitAsync(words, 0, 0, timeout);
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
    assert.equal(await result.value, 'timed-out');
  }
  assert.equal(wait(words, 0, 1, {}), 'not-equal');
});

test('Options in the place of timeout are read where a time-out is converted: after the value', () => {
  const order = [];
  const note = (name, result) => {
    order.push(name);
    return result;
  };
  const options = { get timeout() { return note('timeout', 0); } };
  for (const call of [wait, waitAsync]) {
    call(int32(), { valueOf: () => note('index', 0) }, { valueOf: () => note('value', 1) }, options);
    assert.deepEqual(order.splice(0), ['index', 'value', 'timeout']);
  }
});

test('waitAsync with options in the place of timeout returns a handle, as with options after it', async () => {
  const words = int32();
  const result = waitAsync(words, 0, 0, { ref: true });
  assert.equal(result.hasRef(), true);
  assert.equal(result.unref().ref().hasRef(), true);
  assert.equal(notify(words, 0), 1);
  assert.equal(await result.value, 'ok');
});

test('lock with a time-out locks a free lock, leaves no waiter queued when it is over, and needs a thread that may block', () => {
  const words = int32();
  const lock = new AsyncLock(words.buffer);
  const guard = lock.lock({ timeout: 0 });
  assert.equal(guard.ownsLock, true);
  guard.unlock();
  words[0] = 1;  // held, but not by this thread: that would be a deadlock
  assert.throws(() => lock.lock({ timeout: 1 }), { name: 'TimeoutError', message: /^AsyncLock\.lock: / });
  assert.equal(waiters(words, 0).length, 0);
  lock.unlock();
  lock.lock({}).unlock();
  setCanBlock(false);
  try {
    assert.throws(() => lock.lock({ timeout: 1 }), refusal(/may not block/));
  } finally {
    setCanBlock(true);
  }
  assert.equal(words[0], 0);
});

test('A signal that has aborted wins over what could be had at once, and a time-out that is over does not', async () => {
  const memory = (bytes = 128) => new SharedArrayBuffer(bytes);
  const ways = {
    waitAsync: (options) => waitAsync(int32(), 0, 1, options).value,
    lockAsync: (options) => new AsyncLock(memory()).lockAsync(options),
    executeLocked: (options) => new AsyncLock(memory()).executeLocked(() => 1, options),
    'SharedLock.lockAsync': (options) => new SharedLock(memory()).lockAsync(options),
    acquireAsync: (options) => new Semaphore(memory(), 0, { permits: 1 }).acquireAsync(1, options),
    'Event.waitAsync': (options) => new Event(memory(), 0, { set: true }).waitAsync(options),
    'Latch.waitAsync': (options) => new Latch(memory()).waitAsync(options),
    'Barrier.arriveAndWaitAsync': (options) => new Barrier(memory(), 0, { participants: 1 }).arriveAndWaitAsync(options),
    sendAsync: (options) => new Channel(memory(), 0, { capacity: 64 }).sendAsync(1, options),
    selectAsync: (options) => selectAsync([new Event(memory(), 0, { set: true }).waiting()], options),
  };
  const signal = AbortSignal.abort(new EvalError('on purpose'));
  for (const [name, call] of Object.entries(ways)) {
    await assert.rejects(async () => call({ signal, timeout: 0 }), EvalError, name);
    assert.notEqual(await call({ timeout: 0 }), 'timed-out', name);
  }
  const latch = new Latch(memory(), 0, { count: 1 });
  await assert.rejects(latch.arriveAndWaitAsync(1, { signal }), EvalError);
  assert.equal(latch.tryWait(), false);  // it has not counted down
  assert.equal(await latch.arriveAndWaitAsync(1, { timeout: 0 }), 'ok');
});

test('executeLocked that ends early does not run its callback, and leaves the lock to others', async () => {
  const words = int32();
  const lock = new AsyncLock(words.buffer);
  const controller = new AbortController();
  const guard = lock.lock();
  const never = () => assert.fail('it runs');
  const late = lock.executeLocked(never, { timeout: 1 });
  const aborted = lock.executeLocked(never, { signal: controller.signal });
  controller.abort();

  await assert.rejects(aborted, { name: 'AbortError' });
  await assert.rejects(late, { name: 'TimeoutError', message: /^AsyncLock\.executeLocked: / });
  await assert.rejects(lock.executeLocked(never, { signal: controller.signal }), { name: 'AbortError' });
  assert.equal(waiters(words, 0).length, 0);
  guard.unlock();
  assert.equal(await lock.executeLocked(() => 7, { timeout: 0, signal: new AbortController().signal }), 7);
});

test('strict: true makes a free lock strict, once', async () => {
  const words = int32();
  const lock = new AsyncLock(words.buffer, 4, { strict: true });
  assert.equal(words[1], 8);
  lock.lock();
  assert.equal(new AsyncLock(words.buffer, 4, { strict: true }).tryLock(), undefined);
  const order = [];
  const promises = [1, 2, 3].map((i) => lock.executeLocked(() => order.push(i)));
  lock.unlock();
  assert.equal(lock.tryLock(), undefined);
  await Promise.all(promises);

  assert.deepEqual(order, [1, 2, 3]);
  for (const options of [undefined, {}, { strict: false }, { strict: undefined }])
    assert.equal(new AsyncLock(words.buffer, 8, options).tryLock() && words[2], (words[2] = 0) + 1);
});

test('strict is refused for a lock that is in use and not strict, and if it is not a boolean', () => {
  const words = int32();
  const lock = new AsyncLock(words.buffer);
  lock.lock();
  assert.throws(() => new AsyncLock(words.buffer, 0, { strict: true }), { name: 'Error', message: /options\.strict/ });
  assert.equal(words[0], 1);
  const strict = new AsyncLock(words.buffer, 8, { strict: true });
  assert.throws(() => new AsyncLock(words.buffer, 8, { strict: false }), { name: 'Error', message: /options\.strict is false/ });
  strict.lock();
  assert.throws(() => new AsyncLock(words.buffer, 8, { strict: false }), { name: 'Error', message: /this lock is strict/ });
  strict.unlock();
  for (const strict of [1, null, 'strict'])
    assert.throws(() => new AsyncLock(words.buffer, 4, { strict }), refusal(/options\.strict must be a boolean/));
  assert.throws(() => new AsyncLock(words.buffer, 4, { fair: true }), refusal(/options\.fair .* strict/));
  for (const options of [null, true, 4])
    assert.throws(() => new AsyncLock(words.buffer, 4, options), refusal(/options must be an object/));
  assert.equal(words[1], 0);
});
