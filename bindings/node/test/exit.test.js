// SPDX-License-Identifier: MIT
'use strict';

// How processes end: pending waits keep them alive, blocked workers do not.

const assert = require('node:assert/strict');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { nativeDeviates } = require('./support/implementation');
const { test } = require('./support/test');

const support = path.join(__dirname, 'support');

/// Runs `main()` in a process of its own, which has the implementation under test, Agent and the helpers of wait
/// queues.
function run(main) {
  const source = `
    require(${JSON.stringify(path.join(support, 'implementation.js'))});
    const { Agent } = require(${JSON.stringify(path.join(support, 'agent.js'))});
    const { int32, untilWaiting } = require(${JSON.stringify(path.join(support, 'wait_queue.js'))});
    (${main})();
  `;
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, ['-e', source], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  return { status, signal, stdout, stderr };
}

const exited = (status, stdout = '') => ({ status, signal: null, stdout, stderr: '' });
const leavesEarly = nativeDeviates('Node exits while a waitAsync is pending');

test('A pending wait keeps its process alive until it has timed out', leavesEarly, () => {
  const result = run(() => {
    Atomics.waitAsync(int32(), 0, 0, 50).value.then(console.log);
  });

  assert.deepEqual(result, exited(0, 'timed-out\n'));
});

test('A pending wait keeps its process alive until another thread notifies it', leavesEarly, () => {
  const result = run(() => {
    const words = int32();
    Atomics.waitAsync(words, 0, 0).value.then(console.log);
    const agent = new Agent();
    agent.run((words) => Atomics.notify(words, 0), words).then(() => agent.terminate());
  });

  assert.deepEqual(result, exited(0, 'ok\n'));
});

test('A process whose waits have all settled ends by itself', () => {
  const result = run(() => {
    const words = int32();
    for (let i = 0; i < 100; i++) Atomics.waitAsync(words, 0, 0, i % 2 === 0 ? undefined : 1e6);
    console.log(Atomics.notify(words, 0));
  });

  assert.deepEqual(result, exited(0, '100\n'));
});

test('process.exit ends a process with queued promises', () => {
  const result = run(() => {
    const words = int32();
    for (let i = 0; i < 100; i++) Atomics.waitAsync(words, 0, 0, i % 2 === 0 ? undefined : 1e6);
    process.exit(3);
  });

  assert.deepEqual(result, exited(3));
});

test('process.exit ends a process whose workers are blocked', () => {
  const result = run(async () => {
    const words = int32();
    for (let i = 0; i < 3; i++) new Agent().run((words) => Atomics.wait(words, 0, 0), words);
    await untilWaiting(words, 0, 3);
    process.exit(4);
  });

  assert.deepEqual(result, exited(4));
});

test('process.exit ends a process whose workers have queued promises', () => {
  const result = run(async () => {
    const words = int32();
    for (let i = 0; i < 3; i++) {
      await new Agent().run((words) => {
        Atomics.waitAsync(words, 0, 0);
        Atomics.waitAsync(words, 0, 0, 1e6);
      }, words);
    }
    process.exit(5);
  });

  assert.deepEqual(result, exited(5));
});

test('process.exit while promises of a worker are being settled ends the process', () => {
  const result = run(async () => {
    const words = int32();
    const agent = new Agent();
    await agent.run((words) => {
      for (let i = 0; i < 1000; i++) Atomics.waitAsync(words, 0, 0);
    }, words);
    console.log(Atomics.notify(words, 0));
    process.exit(6);
  });

  assert.deepEqual(result, exited(6, '1000\n'));
});

test('An uncaught exception ends a process whose workers are blocked', () => {
  const { status, stderr } = run(async () => {
    const words = int32();
    new Agent().run((words) => Atomics.wait(words, 0, 0), words);
    await untilWaiting(words, 0, 1);
    throw new Error('on purpose');
  });

  assert.match(stderr, /on purpose/);
  assert.equal(status, 1);
});

test('process.exit ends a process whose workers have blocked workers of their own', () => {
  const result = run(async () => {
    const words = int32();
    new Agent().run((words) => {
      const { Agent } = require('./agent');
      for (let i = 0; i < 2; i++) new Agent().run((words) => Atomics.wait(words, 0, 0), words);
      return new Promise(() => {});
    }, words);
    await untilWaiting(words, 0, 2);
    process.exit(7);
  });

  assert.deepEqual(result, exited(7));
});

test('The functions work while the process exits', () => {
  const result = run(() => {
    const words = int32();
    Atomics.waitAsync(words, 0, 0);
    process.on('exit', () => {
      console.log(Atomics.notify(words, 0));
      console.log(Atomics.wait(words, 0, 0, 1));
      console.log(Atomics.waitAsync(words, 0, 0, 1).async, Atomics.waitAsync(words, 0, 1).value);
    });
    process.exit();
  });

  assert.deepEqual(result, exited(0, '1\ntimed-out\ntrue not-equal\n'));
});

test('The promises of a worker that calls process.exit are dequeued', () => {
  const result = run(async () => {
    const words = int32();
    const agent = new Agent();
    const ended = agent.run((words) => {
      Atomics.waitAsync(words, 0, 0);
      process.exit(0);
    }, words);
    await ended.catch((error) => console.log(error.message));
    console.log(Atomics.notify(words, 0));
  });

  assert.deepEqual(result, exited(0, 'the agent has ended\n0\n'));
});
