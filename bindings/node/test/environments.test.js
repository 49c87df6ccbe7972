// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Several of everything: threads, loads of the package, copies of it, contexts.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const vm = require('node:vm');
const { spawnSync } = require('node:child_process');
const { Worker } = require('node:worker_threads');
const futon = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32, untilWaiting } = require('./support/wait_queue');

const root = path.join(__dirname, '..');

test('Eight threads and the main thread wait in one queue', () =>
  withAgents(8, async (...agents) => {
    const words = int32();
    const blocked = [];
    for (const [i, agent] of agents.entries()) {
      const body = i % 2 === 0 ? (words) => Atomics.wait(words, 0, 0) : (words) => Atomics.waitAsync(words, 0, 0).value;
      blocked.push(agent.run(body, words));
    }
    blocked.push(futon.waitAsync(words, 0, 0).value);
    await untilWaiting(words, 0, 9);

    assert.equal(futon.notify(words, 0), 9);
    assert.deepEqual(await Promise.all(blocked), Array(9).fill('ok'));
  }));

test('Blocking and non-blocking threads alternate on one word', () =>
  withAgents(4, async (...agents) => {
    const words = int32(5);
    const rounds = 500;
    const alternate = async (words, me, rounds, isAsync) => {
      for (let i = 0; i < rounds; i++) {
        for (let seen; (seen = Atomics.load(words, 0)) % 4 !== me; )
          await (isAsync ? Atomics.waitAsync(words, 0, seen).value : Atomics.wait(words, 0, seen));
        Atomics.add(words, 0, 1);
        Atomics.notify(words, 0);
      }
    };

    await Promise.all(agents.map((agent, i) => agent.run(alternate, words, i, rounds, i % 2 === 0)));

    assert.equal(words[0], 4 * rounds);
  }));

test('The package loaded twice in one thread shares the wait queues', async () => {
  const files = Object.keys(require.cache).filter((file) => file.startsWith(root) && !file.includes(`${path.sep}test${path.sep}`));
  const kept = files.map((file) => [file, require.cache[file]]);
  for (const file of files) delete require.cache[file];
  const second = require('..');
  for (const [file, module] of kept) require.cache[file] = module;
  assert.notEqual(second.notify, futon.notify);

  const words = int32();
  const [a, b] = [futon.waitAsync(words, 0, 0).value, second.waitAsync(words, 0, 0).value];
  assert.equal(second.notify(words, 0), 2);
  assert.deepEqual(await Promise.all([a, b]), ['ok', 'ok']);
});

test('Two copies of the package in one process share the wait queues, in all threads', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'futon-'));
  try {
    for (const part of ['package.json', 'index.js', 'lib']) fs.cpSync(path.join(root, part), path.join(folder, part), { recursive: true });
    fs.cpSync(require('../lib/load').file(), path.join(folder, 'build', 'Release', 'futon.node'));
    fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    const copy = require(folder);
    const words = int32();

    const mine = futon.waitAsync(words, 0, 0).value;
    assert.equal(copy.notify(words, 0), 1);
    assert.equal(await mine, 'ok');

    const worker = new Worker(`
      const { workerData } = require('node:worker_threads');
      require(${JSON.stringify(folder)}).wait(workerData, 0, 0);
    `, { eval: true, workerData: words });
    await untilWaiting(words, 0, 1);
    assert.equal(futon.notify(words, 0), 1);
    assert.equal(await new Promise((resolve) => worker.on('exit', resolve)), 0);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test('The time that vm gives to a program ends a blocked wait', () => {
  const words = int32();
  const context = { ...futon, words };
  for (const code of ['wait(words, 0, 0)', 'new AsyncLock(words.buffer, 4).lock(); new AsyncLock(words.buffer, 4).lock({ timeout: 60_000 })'])
    assert.throws(() => vm.runInNewContext(code, context, { timeout: 20 }), { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' });
  assert.equal(futon.notify(words, 0), 0);
});

test('The functions work in another context of vm, on arrays of that context', async () => {
  const context = vm.createContext({ ...futon });
  const result = vm.runInContext(`
    const words = new Int32Array(new SharedArrayBuffer(16));
    const result = waitAsync(words, 0, 0);
    [words, result.value, notify(words, 0), wait(words, 0, 1)];
  `, context);

  assert.equal(result[2], 1);
  assert.equal(result[3], 'not-equal');
  assert.equal(await result[1], 'ok');
  assert.equal(futon.waiters(result[0], 0).length, 0);
});

test('import and require give the same functions', () => {
  const source = `
    import futon, { wait, waitAsync, notify, AsyncLock } from 'futon';
    import { createRequire } from 'node:module';
    import 'futon/polyfill';
    const required = createRequire(import.meta.url)('futon');
    console.log([wait, waitAsync, notify].every((f) => Atomics[f.name] === f && required[f.name] === f),
      AsyncLock === required.AsyncLock, futon === required);
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source],
    { encoding: 'utf8', cwd: root, timeout: 30_000 });
  assert.deepEqual({ stdout, stderr }, { stdout: 'true true true\n', stderr: '' });
});

test('The polyfill affects its own thread only, and keeps the attributes of the properties', () => {
  const source = `
    const before = Object.getOwnPropertyDescriptor(Atomics, 'notify');
    require(${JSON.stringify(path.join(root, 'polyfill.js'))});
    const { Worker } = require('node:worker_threads');
    const after = Object.getOwnPropertyDescriptor(Atomics, 'notify');
    console.log(before.value !== after.value, ['writable', 'enumerable', 'configurable'].every((k) => before[k] === after[k]));
    new Worker('console.log(/native code/.test(Atomics.notify))', { eval: true });
  `;
  const { stdout } = spawnSync(process.execPath, ['-e', source], { encoding: 'utf8', timeout: 30_000 });
  assert.equal(stdout, 'true true\ntrue\n');
});
