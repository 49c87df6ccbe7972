// SPDX-License-Identifier: MIT
'use strict';

// How wait, waitAsync and notify coerce their arguments: what they accept, in which order, and which exceptions pass.

const assert = require('node:assert/strict');
const { nativeDeviates } = require('../support/implementation');
const { test } = require('../support/test');
const { int32, bigInt64 } = require('../support/wait_queue');
const { logger, untouchable } = require('../support/arguments');

const two32 = 2 ** 32;
const two64 = 2n ** 64n;

/// wait and waitAsync in one form: each returns the string that it gives at once.
const waits = {
  wait: (...args) => Atomics.wait(...args),
  waitAsync: (...args) => {
    const { async, value } = Atomics.waitAsync(...args);
    assert.equal(async, false);
    return value;
  },
};
const withIndex = {
  wait: (words, index) => Atomics.wait(words, index, words instanceof BigInt64Array ? 1n : 1, 0),
  waitAsync: (words, index) => Atomics.waitAsync(words, index, words instanceof BigInt64Array ? 1n : 1, 0),
  notify: (words, index) => Atomics.notify(words, index, 0),
};

function throwsExactly(Kind, call) {
  assert.throws(call, (error) => error.constructor === Kind && error.message.length > 0);
}

class Thrown extends Error {}
const poisoned = {
  valueOf() {
    throw new Thrown('by valueOf');
  },
};
const neverPrimitive = { valueOf: () => ({}), toString: () => ({}) };

// The index

for (const [name, call] of Object.entries(withIndex)) {
  for (const [kind, make] of Object.entries({ Int32Array: int32, BigInt64Array: bigInt64 })) {
    test(`${name} on a ${kind} accepts any index that truncates to one in range`, () => {
      const fine = [
        0,
        -0,
        3,
        3.99,
        -0.99,
        undefined,
        null,
        false,
        true,
        NaN,
        '',
        ' 2 ',
        '3',
        '0x1',
        '1e0',
        'none',
        [],
        [2],
        {},
        { valueOf: () => 3 },
        { toString: () => '1' },
        { [Symbol.toPrimitive]: () => 2 },
        new Number(3),
        new String('1'),
      ];

      for (const index of fine) call(make(4), index);
    });

    test(`${name} on a ${kind} throws a RangeError for an index out of range`, () => {
      const bad = [
        4,
        4.5,
        -1,
        -1.5,
        5,
        2 ** 30,
        2 ** 31,
        2 ** 32,
        2 ** 32 + 1,
        2 ** 53 - 1,
        2 ** 53,
        2 ** 62,
        2 ** 64,
        Infinity,
        -Infinity,
        -(2 ** 32),
        Number.MAX_VALUE,
        -Number.MAX_VALUE,
        '4',
        '-1',
        [4],
        { valueOf: () => 4 },
        { valueOf: () => -1 },
      ];

      for (const index of bad) throwsExactly(RangeError, () => call(make(4), index));
      throwsExactly(RangeError, () => call(make(0), 0));
      throwsExactly(RangeError, () => call(make(0), undefined));
    });

    test(`${name} on a ${kind} throws a TypeError for an index that is no number after ToPrimitive`, () => {
      for (const index of [Symbol('1'), Symbol.iterator, Object(Symbol('1')), 1n, Object(1n), neverPrimitive]) {
        throwsExactly(TypeError, () => call(make(4), index));
      }
      throwsExactly(TypeError, () => call(make(4), { valueOf: () => Symbol('1') }));
      throwsExactly(TypeError, () => call(make(4), { [Symbol.toPrimitive]: 1 }));
    });
  }

  test(`${name} propagates an exception of the coercion of the index`, () => {
    assert.throws(() => call(int32(), poisoned), Thrown);
  });

  test(`${name} counts the index from the beginning of the view, not of the buffer`, () => {
    const view = new Int32Array(new SharedArrayBuffer(32), 8, 2);

    call(view, 1);
    throwsExactly(RangeError, () => call(view, 2));
  });
}

test('wait and waitAsync check the range of the index before they coerce the value and the time-out', () => {
  for (const index of [4, -1, Infinity]) {
    throwsExactly(RangeError, () => Atomics.wait(int32(), index, untouchable, untouchable));
    throwsExactly(RangeError, () => Atomics.waitAsync(int32(), index, untouchable, untouchable));
    throwsExactly(RangeError, () => Atomics.wait(bigInt64(), index, untouchable, untouchable));
    throwsExactly(RangeError, () => Atomics.waitAsync(bigInt64(), index, untouchable, untouchable));
  }
  throwsExactly(TypeError, () => Atomics.wait(int32(), Symbol('0'), untouchable, untouchable));
  throwsExactly(TypeError, () => Atomics.waitAsync(int32(), Symbol('0'), untouchable, untouchable));
});

