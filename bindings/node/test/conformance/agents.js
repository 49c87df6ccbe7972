// SPDX-License-Identifier: MIT
'use strict';

// Agents that end: their waiters are dequeued and not counted, and other agents are not affected.

const assert = require('node:assert/strict');
const { test } = require('../support/test');
const { Agent, withAgents } = require('../support/agent');
const { int32, untilWaiting, nextIteration, pending, stateOf, waiting } = require('../support/wait_queue');

/// An agent with `count` queued promises.
async function agentQueued(words, count) {
  const agent = new Agent();
  await agent.run(
    (words, count) => {
      for (let i = 0; i < count; i++) Atomics.waitAsync(words, 0, 0);
    },
    words,
    count,
  );
  return agent;
}

/// An agent that is blocked as the last of `count` waiters.
async function agentBlocked(words, count) {
  const agent = new Agent();
  agent.run((words) => Atomics.wait(words, 0, 0), words);
  await untilWaiting(words, 0, count);
  return agent;
}

test('A blocked agent can be terminated, and is not counted after that', async () => {
  const words = int32();
  const agent = await agentBlocked(words, 1);

  await agent.terminate();

  assert.equal(waiting(words, 0), 0);
  assert.equal(Atomics.notify(words, 0), 0);
});

test('Several agents blocked on one word can be terminated', async () => {
  const words = int32();
  const agents = [await agentBlocked(words, 1), await agentBlocked(words, 2), await agentBlocked(words, 3)];

  await agents[1].terminate();
  assert.equal(waiting(words, 0), 2);
  await Promise.all([agents[0].terminate(), agents[2].terminate()]);

  assert.equal(Atomics.notify(words, 0), 0);
});

test('The promises of a terminated agent are dequeued', async () => {
  const words = int32();
  const agent = await agentQueued(words, 100);
  assert.equal(waiting(words, 0), 100);

  await agent.terminate();

  assert.equal(waiting(words, 0), 0);
  assert.equal(Atomics.notify(words, 0), 0);
});

test('The promises of an agent that ended itself are dequeued', () =>
  withAgents(1, async (agent) => {
    const words = int32();
    const ended = agent.run((words) => {
      Atomics.waitAsync(words, 0, 0);
      Atomics.waitAsync(words, 0, 0, 1e6);
      setImmediate(() => process.exit());
      return new Promise(() => {});
    }, words);

    await assert.rejects(ended, /has ended/);

    assert.equal(waiting(words, 0), 0);
    assert.equal(Atomics.notify(words, 0), 0);
  }));

test('The promises of an agent that ended by an exception are dequeued', async () => {
  const words = int32();
  const agent = new Agent();
  const ended = agent.run((words) => {
    Atomics.waitAsync(words, 0, 0);
    setImmediate(() => {
      throw new Error('on purpose');
    });
    return new Promise(() => {});
  }, words);

  await assert.rejects(ended, /on purpose/);
  await agent.terminate();

  assert.equal(waiting(words, 0), 0);
  assert.equal(Atomics.notify(words, 0), 0);
});

test('The waiters behind a terminated agent move up', async () => {
  const words = int32();
  const first = await agentQueued(words, 3);
  const { value } = Atomics.waitAsync(words, 0, 0);
  const second = await agentBlocked(words, 5);

  await first.terminate();
  await second.terminate();

  assert.equal(waiting(words, 0), 1);
  assert.equal(Atomics.notify(words, 0, 1), 1);
  assert.equal(await value, 'ok');
});

test('The end of an agent affects no waiter of another agent', async () => {
  const words = int32();
  const { value } = Atomics.waitAsync(words, 0, 0);
  const agents = [await agentQueued(words, 2), await agentBlocked(words, 4)];

  await Promise.all(agents.map((agent) => agent.terminate()));

  assert.equal(await stateOf(value), pending);
  assert.equal(Atomics.notify(words, 0), 1);
  assert.equal(await value, 'ok');
});

