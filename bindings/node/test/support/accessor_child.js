// SPDX-License-Identifier: MIT
'use strict';

// Runs every function of the package while Object.prototype has an accessor for each of the names that the third
// argument lists as JSON; the second says whether they are defined `before` or `after` the package is loaded. Prints
// what the functions returned, and which accessors code of the package has called.

// What Node 18 loads for these the first time cannot stand the accessors.
require('node:fs');
void require('node:util').TextDecoder;
const [, , when, json] = process.argv;
const names = JSON.parse(json);
const { defineProperty, hasOwn } = Object;
const prototype = Object.prototype;
const called = { __proto__: null };
const results = { __proto__: null };
let what = 'loading';
let isTracing = false;

/// Whether the code that called an accessor is Node's own, or that of the loader. They may call some; the package may call none.
function isCallerNodes() {
  isTracing = true;
  try {
    const frames = new Error().stack.split('\n');
    for (let i = 1; i < frames.length; ++i) {
      if (frames[i].includes('node:') || frames[i].includes('node-gyp-build')) return true;
      if (frames[i].includes('.js:') && !frames[i].includes(__filename)) return false;
    }
    return false;
  } finally {
    isTracing = false;
  }
}

/// An accessor that throws, except that for Node it is as if there were none.
function define(name) {
  const isNodes = (kind) => {
    if (isTracing || isCallerNodes()) return true;
    called[`${kind} ${name}, ${what}`] = true;
    throw new Error(`${kind} ${name} was called`);
  };
  defineProperty(prototype, name, {
    __proto__: null,
    configurable: true,
    get() {
      isNodes('get');
      return undefined;
    },
    set(value) {
      if (isNodes('set'))
        defineProperty(this, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    },
  });
}

function defineAll() {
  for (let i = 0; i < names.length; ++i) define(names[i]);
}

function removeAll() {
  for (let i = 0; i < names.length; ++i) delete prototype[names[i]];
}

// Node’s own modules do not stand such accessors while they are loaded, so what the package needs of them is loaded first.
require('node:worker_threads');
require('node:stream');
new AbortController().abort();
new DOMException('', 'TimeoutError');

if (when === 'before') defineAll();
const { wait, waitAsync, notify, pause, AsyncLock, waiters, addressOf, canBlock, setCanBlock } = require('../..');
require('../../polyfill');
if (when === 'after') defineAll();

const words = new Int32Array(new SharedArrayBuffer(64));
const wide = new BigInt64Array(new SharedArrayBuffer(64));
const lock = new AsyncLock(words.buffer, 16);

/// An ordinary object with one property.
const bag = (name, value) => defineProperty({}, name, { __proto__: null, value, enumerable: true });

function errorOf(call) {
  try {
    return call();
  } catch (error) {
    return hasOwn(error, 'code') ? error.code : error.name;
  }
}

const nameOf = (error) => error.name;

const cases = {
  __proto__: null,
  wait: () => wait(words, 0, 1) + wait(words, 0, 0, 0) + wait(wide, 0, 0n, 1) + wait(words, 0, 0, bag('timeout', 1)),
  'waitAsync at once': () => waitAsync(words, 0, 1).value + waitAsync(words, 0, 0, 0).value,
  'waitAsync and notify'() {
    const { async, value } = waitAsync(words, 0, 0);
    return notify(words, 0) === 1 && async && value;
  },
  async 'six hundred waits'() {
    const promises = [];
    for (let i = 0; i < 600; ++i)
      defineProperty(promises, i, { __proto__: null, value: waitAsync(wide, 1, 0n).value });
    const woken = notify(wide, 1);
    for (let i = 0; i < 600; ++i) if (await promises[i] !== 'ok') return 'not ok';
    return woken;
  },
  'a time-out': () => waitAsync(words, 0, 0, 1).value,
  'a time-out of options': () => waitAsync(words, 0, 0, bag('timeout', 1)).value,
  'empty options'() {
    const result = waitAsync(words, 0, 0, undefined, {});
    return notify(words, 0) === 1 && result.async && result.value;
  },
  'ref and unref'() {
    const result = waitAsync(words, 0, 0, bag('ref', false));
    const isSet = !result.hasRef() && result.ref().hasRef() && !result.unref().hasRef();
    return isSet && notify(words, 0) === 1 && result.value;
  },
  introspection() {
    waitAsync(words, 3, 0);
    const waiter = waiters(words, 3)[0];
    return `${waiter.kind} ${waiter.operation} ${waiter.address === addressOf(words, 3)} ${notify(words, 3)}`;
  },
  'pause and canBlock'() {
    pause();
    setCanBlock(canBlock());
    return canBlock();
  },
  errors: () => errorOf(() => wait(bag('a', 1), 0, 0)) + errorOf(() => wait(words, 99, 0)) +
    errorOf(() => wait(words, 0, 0n)) + errorOf(() => waitAsync(words, 0, 0, 1, bag('signal', 1))),
  'a strict lock': () => new AsyncLock(words.buffer, 32, bag('strict', true)).tryLock() && words[8],
  lock() {
    words[4] = 1;  // held, but not by this thread: that would be a deadlock
    const late = errorOf(() => lock.lock(bag('timeout', 1)));
    lock.unlock();
    const guard = lock.lock();
    const deadlock = errorOf(() => lock.lock());
    guard.unlock();
    const isFree = lock.tryLock() !== undefined;
    lock.unlock();
    return `${isFree} ${late} ${deadlock} ${errorOf(() => guard.unlock())} ${errorOf(() => lock.unlock())}`;
  },
  async lockAsync() {
    const guard = await lock.lockAsync();
    const second = lock.lockAsync();
    const third = lock.executeLocked(() => 'third');
    const late = await lock.lockAsync(bag('timeout', 1)).catch(nameOf);
    guard.unlock();
    (await second).unlock();
    return `${await third} ${late} ${lock.byteOffset} ${lock.buffer === words.buffer}`;
  },
  async executeLocked() {
    const thrown = await lock.executeLocked(() => { throw new EvalError(); }).catch(nameOf);
    return `${thrown} ${await lock.executeLocked(async () => 'async')} ${await lock.executeLocked(() => 'now', {})}`;
  },
  async signals() {
    const controller = new AbortController();
    const { signal } = controller;
    const waits = waitAsync(words, 0, 0, bag('signal', signal)).value;
    const aborted = waitAsync(words, 0, 0, bag('signal', signal)).value.catch(nameOf);
    const guard = lock.lock();
    const locks = lock.lockAsync(bag('signal', signal)).catch(nameOf);
    const woken = notify(words, 0, 1);
    controller.abort();
    guard.unlock();
    return `${woken} ${await waits} ${await aborted} ${await locks} ${lock.tryLock() !== undefined}`;
  },
};

async function main() {
  const all = Object.keys(cases);
  for (let i = 0; i < all.length; ++i) {
    what = all[i];
    try {
      results[what] = await cases[what]();
    } catch (error) {
      results[what] = error.stack;
    }
  }
  removeAll();
  console.log(JSON.stringify({ called: Object.keys(called), results }));
}

main();