test('notify checks the range of the index before it coerces the count', () => {
  throwsExactly(RangeError, () => Atomics.notify(int32(), 4, untouchable));
  throwsExactly(RangeError, () => Atomics.notify(new Int32Array(4), 4, untouchable));
  throwsExactly(RangeError, () => Atomics.notify(bigInt64(), -1, untouchable));
  throwsExactly(TypeError, () => Atomics.notify(int32(), Symbol('0'), untouchable));
});

// The value

for (const [name, wait] of Object.entries(waits)) {
  test(`${name} converts the value for an Int32Array modulo 2^32`, () => {
    const words = int32();
    const equal = {
      0: [
        0,
        -0,
        NaN,
        Infinity,
        -Infinity,
        undefined,
        null,
        false,
        '',
        'none',
        {},
        [],
        two32,
        -two32,
        0.9,
        -0.9,
        2 ** 53,
        1e300,
      ],
      1: [1, 1.9, true, '1', [1], two32 + 1, 1 - two32, { valueOf: () => 1 }, { toString: () => '1' }, new Number(1)],
      '-1': [-1, -1.9, two32 - 1, '-1', 2 ** 33 - 1],
      2147483647: [2 ** 31 - 1, 2 ** 31 - 1 - two32],
      '-2147483648': [2 ** 31, -(2 ** 31), 2 ** 31 + two32],
    };

    for (const [stored, values] of Object.entries(equal)) {
      words[0] = Number(stored);
      for (const value of values)
        assert.equal(wait(words, 0, value, 0), 'timed-out', `${stored} against ${String(value)}`);
    }
    words[0] = 2;
    for (const value of Object.values(equal).flat()) assert.equal(wait(words, 0, value, 0), 'not-equal');
  });

  test(`${name} converts the value for a BigInt64Array modulo 2^64, and compares all 64 bits`, () => {
    const words = bigInt64();
    const equal = {
      0: [0n, false, '0', '', two64, -two64, [], Object(0n)],
      1: [1n, true, '1', ' 1 ', '0x1', two64 + 1n, 1n - two64, { valueOf: () => 1n }, [1n]],
      '-1': [-1n, two64 - 1n, '-1'],
      4294967296: [2n ** 32n, '4294967296', two64 + 2n ** 32n],
      '9223372036854775807': [2n ** 63n - 1n],
      '-9223372036854775808': [2n ** 63n, -(2n ** 63n)],
    };

    for (const [stored, values] of Object.entries(equal)) {
      words[0] = BigInt(stored);
      for (const value of values)
        assert.equal(wait(words, 0, value, 0), 'timed-out', `${stored} against ${String(value)}`);
    }
    words[0] = 2n ** 33n;
    for (const value of Object.values(equal).flat()) assert.equal(wait(words, 0, value, 0), 'not-equal');
  });

  test(`${name} on an Int32Array throws a TypeError for a value that is not a number`, () => {
    for (const value of [0n, 1n, Object(0n), Symbol('0'), { valueOf: () => 0n }, neverPrimitive]) {
      throwsExactly(TypeError, () => wait(int32(), 0, value, 0));
    }
  });

  test(`${name} on a BigInt64Array throws a TypeError or SyntaxError for a value that is not a BigInt`, () => {
    for (const value of [
      0,
      1,
      NaN,
      undefined,
      null,
      Symbol('0'),
      { valueOf: () => 0 },
      new Number(0),
      neverPrimitive,
    ]) {
      throwsExactly(TypeError, () => wait(bigInt64(), 0, value, 0));
    }
    for (const value of ['none', '1n', '1.5', {}]) throwsExactly(SyntaxError, () => wait(bigInt64(), 0, value, 0));
  });

  test(`${name} propagates an exception of the coercion of the value, and does not coerce the time-out`, () => {
    assert.throws(() => wait(int32(), 0, poisoned, untouchable), Thrown);
    assert.throws(() => wait(bigInt64(), 0, poisoned, untouchable), Thrown);
    throwsExactly(TypeError, () => wait(int32(), 0, 0n, untouchable));
    throwsExactly(TypeError, () => wait(bigInt64(), 0, 0, untouchable));
  });

  // The time-out

  test(`${name} throws a TypeError for a time-out that is not a number, whatever the word holds`, () => {
    for (const timeout of [Symbol('0'), 0n, Object(0n), { valueOf: () => 0n }, neverPrimitive]) {
      throwsExactly(TypeError, () => wait(int32(), 0, 0, timeout));
      throwsExactly(TypeError, () => wait(int32(), 0, 1, timeout));
      throwsExactly(TypeError, () => wait(bigInt64(), 0, 0n, timeout));
      throwsExactly(TypeError, () => wait(bigInt64(), 0, 1n, timeout));
    }
  });

  test(`${name} propagates an exception of the coercion of the time-out`, () => {
    assert.throws(() => wait(int32(), 0, 1, poisoned), Thrown);
    assert.throws(() => wait(bigInt64(), 0, 1n, poisoned), Thrown);
  });

  test(`${name} coerces index, value and time-out in this order, each once`, () => {
    const { log, argument } = logger();

    assert.equal(wait(int32(), argument('index', 3), argument('value', 1), argument('timeout', 0)), 'not-equal');
    assert.equal(wait(bigInt64(), argument('index', 3), argument('value', 0n), argument('timeout', 0)), 'timed-out');

    assert.deepEqual(log, ['index', 'value', 'timeout', 'index', 'value', 'timeout']);
  });

  test(`${name} calls Symbol.toPrimitive with the hint "number"`, () => {
    const hints = [];
    const argument = (value) => ({
      [Symbol.toPrimitive](hint) {
        hints.push(hint);
        return value;
      },
    });

    wait(int32(), argument(0), argument(1), argument(0));
    wait(bigInt64(), argument(0), argument(1n), argument(0));

    assert.deepEqual(hints, Array(6).fill('number'));
  });

  test(`${name} compares the value that the word holds after the coercions`, () => {
    const words = int32();
    const set = (number, result) => ({
      valueOf() {
        words[0] = number;
        return result;
      },
    });

    assert.equal(wait(words, set(7, 0), 7, 0), 'timed-out');
    assert.equal(wait(words, 0, set(8, 8), 0), 'timed-out');
    assert.equal(wait(words, 0, 9, set(9, 0)), 'timed-out');
    assert.equal(wait(words, 0, 9, set(10, 0)), 'not-equal');
  });

  test(`${name} can be called by a coercion of its own arguments`, () => {
    const words = int32();
    const inner = [];
    const again = {
      valueOf() {
        inner.push(wait(words, 0, 1, 0), Atomics.notify(words, 0));
        return 0;
      },
    };

    assert.equal(wait(words, again, again, again), 'timed-out');
    assert.deepEqual(inner, ['not-equal', 0, 'not-equal', 0, 'not-equal', 0]);
  });
}

