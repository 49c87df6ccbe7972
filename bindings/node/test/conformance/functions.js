// SPDX-License-Identifier: MIT
'use strict';

// The functions and their namespace as objects: attributes, names, lengths, not constructors.

const assert = require('node:assert/strict');
const { isNative } = require('../support/implementation');
const { test } = require('../support/test');
const { int32 } = require('../support/wait_queue');

const lengths = { wait: 4, waitAsync: 4, notify: 3, pause: 0 };
const others = {
  add: 3,
  and: 3,
  compareExchange: 4,
  exchange: 3,
  isLockFree: 1,
  load: 2,
  or: 3,
  store: 3,
  sub: 3,
  xor: 3,
};

for (const [name, length] of Object.entries({ ...lengths, ...others })) {
  const missing = isNative && !(name in Atomics) ? { skip: `native: this engine has no Atomics.${name}` } : {};

  test(`Atomics.${name} is writable, configurable and not enumerable`, missing, () => {
    const { value, ...attributes } = Object.getOwnPropertyDescriptor(Atomics, name);

    assert.equal(typeof value, 'function');
    assert.deepEqual(attributes, { writable: true, enumerable: false, configurable: true });
  });

  test(`Atomics.${name} has its name and the length ${length}, both configurable only`, missing, () => {
    const attributes = { writable: false, enumerable: false, configurable: true };

    assert.deepEqual(Object.getOwnPropertyDescriptor(Atomics[name], 'name'), { value: name, ...attributes });
    assert.deepEqual(Object.getOwnPropertyDescriptor(Atomics[name], 'length'), { value: length, ...attributes });
  });

  test(`Atomics.${name} is not a constructor and has no prototype`, missing, () => {
    assert.equal(Object.hasOwn(Atomics[name], 'prototype'), false);
    assert.throws(() => new Atomics[name](), TypeError);
    assert.throws(() => new Atomics[name](int32(), 0, 0, 0), TypeError);
    assert.throws(() => Reflect.construct(Object, [], Atomics[name]), TypeError);
    assert.throws(() => class extends Atomics[name] {}, TypeError);
  });

  test(`Atomics.${name} is a plain built-in function`, missing, () => {
    assert.equal(Object.getPrototypeOf(Atomics[name]), Function.prototype);
    assert.equal(Object.prototype.toString.call(Atomics[name]), '[object Function]');
    assert.equal(Object.isExtensible(Atomics[name]), true);
    assert.deepEqual(Reflect.ownKeys(Atomics[name]).sort(), ['length', 'name']);
  });

  test(`Atomics.${name} is a function of its own, the same at each access`, missing, () => {
    assert.equal(Atomics[name], Atomics[name]);
    for (const other of Object.keys({ ...lengths, ...others })) {
      if (other !== name) assert.notEqual(Atomics[name], Atomics[other]);
    }
  });
}

test('The functions ignore their this value', () => {
  const words = int32();

  for (const receiver of [undefined, null, 1, {}, words]) {
    assert.equal(Atomics.wait.call(receiver, words, 0, 1), 'not-equal');
    assert.equal(Atomics.waitAsync.call(receiver, words, 0, 1).value, 'not-equal');
    assert.equal(Atomics.notify.call(receiver, words, 0), 0);
  }
});

test('The functions ignore extra arguments', () => {
  const words = int32();

  assert.equal(Atomics.wait(words, 0, 1, 0, Symbol('beyond')), 'not-equal');
  assert.equal(Atomics.notify(words, 0, 1, Symbol('beyond')), 0);
});

test('Atomics is an ordinary object, neither callable nor a constructor', () => {
  assert.equal(typeof Atomics, 'object');
  assert.equal(Object.getPrototypeOf(Atomics), Object.prototype);
  assert.equal(Object.isExtensible(Atomics), true);
  assert.throws(() => Atomics(), TypeError);
  assert.throws(() => new Atomics(), TypeError);
});

test('Atomics has the toStringTag "Atomics", configurable only', () => {
  assert.deepEqual(Object.getOwnPropertyDescriptor(Atomics, Symbol.toStringTag), {
    value: 'Atomics',
    writable: false,
    enumerable: false,
    configurable: true,
  });
});

test('The global Atomics is writable, configurable and not enumerable', () => {
  const { value, ...attributes } = Object.getOwnPropertyDescriptor(globalThis, 'Atomics');

  assert.equal(value, Atomics);
  assert.deepEqual(attributes, { writable: true, enumerable: false, configurable: true });
});

test('No property of Atomics is enumerable', () => {
  assert.deepEqual(Object.keys(Atomics), []);
});
