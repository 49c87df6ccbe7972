// SPDX-License-Identifier: MIT
'use strict';

// waitAsync: the shape of its result, and the behaviour of its promise.

const assert = require('node:assert/strict');
const vm = require('node:vm');
const { nativeDeviates } = require('../support/implementation');
const { test } = require('../support/test');
const { int32, bigInt64, nextIteration, pending, stateOf, waiting } = require('../support/wait_queue');

const plain = (value) => ({ value, writable: true, enumerable: true, configurable: true });

/// An ordinary object with exactly these two plain data properties, in this order.
function assertShape(result, async, value) {
  assert.equal(Object.getPrototypeOf(result), Object.prototype);
  assert.deepEqual(Reflect.ownKeys(result), ['async', 'value']);
  assert.deepEqual(Object.getOwnPropertyDescriptors(result), { async: plain(async), value: plain(value) });
  assert.equal(Object.isExtensible(result), true);
}

test('waitAsync returns { async: false, value: "not-equal" } if the word holds another value', () => {
  for (const timeout of [undefined, Infinity, NaN, 1e9, 1, 0, -1, -Infinity]) {
    assertShape(Atomics.waitAsync(int32(), 0, 1, timeout), false, 'not-equal');
    assertShape(Atomics.waitAsync(bigInt64(), 0, 1n, timeout), false, 'not-equal');
  }
});

test('waitAsync returns { async: false, value: "timed-out" } if the time-out is not positive', () => {
  const words = int32();

  for (const timeout of [
    0,
    -0,
    -1,
    -0.5,
    -Infinity,
    -Number.MIN_VALUE,
    null,
    false,
    '',
    '-5',
    [],
    { valueOf: () => 0 },
  ]) {
    assertShape(Atomics.waitAsync(words, 0, 0, timeout), false, 'timed-out');
    assertShape(Atomics.waitAsync(bigInt64(), 0, 0n, timeout), false, 'timed-out');
    assert.equal(waiting(words, 0), 0);
  }
  assert.equal(Atomics.notify(words, 0), 0);
});

test('waitAsync returns { async: true, value: promise } if it enqueues a waiter', async () => {
  const words = int32();
  const result = Atomics.waitAsync(words, 0, 0);

  assertShape(result, true, result.value);
  assert.equal(Object.getPrototypeOf(result.value), Promise.prototype);
  assert.equal(waiting(words, 0), 1);

  assert.equal(Atomics.notify(words, 0), 1);
  assert.equal(await result.value, 'ok');
});

test('waitAsync returns a new object and a new promise each time', async () => {
  const words = int32();
  const first = Atomics.waitAsync(words, 0, 0);
  const second = Atomics.waitAsync(words, 0, 0);

  assert.notEqual(first, second);
  assert.notEqual(first.value, second.value);
  assert.notEqual(Atomics.waitAsync(words, 0, 1), Atomics.waitAsync(words, 0, 1));

  assert.equal(Atomics.notify(words, 0), 2);
  await Promise.all([first.value, second.value]);
});

for (const [description, timeout] of Object.entries({
  'no time-out': undefined,
  NaN: NaN,
  Infinity: Infinity,
  'a string that spells no number': 'none',
  'an object': {},
  'the largest number': Number.MAX_VALUE,
  '2^64': 2 ** 64,
  '2^63': 2 ** 63,
  '2^53': 2 ** 53,
  '1e13': 1e13,
  '2^33': 2 ** 33,
  '2^32': 2 ** 32,
  '2^31': 2 ** 31,
  'one more than a timer of the loop takes': 2 ** 31 + 1,
})) {
  test(`waitAsync with ${description} is still pending when a wait that began later has timed out`, async () => {
    const words = int32();
    const { async, value } = Atomics.waitAsync(words, 0, 0, timeout);
    assert.equal(async, true);

    assert.equal(await Atomics.waitAsync(words, 1, 0, 20).value, 'timed-out');

    assert.equal(await stateOf(value), pending);
    assert.equal(Atomics.notify(words, 0), 1);
    assert.equal(await value, 'ok');
  });
}

/// A positive time-out gives a promise, not a string, however short it is.
async function assertWaits(timeout) {
  const { async, value } = Atomics.waitAsync(int32(), 0, 0, timeout);

  assert.equal(async, true);
  assert.equal(await value, 'timed-out');
}

test('waitAsync with a fraction of a millisecond returns a promise', async () => {
  for (const timeout of [0.001, 0.25, 0.5, 0.999, '0.25', true]) await assertWaits(timeout);
});

test(
  'waitAsync with less than a nanosecond is not due at once',
  nativeDeviates('rounds a time-out below a nanosecond to 0'),
  async () => {
    for (const timeout of [1e-7, 1e-9, 1e-300, Number.MIN_VALUE]) await assertWaits(timeout);
  },
);

test('waitAsync that times out fulfils with "timed-out" and is dequeued', async () => {
  const words = int32();

  assert.equal(await Atomics.waitAsync(words, 0, 0, 1).value, 'timed-out');

  assert.equal(waiting(words, 0), 0);
  assert.equal(Atomics.notify(words, 0), 0);
});