// The count

test('notify coerces the index, then the count, each once', () => {
  const { log, argument } = logger();

  Atomics.notify(int32(), argument('index', 3), argument('count', 1));
  Atomics.notify(bigInt64(), argument('index', 3), argument('count', 1));
  Atomics.notify(new Int32Array(4), argument('index', 3), argument('count', 1));

  assert.deepEqual(log, ['index', 'count', 'index', 'count', 'index', 'count']);
});

test('notify accepts any number as count, and anything that converts to one', () => {
  const fine = [
    0,
    -0,
    1,
    -1,
    1.5,
    NaN,
    Infinity,
    -Infinity,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    2 ** 64,
    Number.MAX_VALUE,
    Number.MIN_VALUE,
    undefined,
    null,
    true,
    '',
    '3',
    'none',
    [],
    {},
    { valueOf: () => 3 },
    { toString: () => '3' },
    new Number(3),
  ];

  for (const count of fine) {
    assert.equal(Atomics.notify(int32(), 0, count), 0);
    assert.equal(Atomics.notify(new BigInt64Array(4), 0, count), 0);
  }
});

test('notify throws a TypeError for a count that is not a number, whether the array is shared or not', () => {
  for (const count of [Symbol('1'), 1n, Object(1n), { valueOf: () => Symbol('1') }, neverPrimitive]) {
    throwsExactly(TypeError, () => Atomics.notify(int32(), 0, count));
    throwsExactly(TypeError, () => Atomics.notify(new Int32Array(4), 0, count));
  }
});

test('notify propagates an exception of the coercion of the count', () => {
  assert.throws(() => Atomics.notify(int32(), 0, poisoned), Thrown);
  assert.throws(() => Atomics.notify(new Int32Array(4), 0, poisoned), Thrown);
});
