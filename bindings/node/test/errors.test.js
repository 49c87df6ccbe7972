// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// What errors say: the frame of the program's that called, what a wrong argument is, how a lock is sent.

const assert = require('node:assert/strict');
const { Worker, MessageChannel } = require('node:worker_threads');
const { AsyncLock, notify, wait, waitAsync } = require('..');
const { test } = require('./support/test');
const { int32 } = require('./support/wait_queue');

function heldLock() {
  const words = new Int32Array(new SharedArrayBuffer(8));
  words[1] = 1;  // held, but not by this thread: that would be a deadlock
  return new AsyncLock(words.buffer, 4);
}

for (const [name, call] of Object.entries({
  lockAsync: (lock, options) => lock.lockAsync(options),
  executeLocked: (lock, options) => lock.executeLocked(() => undefined, options),
  lock: async (lock, options) => lock.lock(options),
})) {
  test(`The stack of a TimeoutError of ${name} begins with the frame that called it`, async () => {
    for (const timeout of [0, 1]) {
      const theCaller = () => call(heldLock(), { timeout });
      const error = await theCaller().then(() => assert.fail('it locks'), (error) => error);
      const [title, first] = error.stack.split('\n');
      assert.equal(error.name, 'TimeoutError');
      assert.ok(error instanceof DOMException);
      assert.equal(title, `TimeoutError: ${error.message}`);
      assert.match(error.message, new RegExp(`^AsyncLock\\.${name}: `));
      assert.ok(first.includes(__filename), first);
      assert.ok(error.stack.includes('theCaller'), error.stack);
    }
  });
}

test('The stack of a TimeoutError is made by what the program has for its stacks', async () => {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (error, frames) => `${error instanceof Error} ${error}, ${frames.length > 0}`;
  try {
    const error = await heldLock().lockAsync({ timeout: 1 }).catch((error) => error);
    assert.equal(error.stack, `true TimeoutError: ${error.message}, true`);
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
});

test('A TimeoutError is made also if the program wants no stacks', async () => {
  const { stackTraceLimit } = Error;
  try {
    for (const limit of [0, undefined, 'none']) {
      Error.stackTraceLimit = limit;
      await assert.rejects(heldLock().lockAsync({ timeout: 1 }), { name: 'TimeoutError' });
    }
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
});

const revoked = () => {
  const { proxy, revoke } = Proxy.revocable([], {});
  revoke();
  return proxy;
};

/// An object whose every property runs code, which must not happen.
const untouchable = () =>
  new Proxy({}, new Proxy({}, { get: (_, trap) => assert.fail(`${String(trap)} was called`) }));

const descriptions = [
  ['undefined', undefined], ['null', null], ['a number', 1], ['a bigint', 1n], ['a string', 'Int32Array'],
  ['a boolean', true], ['a symbol', Symbol()], ['a function', Int32Array], ['an Array', [0]],
  ['a Buffer', Buffer.alloc(8)], ['a Uint8Array', new Uint8Array(8)], ['an Int16Array', new Int16Array(8)],
  ['a BigUint64Array', new BigUint64Array(1)], ['an ArrayBuffer', new ArrayBuffer(8)],
  ['a SharedArrayBuffer', new SharedArrayBuffer(8)], ['a DataView', new DataView(new SharedArrayBuffer(8))],
  ['a Map', new Map()], ['a Set', new Set()], ['an object', {}], ['an object', int32], ['an object', revoked()],
  ['an object', untouchable()], ['an object', { get [Symbol.toStringTag]() { return assert.fail('read'); } }],
];

test('An error names what came in the place of a typed array, and runs no code of the program’s for it', () => {
  for (const [description, value] of descriptions) {
    const expected = typeof value === 'function' ? 'a function' : description;
    for (const call of [wait, waitAsync, notify]) {
      assert.throws(() => call(value, 0, 0), ({ name, message }) => {
        assert.equal(name, 'TypeError');
        assert.equal(message,
          `${call.name}: typedArray must be an Int32Array or a BigInt64Array, not ${expected}`);
        return true;
      });
    }
  }
  assert.throws(() => wait(new Int32Array(4), 0, 0), { message: /not over an ArrayBuffer$/ });
});

test('An error names what came in the place of the buffer of a lock', () => {
  for (const [description, value] of descriptions) {
    if (description === 'a SharedArrayBuffer') continue;
    const expected = typeof value === 'function' ? 'a function' : description;
    assert.throws(() => new AsyncLock(value), { name: 'TypeError', message: new RegExp(`not ${expected}$`) });
  }
});

test('Cloning or posting a lock throws a DataCloneError that says what to send', () => {
  const { port1, port2 } = new MessageChannel();
  try {
    for (const send of [structuredClone, (lock) => port1.postMessage(lock), (lock) => port1.postMessage({ lock }),
      (lock) => new Worker('', { eval: true, workerData: { lock } })])
      assert.throws(() => send(heldLock()), {
        name: 'DataCloneError',
        message: /^Symbol\(An AsyncLock: send its buffer and byteOffset, [^()=]*\) could not be cloned\.$/,
      });
  } finally {
    port1.close();
    port2.close();
  }
});

test('A lock is sent by its buffer and byteOffset', async () => {
  const lock = heldLock();
  const { buffer, byteOffset } = lock;
  assert.equal(byteOffset, 4);
  assert.equal(lock.buffer, buffer);
  const clone = structuredClone({ buffer, byteOffset });
  const same = new AsyncLock(clone.buffer, clone.byteOffset);
  assert.equal(same.tryLock(), undefined);
  same.unlock();
  assert.ok(lock.tryLock());
  for (const name of ['buffer', 'byteOffset']) {
    assert.throws(() => Reflect.get(AsyncLock.prototype, name), { name: 'TypeError', message: /must be an AsyncLock/ });
    assert.throws(() => {
      lock[name] = 0;
    }, TypeError);
  }
});

test('JSON.stringify and deepEqual treat locks as before', () => {
  const [first, second] = [heldLock(), heldLock()];
  assert.equal(JSON.stringify({ lock: first }), '{"lock":{}}');
  assert.deepEqual(first, second);
});

// The last: when so many have read their stacks, the next ones do not for a while.
test('Of many calls at once, each TimeoutError has the functions that await it in its stack', async () => {
  const lock = heldLock();
  const theAwaiter = async (name) => {
    if (name === 'lockAsync') await lock.lockAsync({ timeout: 1 });
    else await lock.executeLocked(() => undefined, { timeout: 1 });
  };
  for (const name of ['lockAsync', 'executeLocked']) {
    const errors = await Promise.all(Array.from({ length: 50 }, () => theAwaiter(name).catch((error) => error)));
    for (const { stack } of errors) {
      const [title, first] = stack.split('\n');
      assert.match(title, new RegExp(`^TimeoutError: AsyncLock\\.${name}: `));
      assert.match(first, /at (async )?theAwaiter .*errors\.test\.js/);
    }
  }
});
