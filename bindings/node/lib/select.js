// SPDX-License-Identifier: MIT
'use strict';
// Which of several operations is done first: one of them, and no other, has happened then.

const {
  isAborted, reasonOf, typedArrayBuffer, typedArrayLength, TypeError, isArray, Array, arrayPush, Error,
} = require('./primordials.js');
const {
  native, doubles, bigs, ints, ADDRESS, TIMEOUT, COUNT, NARROW, WIDTH, SLOT, KIND, OUTCOME, OK, NOT_EQUAL, TIMED_OUT,
} = require('./native.js');
const { describe } = require('./describe.js');
const { requireCanBlock } = require('./agent.js');
const { requireRoom, makePromise, capability } = require('./pending.js');
const { enqueueWithSignal } = require('./options.js');
const { readOptions, readBlockingOptions } = require('./option_bag.js');
const { Registration, unlisten } = require('./abort.js');
const { requireShared } = require('./view.js');
const { toIndex, toInt32, toInt64 } = require('./coerce.js');
const { Operation } = require('./operation.js');
const { isDiagnosed, noteCall } = require('./diagnosis.js');

const WORD_KIND = 9;  // as Kind of src/mailbox.hpp

/** Waiting for a word, as an operation of `select`; its value is what `wait` returns. */
function waiting(typedArray, index, value) {
  const name = 'waiting';
  const view = requireShared(typedArray, name);
  const at = toIndex(index, typedArrayLength(typedArray), name);
  const expected = view.isWide ? toInt64(value, name) : toInt32(value, name);
  const fill = () => {
    doubles[ADDRESS] = view.address + at * view.size;
    ints[KIND] = WORD_KIND;
    ints[WIDTH] = view.size;
    if (view.isWide) bigs[0] = expected;
    else ints[NARROW] = expected;
  };
  return new Operation(fill, typedArrayBuffer(typedArray), (result) => result);
}

/// The operations as a list of our own.
function listOf(operations, name) {
  if (!isArray(operations)) throw new TypeError(`${name}: operations must be an array, not ${describe(operations)}`);
  if (operations.length === 0) throw new TypeError(`${name}: operations must have one at least`);
  const list = new Array(0);
  for (let i = 0; i < operations.length; ++i) {
    const operation = operations[i];
    if (!(operation instanceof Operation))
      throw new TypeError(`${name}: operations[${i}] must be an operation such as lock.locking(), not ${describe(operation)}`);
    arrayPush(list, operation);
  }
  return list;
}

/// Has the next call of the addon select among these.
function add(operations) {
  if (isDiagnosed) noteCall();
  for (let i = 0; i < operations.length; ++i) {
    operations[i].fill();
    ints[SLOT] = i;
    native.addChoice();
  }
}

const answer = (index, value) => ({ __proto__: null, index, value });

/// What the operation gave that the addon has chosen.
function answerOf(operations, result, slot) {
  const index = doubles[COUNT];
  return answer(index, operations[index].finish(result, slot));
}

/// The same for the program.
function completed(operations, { index, value }) {
  const complete = operations[index]?.complete;
  return answer(index, complete === undefined ? value : complete(value));
}

/** Blocks until one of the operations is done. */
function select(operations, options = undefined) {
  const name = 'select';
  const list = listOf(operations, name);
  requireCanBlock(name);
  const timeout = readBlockingOptions(options, name);
  requireRoom(24);
  add(list);
  doubles[TIMEOUT] = timeout;
  native.blockInSelect();
  const outcome = ints[OUTCOME];
  if (outcome === OK) return completed(list, answerOf(list, 'ok', -1));
  if (outcome === NOT_EQUAL) return completed(list, answerOf(list, 'not-equal', -1));
  if (outcome === TIMED_OUT) return answer(-1, 'timed-out');
  throw new Error(`${name}: this thread is being ended`);  // and then no code of it runs any more
}

/** The same without blocking. */
async function selectAsync(operations, options = undefined) {
  const name = 'selectAsync';
  const list = listOf(operations, name);
  const { signal, ref, timeout } = readOptions(options, name);
  if (signal !== undefined && isAborted(signal)) throw reasonOf(signal);

  requireRoom(24);
  const promise = makePromise('futon.select');
  const { resolve, reject, resource } = capability;
  const registration = new Registration(reject);
  const settler = (result) => {
    const { slot } = registration;
    ints[SLOT] = slot;
    unlisten(registration);
    if (result === 'cancelled') return reject(reasonOf(signal));
    if (result === 'timed-out') return resolve(answer(-1, result));
    native.chosenOf();
    return resolve(answerOf(list, result, slot));
  };
  const memory = new Array(0);
  for (let i = 0; i < list.length; ++i) arrayPush(memory, list[i].memory);
  const fill = () => {
    add(list);
    doubles[TIMEOUT] = timeout;
  };
  const outcome = enqueueWithSignal(registration, signal, ref, settler, resource, memory, fill, native.beginSelect);
  if (outcome === undefined) throw reasonOf(signal);
  if (outcome >= 0) return completed(list, await promise);
  if (outcome === TIMED_OUT) return answer(-1, 'timed-out');
  return completed(list, answerOf(list, outcome === OK ? 'ok' : 'not-equal', -1));
}

module.exports = { select, selectAsync, waiting };