test('waitAsync compares all 64 bits of a BigInt64Array, at an index of the view', async () => {
  const all = bigInt64();
  const view = new BigInt64Array(all.buffer, 8, 2);
  all[2] = 2n ** 32n + 5n;

  assert.equal(Atomics.waitAsync(view, 1, 5n, 0).value, 'not-equal');
  assert.equal(Atomics.waitAsync(view, 1, 2n ** 33n + 5n, 0).value, 'not-equal');
  const { value } = Atomics.waitAsync(view, 1, 2n ** 32n + 5n);

  assert.equal(Atomics.notify(all, 2), 1);
  assert.equal(await value, 'ok');
});

test('A store to the word does not settle a waitAsync', async () => {
  const words = int32();
  const { value } = Atomics.waitAsync(words, 0, 0);

  for (const write of [
    () => (words[0] = 1),
    () => Atomics.store(words, 0, 2),
    () => Atomics.add(words, 0, 3),
    () => Atomics.sub(words, 0, 1),
    () => Atomics.exchange(words, 0, 7),
    () => Atomics.compareExchange(words, 0, 7, 8),
    () => Atomics.and(words, 0, 12),
    () => Atomics.or(words, 0, 3),
    () => Atomics.xor(words, 0, 1),
  ]) {
    write();
    await nextIteration();
    assert.equal(await stateOf(value), pending);
  }

  assert.equal(Atomics.notify(words, 0), 1);
  assert.equal(await value, 'ok');
});

test('waitAsync uses the intrinsic Promise, even if the program has replaced it', async () => {
  const words = int32();
  const intrinsic = Promise;
  const { resolve } = intrinsic;
  const { then } = intrinsic.prototype;
  const species = Object.getOwnPropertyDescriptor(intrinsic, Symbol.species);
  const called = () => {
    throw new Error('called');
  };
  let result;

  globalThis.Promise = called;
  intrinsic.resolve = called;
  intrinsic.prototype.then = called;
  Object.defineProperty(intrinsic, Symbol.species, { get: called, configurable: true });
  try {
    result = Atomics.waitAsync(words, 0, 0);
    Atomics.notify(words, 0);
  } finally {
    globalThis.Promise = intrinsic;
    intrinsic.resolve = resolve;
    intrinsic.prototype.then = then;
    Object.defineProperty(intrinsic, Symbol.species, species);
  }

  assert.equal(Object.getPrototypeOf(result.value), Promise.prototype);
  assert.equal(await result.value, 'ok');
});

test('waitAsync defines the properties of its result: setters on Object.prototype are not called', async () => {
  const called = () => {
    throw new Error('called');
  };
  let notEqual;
  let queued;
  const words = int32();

  for (const key of ['async', 'value'])
    Object.defineProperty(Object.prototype, key, { set: called, get: called, configurable: true });
  try {
    notEqual = Atomics.waitAsync(words, 0, 1);
    queued = Atomics.waitAsync(words, 0, 0);
  } finally {
    for (const key of ['async', 'value']) delete Object.prototype[key];
  }

  assertShape(notEqual, false, 'not-equal');
  assertShape(queued, true, queued.value);
  Atomics.notify(words, 0);
  await queued.value;
});

test('Indexed setters that the program has put on Array.prototype are not called', async () => {
  const words = int32();
  const called = () => {
    throw new Error('called');
  };
  const promises = new Set();
  const indices = Array.from({ length: 2000 }, (_, index) => index);

  for (const index of indices) {
    Object.defineProperty(Array.prototype, index, { set: called, get: called, configurable: true });
  }
  try {
    for (let i = 0; i < 1500; i++) promises.add(Atomics.waitAsync(words, 0, 0).value);
    Atomics.notify(words, 0);
  } finally {
    for (const index of indices) delete Array.prototype[index];
  }

  for (const promise of promises) assert.equal(await promise, 'ok');
});

test('The promise fulfils with a primitive string: no then is read', async () => {
  const words = int32();
  Object.defineProperty(String.prototype, 'then', {
    get() {
      throw new Error('called');
    },
    configurable: true,
  });
  try {
    const { value } = Atomics.waitAsync(words, 0, 0);
    Atomics.notify(words, 0);
    const result = await new Promise((resolve, reject) => value.then((text) => resolve({ text }), reject));

    assert.equal(result.text, 'ok');
    assert.equal(typeof result.text, 'string');
  } finally {
    delete String.prototype.then;
  }
});

test('A promise without reactions stays queued, and is counted', async () => {
  const words = int32();
  Atomics.waitAsync(words, 0, 0);
  Atomics.waitAsync(words, 0, 0);
  require('node:v8').setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc');

  for (let i = 0; i < 3; i++) {
    collect();
    await nextIteration();
  }

  assert.equal(Atomics.notify(words, 0), 2);
});

test('A pending promise keeps its reactions, even if nothing else refers to it', async () => {
  const words = int32();
  const reaction = new Promise((resolve) => {
    Atomics.waitAsync(words, 0, 0).value.then(resolve);
  });
  require('node:v8').setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc');

  for (let i = 0; i < 3; i++) {
    collect();
    await nextIteration();
  }
  Atomics.notify(words, 0);

  assert.equal(await reaction, 'ok');
});
