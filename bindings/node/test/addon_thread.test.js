// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// futon::addon::Thread: a native thread that ends before its environment does.

const assert = require('node:assert/strict');
const { waiters } = require('..');
const { test } = require('./support/test');
const { Agent } = require('./support/agent');
const { int32, untilWaiting } = require('./support/wait_queue');
const { loadTestAddon } = require('./support/example');

const threads = (context) => loadTestAddon(context, 'threads');

test('The destructor requests a stop and waits for the end', (context) => {
  const addon = threads(context);
  if (addon === undefined) return;
  const words = int32(4);

  addon.drop(words);

  assert.deepEqual([...words], [0, 1, 0, 0]);
});

test('Assignment ends the thread that was there, and a thread can be moved', (context) => {
  const addon = threads(context);
  if (addon === undefined) return;
  const words = int32(4);

  addon.replace(words);

  assert.deepEqual([...words], [0, 2, 1, 1]);
});

test('join waits for the end of a body that takes no stop token', (context) => {
  const addon = threads(context);
  if (addon === undefined) return;
  const words = int32(4);

  addon.join(words);

  assert.deepEqual([...words], [0, 1, 0, 0]);
});

test('A thread without an environment is refused', (context) => {
  const addon = threads(context);
  if (addon === undefined) return;

  assert.equal(addon.withoutEnvironment(), true);
});

test('A detached thread has ended when its worker has', async (context) => {
  if (threads(context) === undefined) return;
  for (let i = 0; i < 5; i++) {
    const words = int32(4);
    const agent = new Agent();
    await agent.run((words) => require('../addon/build/threads.node').detach(words), words);
    await untilWaiting(words, 0, 1);

    await agent.terminate();

    assert.equal(words[1], 1);
    assert.equal(waiters(words, 0).length, 0);
  }
});

test('A thread whose handle outlives its worker has ended when the worker has', async (context) => {
  const addon = threads(context);
  if (addon === undefined) return;
  const words = int32(4);
  const agent = new Agent();
  await agent.run((words) => require('../addon/build/threads.node').keep(words), words);
  await untilWaiting(words, 0, 1);

  await agent.terminate();

  assert.equal(words[1], 1);
  assert.equal(addon.forget(), false);
});

test('A thread whose handle was destroyed does not concern the end of its worker', async (context) => {
  const addon = threads(context);
  if (addon === undefined) return;
  const words = int32(4);
  const agent = new Agent();
  await agent.run((words) => require('../addon/build/threads.node').drop(words), words);

  await agent.terminate();

  assert.equal(words[1], 1);
});

test('An addon that was compiled for another Node throws an Error that names both versions', (context) => {
  const addon = loadTestAddon(context, 'another_node');
  if (addon === undefined) return;

  assert.throws(() => addon.start(int32(3), 1), {
    name: 'Error',
    message: new RegExp(`compiled for Node 1 and runs in Node ${process.versions.node.split('.')[0]};`),
  });
});
