// SPDX-License-Identifier: MIT
'use strict';
// The family beside what programs use in one thread: async-mutex, await-semaphore and p-limit from npm, and Atomics by hand. None of them is
// shared with other threads, so they need no call of native code; this tells what that costs. And a channel beside an array.
//
//     npm run bench -- family [--rounds 5]

const { spawnSync } = require('node:child_process');
const { existsSync, mkdirSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { AsyncLock, Channel, Semaphore } = require('..');

const TASKS = 100;
const TURNS = 200;  // of each task
const PERMITS = 4;
const MESSAGES = 20_000;

/// The packages of others, installed for this.
function peers() {
  const folder = join(__dirname, '..', 'build', 'peers');
  if (!existsSync(join(folder, 'node_modules', 'p-limit'))) {
    mkdirSync(folder, { recursive: true });
    const { status } = spawnSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error', 'async-mutex@0.5',
      'await-semaphore@0.1', 'p-limit@3'], { stdio: 'inherit' });
    if (status !== 0) throw new Error('npm could not install async-mutex, await-semaphore and p-limit');
  }
  return createRequire(join(folder, 'package.json'));
}

const load = peers();
const { Mutex, Semaphore: TheirSemaphore } = load('async-mutex');
const { Semaphore: AwaitSemaphore } = load('await-semaphore');
const pLimit = load('p-limit');

/// A semaphore as programs write it with the engine's Atomics.
class ByHand {
  constructor(permits) {
    this.words = new Int32Array(new SharedArrayBuffer(4));
    this.words[0] = permits;
  }

  async acquire() {
    while (true) {
      const seen = Atomics.load(this.words, 0);
      if (seen > 0) {
        if (Atomics.compareExchange(this.words, 0, seen, seen - 1) === seen) return;
      } else {
        const wait = Atomics.waitAsync(this.words, 0, 0);
        if (wait.async) await wait.value;
      }
    }
  }

  release() {
    Atomics.add(this.words, 0, 1);
    Atomics.notify(this.words, 0, 1);
  }
}

/// Each way: `make(permits)` returns a function that runs a job with a permit.
const WAYS = {
  futon: (permits) => {
    if (permits === 1) {
      const lock = new AsyncLock(new SharedArrayBuffer(4));
      return async (job) => {
        const guard = await lock.lockAsync();
        await job();
        guard.unlock();
      };
    }
    const semaphore = new Semaphore(new SharedArrayBuffer(16), 0, { permits });
    return async (job) => {
      const permit = await semaphore.acquireAsync();
      await job();
      permit.release();
    };
  },
  'async-mutex': (permits) => {
    const one = permits === 1 ? new Mutex() : new TheirSemaphore(permits);
    return (job) => one.runExclusive(job);
  },
  'await-semaphore': (permits) => {
    const one = new AwaitSemaphore(permits);
    return (job) => one.use(job);
  },
  'p-limit': (permits) => pLimit(permits),
  'Atomics by hand': (permits) => {
    const one = new ByHand(permits);
    return async (job) => {
      await one.acquire();
      await job();
      one.release();
    };
  },
};

const immediate = async () => {};
const now = () => Number(process.hrtime.bigint());

/// Nanoseconds a turn, where so many tasks contend.
async function measure(make, permits, tasks, turns) {
  const run = make(permits);
  const task = async () => {
    for (let i = 0; i < turns; ++i) await run(immediate);
  };
  const begin = now();
  await Promise.all(Array.from({ length: tasks }, task));
  return (now() - begin) / (tasks * turns);
}

const QUESTIONS = [
  ['a free lock, taken and released', 1, 1, TASKS * TURNS],
  [`a lock that ${TASKS} tasks of one thread contend for`, 1, TASKS, TURNS],
  ['a free semaphore', PERMITS, 1, TASKS * TURNS],
  [`${PERMITS} permits that ${TASKS} tasks contend for`, PERMITS, TASKS, TURNS],
];

/// Each way: `make()` returns the two functions that pass a message on.
const QUEUES = {
  futon: () => {
    const channel = new Channel(new SharedArrayBuffer(Channel.byteLengthFor(1024)), 0, { capacity: 1024 });
    return { send: (value) => channel.sendAsync(value), receive: async () => (await channel.receiveAsync()).value };
  },
  'an array and promises': () => {
    const values = [];
    const receivers = [];
    return {
      send: async (value) => {
        if (receivers.length > 0) receivers.shift()(value);
        else values.push(value);
      },
      receive: async () => (values.length > 0 ? values.shift() : new Promise((resolve) => receivers.push(resolve))),
    };
  },
};

/// Nanoseconds a message, from one function of the thread to another that has all received.
async function measureQueue(make) {
  const { send, receive } = make();
  const begin = now();
  const receiver = (async () => {
    for (let i = 0; i < MESSAGES; ++i)
      if (await receive() !== i) throw new Error('a message is missing');
  })();
  for (let i = 0; i < MESSAGES; ++i) await send(i);
  await receiver;
  return (now() - begin) / MESSAGES;
}

async function bestOf(rounds, ways, measureOne) {
  const best = {};
  for (let round = 0; round <= rounds; ++round)  // the first warms up
    for (const [name, make] of Object.entries(ways)) {
      const taken = await measureOne(make);
      if (round > 0) best[name] = Math.min(best[name] ?? Infinity, taken);
    }
  return Object.entries(best).map(([name, taken]) => `${name} ${taken.toFixed(0)}`).join(', ');
}

async function main() {
  const option = process.argv.indexOf('--rounds');
  const rounds = option < 0 ? 5 : Number(process.argv[option + 1]);
  console.log(`Node ${process.version}; the best of ${rounds} rounds, nanoseconds a turn.`);
  for (const [text, permits, tasks, turns] of QUESTIONS)
    console.log(`${text}\n    ${await bestOf(rounds, WAYS, (make) => measure(make, permits, tasks, turns))}`);
  console.log(`a message from one function of a thread to another\n    ${await bestOf(rounds, QUEUES, measureQueue)}`);
}

main();
