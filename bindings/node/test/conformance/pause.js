// SPDX-License-Identifier: MIT
'use strict';

// pause: a hint to the processor. It accepts an integral Number or no argument, and coerces nothing.

const assert = require('node:assert/strict');
const { isNative } = require('../support/implementation');
const { test } = require('../support/test');
const { untouchable } = require('../support/arguments');

const missing = isNative && !('pause' in Atomics) ? { skip: 'native: this engine has no Atomics.pause' } : {};

test('pause returns undefined', missing, () => {
  assert.equal(Atomics.pause(), undefined);
  assert.equal(Atomics.pause(undefined), undefined);
  assert.equal(Atomics.pause(1), undefined);
});

test('pause accepts every integral Number, and returns soon whatever its size', missing, () => {
  for (const n of [
    0,
    -0,
    1,
    2,
    10,
    100,
    -1,
    2 ** 31,
    -(2 ** 31),
    2 ** 32,
    2 ** 53,
    2 ** 64,
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
  ]) {
    for (let i = 0; i < 1000; i++) assert.equal(Atomics.pause(n), undefined);
  }
});

test('pause throws a TypeError for any other argument, without coercing it', missing, () => {
  const others = [
    NaN,
    Infinity,
    -Infinity,
    0.5,
    -1.5,
    2 ** -1074,
    null,
    true,
    false,
    '',
    '1',
    1n,
    Symbol('1'),
    {},
    [],
    [1],
    new Number(1),
    () => 1,
    untouchable,
  ];

  for (const other of others) {
    assert.throws(
      () => Atomics.pause(other),
      (error) => error.constructor === TypeError && error.message.length > 0,
    );
  }
});

test('pause ignores its this value and extra arguments', missing, () => {
  assert.equal(Atomics.pause.call(undefined, 1, untouchable), undefined);
});
