// SPDX-License-Identifier: MIT
'use strict';

// Which arrays wait, waitAsync and notify accept, and that they validate the array before they coerce any argument.

const assert = require('node:assert/strict');
const { needsResizing } = require('../support/implementation');
const { test } = require('../support/test');
const { int32, bigInt64 } = require('../support/wait_queue');
const { untouchable, notTypedArrays, unwaitableKinds } = require('../support/arguments');

/// Calls with arguments that must never be reached.
const calls = {
  wait: (array) => Atomics.wait(array, untouchable, untouchable, untouchable),
  waitAsync: (array) => Atomics.waitAsync(array, untouchable, untouchable, untouchable),
  notify: (array) => Atomics.notify(array, untouchable, untouchable),
};

/// Asserts that the call throws a TypeError of this realm, with a message.
function throwsTypeError(call) {
  assert.throws(call, (error) => error.constructor === TypeError && error.message.length > 0);
}

function detached(Kind) {
  const array = new Kind(new ArrayBuffer(32));
  structuredClone(array.buffer, { transfer: [array.buffer] });
  assert.equal(array.length, 0);
  return array;
}

/// A view whose end is beyond the end of its resized buffer.
function outOfBounds(Kind, byteOffset = 0) {
  const buffer = new ArrayBuffer(64, { maxByteLength: 64 });
  const array = new Kind(buffer, byteOffset, 4);
  buffer.resize(8);
  assert.equal(array.length, 0);
  return array;
}

/// A length-tracking view whose buffer now ends before the view begins.
function trackingOutOfBounds(Kind) {
  const buffer = new ArrayBuffer(32, { maxByteLength: 64 });
  const array = new Kind(buffer, 16);
  buffer.resize(8);
  assert.equal(array.length, 0);
  return array;
}

for (const [name, call] of Object.entries(calls)) {
  test(`${name} without arguments throws a TypeError`, () => {
    throwsTypeError(() => Atomics[name]());
  });

  for (const [description, value] of Object.entries(notTypedArrays)) {
    test(`${name} on ${description} throws a TypeError before any coercion`, () => {
      throwsTypeError(() => call(value));
    });
  }

  for (const Kind of unwaitableKinds) {
    test(`${name} on a ${Kind.name} throws a TypeError before any coercion`, () => {
      throwsTypeError(() => call(new Kind(new SharedArrayBuffer(32))));
      throwsTypeError(() => call(new Kind(new ArrayBuffer(32))));
    });
  }

  for (const Kind of [Int32Array, BigInt64Array]) {
    test(`${name} on a detached ${Kind.name} throws a TypeError before any coercion`, () => {
      throwsTypeError(() => call(detached(Kind)));
    });

    test(`${name} on a ${Kind.name} out of bounds throws a TypeError before any coercion`, needsResizing, () => {
      throwsTypeError(() => call(outOfBounds(Kind)));
      throwsTypeError(() => call(outOfBounds(Kind, 8)));
      throwsTypeError(() => call(trackingOutOfBounds(Kind)));
    });
  }

  test(`${name} on a detached array of another kind throws a TypeError before any coercion`, () => {
    throwsTypeError(() => call(detached(Float64Array)));
  });
}

for (const name of ['wait', 'waitAsync']) {
  for (const Kind of [Int32Array, BigInt64Array]) {
    test(`${name} on a ${Kind.name} that is not shared throws a TypeError before any coercion`, () => {
      throwsTypeError(() => calls[name](new Kind(4)));
      throwsTypeError(() => calls[name](new Kind(new ArrayBuffer(32))));
      throwsTypeError(() => calls[name](new Kind(new ArrayBuffer(32, { maxByteLength: 64 }))));
      throwsTypeError(() => calls[name](new Kind(new ArrayBuffer(0))));
      throwsTypeError(() => calls[name](new Kind(new WebAssembly.Memory({ initial: 1 }).buffer)));
    });
  }
}

for (const [name, call] of Object.entries(calls)) {
  test(`${name} on memory of WebAssembly that was detached by growth throws a TypeError before any coercion`, () => {
    const memory = new WebAssembly.Memory({ initial: 1 });
    const words = new Int32Array(memory.buffer);
    memory.grow(1);

    throwsTypeError(() => call(words));
  });

  test(`${name} throws a TypeError on an array that was detached after a valid call`, () => {
    const array = new Int32Array(4);
    assert.equal(Atomics.notify(array, 0), 0);
    structuredClone(array.buffer, { transfer: [array.buffer] });

    throwsTypeError(() => call(array));
  });
}

test('An Int32Array and a BigInt64Array over shared memory are accepted at any byte offset', () => {
  for (const words of [
    int32(),
    new Int32Array(new SharedArrayBuffer(16), 4),
    new Int32Array(new SharedArrayBuffer(16), 8, 1),
  ]) {
    assert.equal(Atomics.wait(words, 0, 1), 'not-equal');
    assert.equal(Atomics.waitAsync(words, 0, 1).value, 'not-equal');
    assert.equal(Atomics.notify(words, 0), 0);
  }
  for (const words of [bigInt64(), new BigInt64Array(new SharedArrayBuffer(32), 8)]) {
    assert.equal(Atomics.wait(words, 0, 1n), 'not-equal');
    assert.equal(Atomics.waitAsync(words, 0, 1n).value, 'not-equal');
    assert.equal(Atomics.notify(words, 0), 0);
  }
});