test('Notifies that race the termination of an agent count each of its promises at most once', async () => {
  for (let round = 0; round < 5; round++) {
    const words = int32();
    const agent = await agentQueued(words, 200);
    let taken = 0;

    const ended = agent.terminate();
    for (let i = 0; i < 50; i++) taken += Atomics.notify(words, 0, 2);
    await ended;

    assert.ok(taken <= 200);
    assert.equal(Atomics.notify(words, 0), 0);
  }
});

test('The time-outs of a terminated agent never fire', async () => {
  const words = int32();
  const agent = new Agent();
  await agent.run((words) => {
    for (let i = 0; i < 100; i++) Atomics.waitAsync(words, 0, 0, 5 + i / 10);
  }, words);

  await agent.terminate();

  assert.equal(waiting(words, 0), 0);
  assert.equal(await Atomics.waitAsync(words, 0, 0, 20).value, 'timed-out');
});

test('A new block at the address of a freed one has no waiters', () =>
  withAgents(1, async (agent) => {
    const taken = await agent.run(() => {
      require('node:v8').setFlagsFromString('--expose-gc');
      const collect = require('node:vm').runInNewContext('gc');
      let taken = 0;
      for (let round = 0; round < 50; round++) {
        Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4096)), 0, 0);
        collect();
        for (let i = 0; i < 10; i++) taken += Atomics.notify(new Int32Array(new SharedArrayBuffer(4096)), 0);
      }
      return taken;
    });

    assert.equal(taken, 0);
  }));

test('A new block at the address of the waiters of an ended agent has no waiters', async () => {
  for (let round = 0; round < 3; round++) {
    const agent = new Agent();
    await agent.run(() => {
      for (let i = 0; i < 50; i++) Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4096)), 0, 0);
    });
    await agent.terminate();

    for (let i = 0; i < 100; i++) assert.equal(Atomics.notify(new Int32Array(new SharedArrayBuffer(4096)), 0), 0);
  }
});

test('An agent can be terminated at any point of its waits and notifies', async () => {
  for (let round = 0; round < 10; round++) {
    const words = int32();
    const agents = [new Agent(), new Agent()];
    for (const agent of agents) {
      agent.run(async (words) => {
        Atomics.add(words, 3, 1);
        for (;;) {
          Atomics.waitAsync(words, 0, 0, 1);
          Atomics.waitAsync(words, 1, 0);
          Atomics.wait(words, 0, 0, 0.01);
          Atomics.notify(words, 0, 2);
          Atomics.notify(words, 1, 1);
        }
      }, words);
    }
    while (Atomics.load(words, 3) < agents.length) await nextIteration();
    for (let i = 0; i < round; i++) await nextIteration();

    await Promise.all(agents.map((agent) => agent.terminate()));

    assert.deepEqual([Atomics.notify(words, 0), Atomics.notify(words, 1)], [0, 0]);
  }
});

test('An agent can end itself while an argument is coerced', async () => {
  for (const name of ['wait', 'waitAsync', 'notify']) {
    const words = int32();
    const agent = new Agent();
    const ended = agent.run(
      (name, words) => {
        Atomics.waitAsync(words, 0, 0);
        Atomics[name](words, 0, { valueOf: () => process.exit() });
      },
      name,
      words,
    );

    await assert.rejects(ended, /has ended/);

    assert.equal(Atomics.notify(words, 0), 0);
  }
});

test('Terminating an agent also ends its own blocked agents', async () => {
  const words = int32();
  const outer = new Agent();
  outer.run((words) => {
    const { Agent } = require('./agent');
    for (let i = 0; i < 2; i++) new Agent().run((words) => Atomics.wait(words, 0, 0), words);
    new Agent().run((words) => void Atomics.waitAsync(words, 0, 0), words);
    return new Promise(() => {});
  }, words);
  await untilWaiting(words, 0, 3);

  await outer.terminate();

  assert.equal(waiting(words, 0), 0);
  assert.equal(Atomics.notify(words, 0), 0);
});

test('Other agents see what an agent wrote before it ended', async () => {
  const words = int32();
  const agent = new Agent();
  await agent.run((words) => void Atomics.store(words, 0, 42), words);
  await agent.terminate();

  assert.equal(Atomics.load(words, 0), 42);
  assert.equal(Atomics.wait(words, 0, 0), 'not-equal');
});
