// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// A package that is loaded in another realm than the addon, as in Jest: whatever it returns is of the package's realm.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const { notify } = require('..');
const { test } = require('./support/test');

const folder = path.join(__dirname, '..');

/// A new realm, and the package as its own `require` loads it there.
function loadInRealm() {
  const context = vm.createContext({ AbortSignal, AbortController, EventTarget, DOMException, process, Buffer });
  const modules = new Map();
  function load(file) {
    if (file.startsWith('node') || file.endsWith('.node')) return require(file);
    if (!modules.has(file)) {
      const module = { exports: {} };
      modules.set(file, module);
      const run = vm.compileFunction(fs.readFileSync(file, 'utf8'), ['require', 'module', 'exports', '__dirname'],
        { parsingContext: context, filename: file });
      run((name) => load(name.startsWith('.') ? path.join(path.dirname(file), name) : name), module,
        module.exports, path.dirname(file));
    }
    return modules.get(file).exports;
  }
  context.futon = load(path.join(folder, 'index.js'));
  return (source) => vm.runInContext(source, context, { filename: 'realm.js' });
}

test('Each of 600 pending waits has a promise of the package’s realm', async () => {
  const evaluate = loadInRealm();
  const results = evaluate(`
    const words = new Int32Array(new SharedArrayBuffer(16));
    const list = Array.from({ length: 600 }, () => futon.waitAsync(words, 0, 0));
    list`);
  const isOurs = evaluate('({ async, value }) => async === true && value instanceof Promise && ' +
    'value.constructor === Promise && Object.getPrototypeOf(value) === Promise.prototype');
  assert.equal(isOurs({ async: true, value: Promise.resolve() }), false);
  assert.equal(results.filter(isOurs).length, 600);
  assert.equal(evaluate('list.every((result) => result instanceof Object)'), true);

  assert.equal(evaluate('futon.notify(words, 0)'), 600);
  assert.equal(await evaluate('Promise.all(list.map(({ value }) => value)).then((all) => all.join())'),
    Array(600).fill('ok').join());
});

test('Reactions to each of 600 promises are the realm’s: await, then, catch, finally', async () => {
  const evaluate = loadInRealm();
  const promise = evaluate(`
    const words = new Int32Array(new SharedArrayBuffer(16));
    const { prototype } = Promise;
    let calls = 0;
    const { then } = prototype;
    prototype.then = function (...args) {
      ++calls;
      return then.apply(this, args);
    };
    const list = Array.from({ length: 600 }, () => futon.waitAsync(words, 0, 0).value);
    const chained = list.map((promise) => promise.then((result) => result).catch(() => 0).finally(() => {}));
    const isRealms = chained.every((promise) => promise instanceof Promise) && calls >= 1200;
    async function all() {
      let fine = 0;
      for (const promise of list) if (await promise === 'ok') ++fine;
      for (const promise of chained) if (await promise === 'ok') ++fine;
      return [isRealms, fine].join();
    }
    all()`);
  assert.equal(promise instanceof Promise, false);
  assert.equal(evaluate('futon.notify(words, 0, 300) + futon.notify(words, 0)'), 600);
  assert.equal(await promise, 'true,1200');
});

test('Time-outs and aborts settle the promises of another realm too, past the 256th wait', async () => {
  const evaluate = loadInRealm();
  const results = await evaluate(`
    const words = new Int32Array(new SharedArrayBuffer(16));
    const controller = new AbortController();
    for (let i = 0; i < 300; ++i) futon.waitAsync(words, 1, 0);
    const late = futon.waitAsync(words, 0, 0, 1).value;
    const aborted = futon.waitAsync(words, 0, 0, { signal: controller.signal }).value;
    const isRealms = late instanceof Promise && aborted instanceof Promise;
    controller.abort();
    Promise.allSettled([late, aborted]).then(([late, aborted]) =>
      [isRealms, late.value, aborted.reason.name, futon.notify(words, 1)].join())`);
  assert.equal(results, 'true,timed-out,AbortError,300');
});

test('Errors of a package in another realm are of that realm', () => {
  const evaluate = loadInRealm();
  assert.equal(evaluate('try { futon.wait([], 0, 0) } catch (error) { error instanceof TypeError }'), true);
  assert.throws(() => notify([], 0), TypeError);
});

test('On a full stack of another realm waitAsync throws, or its promise settles', async () => {
  const evaluate = loadInRealm();
  const counts = await evaluate(`
    const words = new Int32Array(new SharedArrayBuffer(16));
    for (let i = 0; i < 300; ++i) futon.waitAsync(words, 0, 0);
    const promises = [];
    let calls = 2000;
    function descend() {
      try {
        descend();
      } catch {
        // the end of the stack
      }
      if (calls-- <= 0) return;
      try {
        promises[promises.length] = futon.waitAsync(words, 1, 0).value;
      } catch (error) {
        if (error.name !== 'RangeError') throw error;  // of either realm
      }
    }
    descend();
    const woken = futon.notify(words, 1);
    futon.notify(words, 0);
    Promise.all(promises).then((all) => [woken === all.length, all.length > 0, new Set(all).size].join())`);
  assert.equal(counts, 'true,true,1');
});