test('Validation uses the internal slots of the array, not its properties', () => {
  class Words extends Int32Array {
    get length() {
      throw new Error('called');
    }
    get buffer() {
      throw new Error('called');
    }
    get byteOffset() {
      throw new Error('called');
    }
    get [Symbol.toStringTag]() {
      throw new Error('called');
    }
  }
  const subclass = new Words(new SharedArrayBuffer(16));
  const disowned = Object.setPrototypeOf(int32(), null);
  const disguised = Object.defineProperty(int32(), Symbol.toStringTag, { value: 'Float64Array' });
  const frozenOut = Object.preventExtensions(int32());

  for (const words of [subclass, disowned, disguised, frozenOut]) {
    assert.equal(Atomics.wait(words, 3, 1), 'not-equal');
    assert.equal(Atomics.waitAsync(words, 3, 1).value, 'not-equal');
    assert.equal(Atomics.notify(words, 3), 0);
    assert.throws(() => Atomics.wait(words, 4, 1), RangeError);
  }
  throwsTypeError(() =>
    calls.wait(Object.setPrototypeOf(new Float64Array(new SharedArrayBuffer(16)), Int32Array.prototype)),
  );
});

test('Built-ins that the program has replaced are not called', async () => {
  const words = int32();
  const longs = bigInt64();
  const typedArray = Object.getPrototypeOf(Int32Array.prototype);
  const { TypeError: OwnTypeError, RangeError: OwnRangeError } = globalThis;
  const replaced = [
    ...['length', 'buffer', 'byteOffset', 'byteLength', 'keys', 'set', Symbol.toStringTag].map((key) => [
      typedArray,
      key,
    ]),
    ...['byteLength', 'growable', Symbol.toStringTag].map((key) => [SharedArrayBuffer.prototype, key]),
    ...['call', 'apply', 'bind', Symbol.hasInstance].map((key) => [Function.prototype, key]),
    ...['get', 'set', 'has', 'delete', 'size'].map((key) => [Map.prototype, key]),
    ...['get', 'set', 'has', 'delete'].map((key) => [WeakMap.prototype, key]),
    ...['push', 'pop', 'shift', 'fill', Symbol.iterator].map((key) => [Array.prototype, key]),
    ...['resolve', 'reject', 'withResolvers', Symbol.species].map((key) => [Promise, key]),
    ...['then', 'constructor'].map((key) => [Promise.prototype, key]),
    ...['trunc', 'ceil', 'max', 'min'].map((key) => [Math, key]),
    ...['isInteger', 'isSafeInteger'].map((key) => [Number, key]),
    ...['TypeError', 'RangeError', 'Map', 'Promise', 'BigInt', 'Number', 'String'].map((key) => [globalThis, key]),
    [BigInt, 'asIntN'],
    [Reflect, 'apply'],
  ]
    .map(([object, key]) => ({ object, key, descriptor: Object.getOwnPropertyDescriptor(object, key) }))
    .filter(({ descriptor }) => descriptor?.configurable);
  const called = () => {
    throw new Error('called');
  };
  const { defineProperty } = Object;
  const outcomes = [];
  const record = (call) => {
    try {
      outcomes[outcomes.length] = call();
    } catch (error) {
      outcomes[outcomes.length] = error;
    }
  };

  for (const { object, key } of replaced) defineProperty(object, key, { get: called, configurable: true });
  record(() => Atomics.wait(words, 0, 1));
  record(() => Atomics.wait(longs, 0, 0n, 1));
  record(() => Atomics.waitAsync(words, 0, 1.5));
  for (let i = 0; i < 1000; i++) record(() => Atomics.waitAsync(longs, '1', '0'));
  record(() => Atomics.notify(longs, 1, 999.5));
  record(() => Atomics.notify(longs, 1));
  record(() => Atomics.wait({}, 0, 0));
  record(() => Atomics.notify(words, 4));
  for (let i = 0; i < replaced.length; i++) defineProperty(replaced[i].object, replaced[i].key, replaced[i].descriptor);

  const [notEqual, timedOut, notEqualAsync, ...rest] = outcomes;
  const [taken, last, typeError, rangeError] = rest.splice(1000);
  assert.equal(notEqual, 'not-equal');
  assert.equal(timedOut, 'timed-out');
  assert.equal(notEqualAsync.value, 'not-equal');
  assert.deepEqual([taken, last], [999, 1]);
  assert.equal(typeError.constructor, OwnTypeError);
  assert.equal(rangeError.constructor, OwnRangeError);
  for (const { value } of rest) assert.equal(await value, 'ok');
});
