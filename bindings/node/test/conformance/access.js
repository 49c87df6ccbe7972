// SPDX-License-Identifier: MIT
'use strict';

// The functions that read and write: they stay the engine's own when futon's functions are installed.

const assert = require('node:assert/strict');
const { needsResizing } = require('../support/implementation');
const { test } = require('../support/test');
const { withAgents } = require('../support/agent');
const { int32, bigInt64 } = require('../support/wait_queue');
const { logger, notTypedArrays, untouchable } = require('../support/arguments');

const operations = {
  add: (a, b) => a + b,
  and: (a, b) => a & b,
  exchange: (a, b) => b,
  or: (a, b) => a | b,
  sub: (a, b) => a - b,
  xor: (a, b) => a ^ b,
};
const kinds = [Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array];
const otherKinds = [Uint8ClampedArray, Float32Array, Float64Array];
const writers = [...Object.keys(operations), 'store'];
const isBig = (Kind) => Kind === BigInt64Array || Kind === BigUint64Array;
const numberFor = (Kind) => (isBig(Kind) ? BigInt : Number);

/// What an element of that kind has after `value` was stored in it.
const wrapped = (Kind, value) => new Kind([value])[0];

for (const Kind of kinds) {
  for (const Buffer of [ArrayBuffer, SharedArrayBuffer]) {
    const make = (...values) => {
      const array = new Kind(new Buffer(8 * Kind.BYTES_PER_ELEMENT));
      array.set(values.map(numberFor(Kind)));
      return array;
    };

    test(`Each read-modify-write of a ${Kind.name} over a ${Buffer.name} returns the old value`, () => {
      const number = numberFor(Kind);
      for (const [name, compute] of Object.entries(operations)) {
        for (const [before, operand] of [
          [5, 3],
          [0, 1],
          [100, 100],
          [127, 1],
          [-1, 2],
          [0, -1],
          [77, 0x7fffffff],
        ]) {
          const array = make(1, before, 2);
          const old = array[1];

          assert.equal(Atomics[name](array, 1, number(operand)), old, name);

          assert.equal(array[1], wrapped(Kind, compute(isBig(Kind) ? old : old | 0, number(operand))), name);
          assert.deepEqual([array[0], array[2]], [number(1), number(2)]);
        }
      }
    });

    test(`load, store and compareExchange of a ${Kind.name} over a ${Buffer.name}`, () => {
      const number = numberFor(Kind);
      const array = make(1, 2, 3);

      assert.equal(Atomics.load(array, 2), number(3));
      assert.equal(Atomics.store(array, 2, number(44)), number(44));
      assert.equal(Atomics.compareExchange(array, 2, number(9), number(10)), number(44));
      assert.equal(array[2], number(44));
      assert.equal(Atomics.compareExchange(array, 2, number(44), number(-1)), number(44));
      assert.equal(array[2], wrapped(Kind, number(-1)));
    });
  }
}

test('store returns the coerced operand, not the stored value', () => {
  const bytes = new Int8Array(new SharedArrayBuffer(8));

  assert.equal(Atomics.store(bytes, 0, 300), 300);
  assert.equal(bytes[0], 44);
  assert.equal(Atomics.store(bytes, 0, 3.7), 3);
  assert.ok(Object.is(Atomics.store(bytes, 0, -0), 0));
  assert.equal(Atomics.store(bytes, 0, NaN), 0);
  assert.equal(Atomics.store(bytes, 0, Infinity), Infinity);
  assert.equal(Atomics.store(bytes, 0, '33'), 33);
  assert.equal(Atomics.store(bigInt64(), 0, 2n ** 64n + 1n), 2n ** 64n + 1n);
});

test('compareExchange converts the expected value to the element type first', () => {
  const bytes = new Uint8Array(new SharedArrayBuffer(8));

  assert.equal(Atomics.compareExchange(bytes, 0, 256, 7), 0);
  assert.equal(bytes[0], 7);
});

test('Operands are coerced after the index, from left to right', () => {
  const { log, argument } = logger();

  Atomics.compareExchange(int32(), argument('index', 0), argument('expected', 0), argument('replacement', 1));
  Atomics.add(int32(), argument('index', 0), argument('value', 1));

  assert.deepEqual(log, ['index', 'expected', 'replacement', 'index', 'value']);
});

for (const name of [...writers, 'load', 'compareExchange']) {
  test(`${name} accepts integer typed arrays only, and validates the array before it coerces any argument`, () => {
    for (const value of Object.values(notTypedArrays))
      assert.throws(() => Atomics[name](value, untouchable, untouchable, untouchable), TypeError);
    for (const Kind of otherKinds)
      assert.throws(() => Atomics[name](new Kind(4), untouchable, untouchable, untouchable), TypeError);
  });

  test(`${name} checks the index before it coerces the operands`, () => {
    assert.throws(() => Atomics[name](int32(), 4, untouchable, untouchable), RangeError);
    assert.throws(() => Atomics[name](int32(), -1, untouchable, untouchable), RangeError);
    assert.throws(() => Atomics[name](int32(), Symbol('0'), untouchable, untouchable), TypeError);
  });
}

for (const name of [...writers, 'compareExchange']) {
  test(`${name} throws a TypeError if its array is detached while an operand is coerced`, () => {
    const array = new Int32Array(4);
    const operand = {
      valueOf() {
        if (array.length > 0) structuredClone(array.buffer, { transfer: [array.buffer] });
        return 1;
      },
    };

    assert.throws(() => Atomics[name](array, 0, operand, operand), TypeError);
  });

  // The specification says RangeError. Some engines throw a TypeError, which is not futon's to fix.
  test(`${name} throws if a coercion has shrunk the buffer below its element`, needsResizing, () => {
    const buffer = new ArrayBuffer(16, { maxByteLength: 16 });
    const array = new Int32Array(buffer);
    const operand = {
      valueOf() {
        buffer.resize(8);
        return 1;
      },
    };

    assert.throws(
      () => Atomics[name](array, 3, operand, 1),
      (error) => error instanceof RangeError || error instanceof TypeError,
    );
  });
}

test('isLockFree is true for 4, and coerces its argument to a number', () => {
  assert.equal(Atomics.isLockFree(4), true);
  assert.equal(Atomics.isLockFree('4'), true);
  for (const n of [1, 2, 8]) assert.equal(Atomics.isLockFree(n), Atomics.isLockFree(n));
  for (const n of [0, 3, 5, 6, 7, 9, 16, -4, NaN, Infinity, undefined, null, {}])
    assert.equal(Atomics.isLockFree(n), false);
  assert.throws(() => Atomics.isLockFree(Symbol('4')), TypeError);
  assert.throws(() => Atomics.isLockFree(4n), TypeError);
});

test('No add of several agents is lost', () =>
  withAgents(2, async (...agents) => {
    const words = int32();
    const add = (words) => {
      for (let i = 0; i < 100_000; i++) Atomics.add(words, 0, 1);
    };

    const done = Promise.all(agents.map((agent) => agent.run(add, words)));
    add(words);
    await done;

    assert.equal(words[0], 300_000);
  }));
