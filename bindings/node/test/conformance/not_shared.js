// SPDX-License-Identifier: MIT
'use strict';

// notify on memory that is not shared: it validates and coerces as usual, then returns 0.

const assert = require('node:assert/strict');
const { nativeDeviates, needsResizing } = require('../support/implementation');
const { test } = require('../support/test');
const { logger } = require('../support/arguments');
const { int32 } = require('../support/wait_queue');

const readsLengthLate = { ...nativeDeviates('compares the index with the length after its coercion, not before'), ...needsResizing };

const detach = (buffer) => structuredClone(buffer, { transfer: [buffer] });

test('notify returns 0 on arrays that are not shared, whatever their buffers', () => {
  for (const Kind of [Int32Array, BigInt64Array]) {
    for (const array of [
      new Kind(4),
      new Kind(new ArrayBuffer(64), 8, 2),
      new Kind(new ArrayBuffer(64, { maxByteLength: 128 })),
      new Kind(new WebAssembly.Memory({ initial: 1 }).buffer),
    ]) {
      for (const count of [undefined, 0, 1, -1, Infinity]) assert.equal(Atomics.notify(array, 0, count), 0);
    }
  }
});

const noImmutable =
  'transferToImmutable' in ArrayBuffer.prototype ? {} : { skip: 'this engine has no immutable buffers' };

test('notify returns 0 on an immutable buffer', noImmutable, () => {
  const words = new Int32Array(new ArrayBuffer(16).transferToImmutable());

  assert.equal(Atomics.notify(words, 3), 0);
  assert.throws(() => Atomics.notify(words, 4), RangeError);
  assert.throws(() => Atomics.wait(words, 0, 0, 0), TypeError);
});

test('notify on a view that is not shared checks the range of its index', () => {
  for (const index of [4, -1, 2 ** 53, Infinity]) {
    assert.throws(() => Atomics.notify(new Int32Array(4), index), RangeError);
    assert.throws(() => Atomics.notify(new BigInt64Array(4), index), RangeError);
  }
  assert.throws(() => Atomics.notify(new Int32Array(0), 0), RangeError);
  assert.throws(() => Atomics.notify(new Int32Array(4), Symbol('0')), TypeError);
});

test(
  'notify whose array is detached while its index is coerced answers 0, and still coerces the count',
  readsLengthLate,
  () => {
    for (const array of [new Int32Array(4), new BigInt64Array(4)]) {
      const { log, argument } = logger();
      const index = {
        valueOf() {
          detach(array.buffer);
          return 3;
        },
      };

      assert.equal(Atomics.notify(array, index, argument('count', 1)), 0);
      assert.deepEqual(log, ['count']);
      assert.equal(array.length, 0);
    }
  },
);

test('notify checks the index against the length before the coercion of the index detached the array', () => {
  const array = new Int32Array(4);
  const index = {
    valueOf() {
      detach(array.buffer);
      return 4;
    },
  };

  assert.throws(() => Atomics.notify(array, index, 1), RangeError);
});

test('notify returns 0 if the coercion of the count detaches the array', () => {
  const array = new Int32Array(4);
  const count = {
    valueOf() {
      detach(array.buffer);
      return 1;
    },
  };

  assert.equal(Atomics.notify(array, 0, count), 0);
});

for (const [description, make] of Object.entries({
  'of a fixed length': (buffer) => new Int32Array(buffer, 16, 4),
  'that tracks its length': (buffer) => new Int32Array(buffer, 16),
})) {
  test(
    `notify returns 0 if the coercion of the index puts a view ${description} out of bounds`,
    readsLengthLate,
    () => {
      const buffer = new ArrayBuffer(32, { maxByteLength: 64 });
      const view = make(buffer);
      const index = {
        valueOf() {
          buffer.resize(0);
          return 3;
        },
      };

      assert.equal(Atomics.notify(view, index, 1), 0);
      assert.equal(view.length, 0);
    },
  );

  test(`notify returns 0 if the coercion of the count puts a view ${description} out of bounds`, needsResizing, () => {
    const buffer = new ArrayBuffer(32, { maxByteLength: 64 });
    const view = make(buffer);
    const count = {
      valueOf() {
        buffer.resize(4);
        return 1;
      },
    };

    assert.equal(Atomics.notify(view, 3, count), 0);
  });
}

test(
  'notify whose view grows while its index is coerced checks the index against the length it had',
  readsLengthLate,
  () => {
    const buffer = new ArrayBuffer(16, { maxByteLength: 64 });
    const view = new Int32Array(buffer);
    const index = {
      valueOf() {
        buffer.resize(64);
        return 4;
      },
    };

    assert.throws(() => Atomics.notify(view, index, 1), RangeError);
    assert.equal(Atomics.notify(view, 4, 1), 0);
  },
);

test('The waits throw if the buffer is not shared, although notify does not', () => {
  const array = new Int32Array(4);

  assert.throws(() => Atomics.wait(array, 0, 0, 0), TypeError);
  assert.throws(() => Atomics.waitAsync(array, 0, 0, 0), TypeError);
  assert.equal(Atomics.notify(array, 0), 0);
});

test('notify on memory that is not shared wakes no waiter of shared memory', async () => {
  const words = int32();
  const { value } = Atomics.waitAsync(words, 0, 0);

  assert.equal(Atomics.notify(new Int32Array(4), 0), 0);

  assert.equal(Atomics.notify(words, 0), 1);
  assert.equal(await value, 'ok');
});
