// SPDX-License-Identifier: MIT
'use strict';
// One measurement: `busy_loop_case.js JOB TURN HOLD THREADS SECONDS strict|bounded` prints JSON. Jobs and threads that hold the lock
// sleep for as long as they would compute, so it needs little of the machine.

const http = require('node:http');
const net = require('node:net');
const { once } = require('node:events');
const { setTimeout: sleep } = require('node:timers/promises');
const { Worker, isMainThread, workerData } = require('node:worker_threads');
const { AsyncLock } = require('..');

const WARM_UP = 1000;  // milliseconds
const [LOCK, OVER, COUNTS] = [0, 1, 2];
const nothing = new Int32Array(new SharedArrayBuffer(4));

function pass(milliseconds) {
  if (milliseconds > 0) Atomics.wait(nothing, 0, 0, milliseconds);
}

const roles = {
  holder({ words, index, hold }) {
    const lock = new AsyncLock(words.buffer, LOCK);
    while (Atomics.load(words, OVER) === 0) {
      const guard = lock.lock();
      pass(hold);
      guard.unlock();
      Atomics.add(words, COUNTS + index, 1);
    }
  },
  echo({ port }) {
    const socket = net.connect(port, '127.0.0.1');
    socket.setNoDelay();
    socket.on('data', (data) => socket.write(data));
  },
  async clients({ port }) {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
    const get = () => new Promise((resolve, reject) => {
      http.get({ port, agent }, (response) => response.resume().on('end', resolve)).on('error', reject);
    });
    await Promise.all(Array.from({ length: 4 }, async () => {
      while (true) await get();
    }));
  },
};

const start = (role, data) => new Worker(__filename, { workerData: { role, ...data } });

async function listen(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

/// How a loop is kept busy by a job of that length.
const kinds = {
  immediate(job) {
    const next = () => {
      job();
      setImmediate(next);
    };
    next();
  },
  timer(job, turn) {
    setInterval(job, Math.max(1, Math.ceil(1.25 * turn)));
  },
  async socket(job) {
    const port = await listen(net.createServer((socket) => {
      socket.setNoDelay();
      socket.on('data', (data) => {
        job();
        socket.write(data);
      });
      socket.write('.');
    }));
    start('echo', { port });
  },
  async http(job) {
    start('clients', {
      port: await listen(http.createServer((request, response) => {
        job();
        response.end();
      })),
    });
  },
};

async function main() {
  const [kind, ...numbers] = process.argv.slice(2);
  const [turn, hold, threads, seconds] = numbers.map(Number);
  const words = new Int32Array(new SharedArrayBuffer(4 * (COUNTS + threads)));
  const lock = new AsyncLock(words.buffer, LOCK, { strict: numbers.at(-1) === 'strict' });

  let asks = false;
  let since = 0;  // when it asked for the lock that it waits for
  let [turns, acquisitions, longest] = [0, 0, 0];
  const noteWait = () => {
    if (since !== 0) longest = Math.max(longest, performance.now() - since);
  };
  /// Where the lock is free, it is unlocked before the job goes on.
  function ask() {
    since = performance.now();
    lock.executeLocked(() => {
      noteWait();
      since = 0;
      ++acquisitions;
    });
  }
  const job = () => {
    ++turns;
    if (asks && since === 0) ask();
    pass(turn);
  };

  /// How often the threads have the lock in a second of the next ones.
  async function rate(milliseconds) {
    const had = () => words.subarray(COUNTS).reduce((sum, count) => sum + count, 0);
    const [before, begin] = [had(), performance.now()];
    await sleep(milliseconds);
    return (had() - before) / (performance.now() - begin);
  }

  await kinds[kind](job, turn);
  for (let index = 0; index < threads; ++index) start('holder', { words, index, hold });
  while (words.subarray(COUNTS).includes(0)) await sleep(10);
  await sleep(WARM_UP / 4);
  const alone = await rate(500 * seconds);
  asks = true;
  await sleep(WARM_UP);
  [turns, acquisitions, longest] = [0, 0, 0];
  if (since !== 0) since = performance.now();
  const share = await rate(1000 * seconds) / alone;
  noteWait();
  console.log(JSON.stringify({ longest, share, met: acquisitions / turns }));
  process.exit();
}

if (isMainThread) main();
else roles[workerData.role](workerData);
