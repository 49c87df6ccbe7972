// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Where no addon can be loaded: futon-web, over the engine's own wait queues.

const assert = require('node:assert/strict');
const path = require('node:path');
const { execFileSync, spawnSync } = require('node:child_process');
const { test } = require('./support/test');

const root = path.join(__dirname, '..');

/// A program on a system that the package has no addon for.
function runElsewhere(source) {
  return spawnSync(process.execPath, ['-e', `Object.defineProperty(process, 'platform', { value: 'darwin' });
    const futon = require(${JSON.stringify(root)});
    ${source}`], { encoding: 'utf8', timeout: 60_000 });
}

test('Without an addon the functions are those of futon-web, and a warning says why', () => {
  execFileSync(process.execPath, [path.join(root, '..', 'web', 'scripts', 'bundle.js')]);
  const { status, stdout, stderr } = runElsewhere(`
    const words = new Int32Array(new SharedArrayBuffer(8));
    const { value } = futon.waitAsync(words, 1, 0, { timeout: 1000 });
    console.log(futon.notify(words, 1), Object.keys(futon).join());
    const lock = new futon.AsyncLock(words.buffer);
    value.then((result) => lock.executeLocked(() => console.log(result)));
    try { futon.waiters(); } catch (error) { console.log(error.code); }`);
  assert.equal(status, 0, stderr);
  assert.equal(stdout, `1 ${Object.keys(require('..')).join()}\nENOTSUP\nok\n`);
  assert.match(stderr, /FUTON_FALLBACK.*no addon for darwin.*engine's/s);
});

/// A `select` that blocks starts a worker, for which the package needs this function of Node 20.16 and later.
const canSelect = process.getBuiltinModule !== undefined;

test('Without an addon there are conditions, channels and selects', () => {
  const { status, stdout, stderr } = runElsewhere(`
    const channel = new futon.Channel(new SharedArrayBuffer(futon.Channel.byteLengthFor(64)), 0, { capacity: 64 });
    console.log(channel.trySend('text'), futon.fromShared(futon.toShared(channel)).tryReceive().value);
    const words = new Int32Array(new SharedArrayBuffer(8));
    const operations = [channel.receiving(), futon.waiting(words, 0, 0), new futon.Event(words.buffer, 4).waiting()];
    channel.trySend('more');
    console.log(futon.select(operations).value.value);
    try { console.log(futon.select(operations, { timeout: 1 }).value); } catch ({ message }) { console.log(message); }
    futon.selectAsync(operations).then(({ index, value }) => console.log(index, value));
    futon.notify(words, 0);
    const buffer = new SharedArrayBuffer(16);
    const guard = new futon.AsyncLock(buffer).lock();
    console.log(new futon.Condition(buffer, 8).wait(guard, { timeout: 1 }), guard.ownsLock);`);
  assert.equal(status, 0, stderr);
  const waited = canSelect ? 'timed-out' : 'select: no worker can be started here, which must wait for this thread; use selectAsync';
  assert.equal(stdout, `ok text\nmore\n${waited}\ntimed-out true\n1 ok\n`);
});

test('The polyfill falls back, too', () => {
  const { status, stdout } = runElsewhere(`require(${JSON.stringify(path.join(root, 'polyfill.js'))});
    console.log(Atomics.wait === futon.wait)`);
  assert.equal(status, 0);
  assert.equal(stdout, 'true\n');
});
