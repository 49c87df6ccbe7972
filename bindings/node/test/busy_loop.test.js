// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// A loop that has a job at any time gets a lock that threads leave free for moments only.

const assert = require('node:assert/strict');
const net = require('node:net');
const { once } = require('node:events');
const { AsyncLock, wait } = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32 } = require('./support/wait_queue');

const [OVER, NOTHING, COUNT] = [1, 2, 3];

/// Until words[1] is 1; how often is counted in words[3].
const lockAgainAndAgain = (words) => {
  const { AsyncLock, wait } = require('../..');
  const lock = new AsyncLock(words.buffer);
  while (Atomics.load(words, 1) === 0) {
    lock.lock();
    wait(words, 2, 0, 1);
    lock.unlock();
    Atomics.add(words, 3, 1);
  }
};

/// What keeps the loop busy by jobs, until the function that it returns is called.
const kinds = {
  immediates(job) {
    let immediate = setImmediate(function next() {
      job();
      immediate = setImmediate(next);
    });
    return () => clearImmediate(immediate);
  },

  timers(job) {
    const interval = setInterval(job, 1);
    return () => clearInterval(interval);
  },

  /// Each end of a few connections answers what the other says, so in each poll some have something to read.
  async sockets(job) {
    const sockets = [];
    const answer = (socket) => {
      sockets.push(socket);
      socket.on('data', (data) => {
        job();
        socket.write(data);
      });
    };
    const server = net.createServer((socket) => {
      answer(socket);
      socket.write('.');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    for (let i = 0; i < 3; i++) answer(net.connect(server.address().port, '127.0.0.1'));
    return () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    };
  },
};

for (const [kind, keepBusy] of Object.entries(kinds)) {
  test(`A loop that ${kind} keep busy gets a lock that workers do not stop to lock`, () =>
    withAgents(2, async (...agents) => {
      const words = int32();
      const lock = new AsyncLock(words.buffer);
      const theirs = agents.map((agent) => agent.run(lockAgainAndAgain, words));
      const stop = await keepBusy(() => wait(words, NOTHING, 0, 10));
      for (let i = 0; i < 10 || Atomics.load(words, COUNT) < 10; i++)
        await lock.executeLocked(() => assert.equal(words[0] & 1, 1));
      stop();
      Atomics.store(words, OVER, 1);
      await Promise.all(theirs);
    }));
}
