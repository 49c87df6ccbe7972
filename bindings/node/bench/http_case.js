// SPDX-License-Identifier: MIT
'use strict';
// The example server with some ways to lock, one process for all: `http_case.js SECONDS WAY ...` prints JSON, a list with the figures of
// each way. The ways take turns of half a second. So none has the machine's better seconds, and all have code that is equally warm.

const http = require('node:http');
const path = require('node:path');
const { once } = require('node:events');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');
const { Worker } = require('node:worker_threads');
const { Ranking, LEAGUES } = require('../examples/http/ranking.js');
const { Requests } = require('../examples/http/requests.js');
const { ways } = require('./http_ways.js');

const [seconds, ...names] = process.argv.slice(2);
const CONNECTIONS = 32;
const MOST_REQUESTS = 200_000;
const FEWEST = 4;  // of requests and passes of each way, however short the time is
const TURN = 500;  // milliseconds of a way
const LEAD = 100;  // of them, those that do not count: what the way before has begun ends
const WARM_UP = 2000;
const RESOLUTION = 1;  // milliseconds between the timers whose delay is measured

function percentile(values, p) {
  values.sort((a, b) => a - b);
  return values[Math.min(values.length - 1, Math.floor(values.length * p))];
}

/// Words: 1 while figures are taken; 1 when the load is to end; the number of the turn, which the ways take one after another;
/// then how many passes of the rankers have been measured with each way.
const control = new Int32Array(new SharedArrayBuffer(4 * (3 + names.length)));
const isMeasuring = () => control[0] === 1;
const current = () => measured[control[2] % names.length];

/// A way, its lock, and what has been measured of it.
const measured = names.map((name) => {
  const buffer = new SharedArrayBuffer(8);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  const lock = ways[name].forRequests(buffer);
  return { name, buffer, lock, delay, waited: [], answered: 0, perTurn: [], elapsed: 0, rankerWaited: [], held: [] };
});

/// The lock of request handlers: that of the way that has its turn.
const lock = {
  wasAbandoned: false,
  executeLocked(callback, options) {
    const begin = performance.now();
    const way = current();
    return way.lock.executeLocked(() => {
      if (isMeasuring() && way === current()) way.waited.push(performance.now() - begin);
      return callback();
    }, options);
  },
};

const start = (file, workerData) => {
  const worker = new Worker(path.join(__dirname, file), { workerData });
  worker.on('error', (error) => {
    throw error;
  });
  return worker;
};

async function takeTurn(turn) {
  Atomics.store(control, 2, turn);
  await sleep(LEAD);
  const way = current();
  const { delay } = way;
  Atomics.store(control, 0, 1);
  const begin = performance.now();
  const answeredBefore = way.answered;
  delay.enable();
  await sleep(TURN - LEAD);
  delay.disable();
  way.elapsed += performance.now() - begin;
  Atomics.store(control, 0, 0);
  way.perTurn.push(way.answered - answeredBefore);
}

const hasEnough = () => measured.every(({ waited }, i) => waited.length >= FEWEST && Atomics.load(control, 3 + i) >= FEWEST);

async function main() {
  const ranking = new Ranking();
  for (let league = 0; league < LEAGUES; ++league) ranking.rank(league);

  const { handle } = new Requests(ranking, lock, { timeout: 60_000 });
  let answered = 0;
  const server = http.createServer((request, response) => {
    response.on('finish', () => {
      if (isMeasuring()) ++current().answered;
      if (++answered === MOST_REQUESTS) control[1] = 1;
    });
    handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  // A server is warm, its code and its connections, when the threads begin.
  const clients = start('http_clients.js', { port: server.address().port, control, connections: CONNECTIONS });
  for (let i = 0; i < names.length; ++i) {
    Atomics.store(control, 2, i);
    await sleep(Math.min(WARM_UP, 1000 * seconds) / names.length);
  }
  const locks = measured.map(({ name, buffer }) => ({ name, buffer }));
  const { buffer } = ranking;
  const rankers = [0, LEAGUES / 2].map((first) => start('http_ranker.js', { locks, buffer, control, first }));
  for (const ranker of rankers) for (const way of measured) way.lock.serve?.(ranker);
  const results = rankers.map((ranker) => new Promise((resolve) => {
    ranker.on('message', (message) => message.results !== undefined && resolve(message.results));
  }));

  const end = performance.now() + 1000 * seconds;
  const isOver = (turn) => control[1] === 1 || (turn % names.length === 0 && performance.now() >= end && hasEnough());
  for (let turn = 0; !isOver(turn); ++turn) await takeTurn(turn);

  Atomics.store(control, 1, 1);
  await once(clients, 'exit');
  ranking.stopRankers();
  for (const ranked of await Promise.all(results)) {
    ranked.forEach(({ waited, held }, i) => {
      measured[i].rankerWaited.push(...waited);
      measured[i].held.push(...held);
    });
  }
  server.close();
  for (const ranker of rankers) ranker.unref();

  console.log(JSON.stringify(measured.map((way) => ({
    loopDelay99: Math.max(0, way.delay.percentile(99) / 1e6 - RESOLUTION),
    requests: 1000 * way.answered / way.elapsed,
    perTurn: way.perTurn,
    request50: percentile(way.waited, 0.5),
    request99: percentile(way.waited, 0.99),
    worker50: percentile(way.rankerWaited, 0.5),
    worker99: percentile(way.rankerWaited, 0.99),
    passes: 1000 * way.held.length / way.elapsed,
    held5: percentile(way.held, 0.05),
    held95: percentile(way.held, 0.95),
  }))));
}

main();
