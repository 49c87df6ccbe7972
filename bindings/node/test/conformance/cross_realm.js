// SPDX-License-Identifier: MIT
'use strict';

// Arrays and arguments of other realms are accepted like those of this realm; results and errors belong to the realm
// of the function.

const assert = require('node:assert/strict');
const vm = require('node:vm');
const { test } = require('../support/test');
const { int32, waiting } = require('../support/wait_queue');

const other = vm.createContext({});
const evaluate = (source) => vm.runInContext(source, other);

const names = ['wait', 'waitAsync', 'notify'];

test('Shared arrays of another realm are accepted', async () => {
  for (const [source, zero, one] of [
    ['new Int32Array(new SharedArrayBuffer(32), 8)', 0, 1],
    ['new BigInt64Array(new SharedArrayBuffer(32), 8)', 0n, 1n],
  ]) {
    const words = evaluate(source);
    assert.equal(words instanceof Int32Array || words instanceof BigInt64Array, false);

    assert.equal(Atomics.wait(words, 1, one), 'not-equal');
    assert.equal(Atomics.wait(words, 1, zero, 0), 'timed-out');
    const { async, value } = Atomics.waitAsync(words, 1, zero);
    assert.equal(async, true);
    assert.equal(Atomics.notify(words, 1), 1);
    assert.equal(await value, 'ok');
  }
});

test('An array of this realm over a buffer of another is accepted, and the reverse', async () => {
  const buffer = evaluate('new SharedArrayBuffer(32)');
  const ours = new Int32Array(buffer);
  other.ourBuffer = new SharedArrayBuffer(32);
  const theirs = evaluate('new Int32Array(ourBuffer)');

  for (const words of [ours, theirs]) {
    const { value } = Atomics.waitAsync(words, 0, 0);
    assert.equal(Atomics.notify(words, 0), 1);
    assert.equal(await value, 'ok');
  }
});

test('Realms share the wait queues of a block', async () => {
  const ours = int32();
  other.buffer = ours.buffer;
  const theirs = evaluate('new Int32Array(buffer)');
  const { value } = Atomics.waitAsync(theirs, 2, 0);

  assert.equal(waiting(ours, 2), 1);
  assert.equal(Atomics.notify(ours, 2), 1);
  assert.equal(await value, 'ok');
});

test('Anything else of another realm gives a TypeError of this realm', () => {
  for (const source of [
    '({})',
    '[0]',
    'new Float64Array(new SharedArrayBuffer(8))',
    'new Uint32Array(new SharedArrayBuffer(8))',
    'new DataView(new SharedArrayBuffer(8))',
    'Int32Array.prototype',
    'Object.create(Int32Array.prototype)',
    'new Proxy(new Int32Array(new SharedArrayBuffer(8)), {})',
  ]) {
    for (const name of names)
      assert.throws(
        () => Atomics[name](evaluate(source), 0, 0, 0),
        (error) => error.constructor === TypeError,
        source,
      );
  }
});

test('With an array of another realm that is not shared, the waits throw and notify returns 0', () => {
  const array = evaluate('new Int32Array(4)');

  assert.throws(
    () => Atomics.wait(array, 0, 0, 0),
    (error) => error.constructor === TypeError,
  );
  assert.throws(
    () => Atomics.waitAsync(array, 0, 0, 0),
    (error) => error.constructor === TypeError,
  );
  assert.equal(Atomics.notify(array, 0), 0);
  assert.throws(
    () => Atomics.notify(array, 4),
    (error) => error.constructor === RangeError,
  );
});

test('Errors belong to the realm of the function, not of its caller', () => {
  other.ourAtomics = Atomics;
  other.words = int32();

  for (const [call, Kind] of [
    ['ourAtomics.wait({}, 0, 0)', TypeError],
    ['ourAtomics.wait(words, 9, 0)', RangeError],
    ['ourAtomics.waitAsync(words, 0, 0n)', TypeError],
    ['ourAtomics.waitAsync(words, -1, 0)', RangeError],
    ['ourAtomics.notify(words, 9)', RangeError],
    ['ourAtomics.notify(1)', TypeError],
    ['ourAtomics.notify(words, 0, 1n)', TypeError],
    ['ourAtomics.wait(words, Symbol(), 0)', TypeError],
  ]) {
    assert.throws(
      () => evaluate(call),
      (error) => error.constructor === Kind,
      call,
    );
  }
});

test('Results belong to the realm of the function, not of its caller', async () => {
  other.ourAtomics = Atomics;
  other.words = int32();

  const notEqual = evaluate('ourAtomics.waitAsync(words, 0, 1)');
  const queued = evaluate('ourAtomics.waitAsync(words, 0, 0)');

  assert.equal(Object.getPrototypeOf(notEqual), Object.prototype);
  assert.equal(Object.getPrototypeOf(queued), Object.prototype);
  assert.equal(Object.getPrototypeOf(queued.value), Promise.prototype);
  assert.equal(Atomics.notify(other.words, 0), 1);
  assert.equal(await queued.value, 'ok');
});

test('Arguments of another realm are coerced', () => {
  const index = evaluate('({ valueOf: () => 3 })');
  const value = evaluate('({ valueOf: () => 1 })');

  assert.equal(Atomics.wait(int32(), index, value, index), 'not-equal');
  assert.throws(() => Atomics.wait(int32(), evaluate('Symbol()'), value), TypeError);
  assert.equal(Atomics.notify(int32(), index, index), 0);
});
