// SPDX-License-Identifier: MIT
// Futon only.
'use strict';

// What loading futon/polyfill changes in this thread's Atomics.

const engineOwn = Object.getOwnPropertyDescriptors(Atomics);

const assert = require('node:assert/strict');
const path = require('node:path');
const { Worker } = require('node:worker_threads');
const { futon } = require('./support/implementation');
const { test } = require('./support/test');
const { int32, nextIteration, untilWaiting } = require('./support/wait_queue');

const replaced = ['wait', 'waitAsync', 'notify'];

test('The polyfill installs wait, waitAsync and notify of the package', () => {
  for (const name of replaced) {
    assert.equal(Atomics[name], futon[name]);
    assert.notEqual(Atomics[name], engineOwn[name].value);
  }
});

test('pause is the engine’s own if it has one, else that of the package', () => {
  assert.equal(Atomics.pause, engineOwn.pause?.value ?? futon.pause);
});

test('The other functions of Atomics are the engine’s own', () => {
  const now = Object.getOwnPropertyDescriptors(Atomics);

  for (const key of Reflect.ownKeys(engineOwn)) {
    if (!replaced.includes(key)) assert.deepEqual(now[key], engineOwn[key]);
  }
  assert.deepEqual(new Set(Reflect.ownKeys(now)), new Set([...Reflect.ownKeys(engineOwn), 'pause']));
});

test('Loading the polyfill again changes nothing', () => {
  const functions = () => Reflect.ownKeys(Atomics).map((key) => Atomics[key]);
  const before = functions();
  const file = require.resolve('../polyfill');
  delete require.cache[file];

  require(file);

  assert.deepEqual(functions(), before);
});

test('A worker that does not load the polyfill has the engine’s functions', async () => {
  const isNative = 'Function.prototype.toString.call(Atomics.wait).includes("[native code]")';
  const worker = new Worker(
    `require('node:worker_threads').parentPort.postMessage([${isNative}, Object.keys(require.cache).length])`,
    { eval: true },
  );

  const [isEngines, modules] = await new Promise((resolve, reject) =>
    worker.on('message', resolve).on('error', reject),
  );

  assert.equal(isEngines, true);
  assert.equal(modules, 0);
});

test('The engine’s notify does not wake waiters of the package, nor the reverse', async () => {
  const words = int32();
  const { value } = Atomics.waitAsync(words, 0, 0);

  assert.equal(engineOwn.notify.value(words, 0), 0);
  await nextIteration();

  assert.equal(futon.notify(words, 0), 1);
  assert.equal(await value, 'ok');
});

/// (module (import "" "m" (memory 1 1 shared)) (func (export "notify") (param i32 i32) (result i32)
///   (memory.atomic.notify (local.get 0) (local.get 1))))
const notifyOfWebAssembly = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,                                         // its magic number and version
  1, 7, 1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f,                                   // the type (i32, i32) -> i32
  2, 8, 1, 0, 1, 0x6d, 2, 3, 1, 1,                                         // the memory
  3, 2, 1, 0,                                                              // a function of that type
  7, 10, 1, 6, 0x6e, 0x6f, 0x74, 0x69, 0x66, 0x79, 0, 0,                   // its name
  10, 12, 1, 10, 0, 0x20, 0, 0x20, 1, 0xfe, 0, 2, 0, 0x0b,                 // memory.atomic.notify
]);

test('memory.atomic.notify of WebAssembly does not wake waiters of the package', async () => {
  const m = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(notifyOfWebAssembly), { '': { m } });
  const words = new Int32Array(m.buffer);
  const { value } = futon.waitAsync(words, 2, 0);

  assert.equal(exports.notify(8, 1), 0);
  await nextIteration();

  assert.equal(futon.notify(words, 2), 1);
  assert.equal(await value, 'ok');
});

test('The functions of the package and of the polyfill share the wait queues', async () => {
  const words = int32();
  const first = futon.waitAsync(words, 0, 0).value;
  const second = Atomics.waitAsync(words, 0, 0).value;

  assert.equal(Atomics.notify(words, 0, 1), 1);
  assert.equal(await first, 'ok');
  assert.equal(futon.notify(words, 0), 1);
  assert.equal(await second, 'ok');
});

test('A worker with --require has the polyfill before its first statement', async () => {
  const words = int32();
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
     parentPort.postMessage(Atomics.wait(workerData, 0, 0));`,
    { eval: true, workerData: words, execArgv: ['--require', path.join(__dirname, '..', 'polyfill')] },
  );
  const result = new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));

  await untilWaiting(words, 0, 1);

  assert.equal(futon.notify(words, 0), 1);
  assert.equal(await result, 'ok');
});

test('A module can import the functions from the polyfill by name', async () => {
  const { notify, AsyncLock, default: all } = await import('futon/polyfill');
  assert.equal(notify, futon.notify);
  assert.equal(AsyncLock, futon.AsyncLock);
  assert.equal(all, futon);
});
