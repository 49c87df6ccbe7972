// SPDX-License-Identifier: MIT
'use strict';
// One measurement of the example server with one way to lock: `http_case.js WAY SECONDS` prints JSON.

const http = require('node:http');
const path = require('node:path');
const { once } = require('node:events');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');
const { Worker } = require('node:worker_threads');
const { Ranking, LEAGUES } = require('../examples/http/ranking.js');
const { Requests } = require('../examples/http/requests.js');
const { ways } = require('./http_ways.js');

const [name, seconds] = [process.argv[2], Number(process.argv[3])];
const CONNECTIONS = 32;
const MOST_REQUESTS = 200_000;
const FEWEST = 4;  // of requests and passes, however short the time is
const RESOLUTION = 1;  // milliseconds between the timers whose delay is measured

function percentile(values, p) {
  values.sort((a, b) => a - b);
  return values[Math.min(values.length - 1, Math.floor(values.length * p))];
}

/// Words: 1 while figures are taken; 1 when the load is to end; how many passes of the rankers have been measured.
const control = new Int32Array(new SharedArrayBuffer(12));
const isMeasuring = () => control[0] === 1;

/// The lock of request handlers, and how long each of them has waited for it.
function timed(lock) {
  const waited = [];
  return {
    waited,
    wasAbandoned: false,
    executeLocked(callback, options) {
      const begin = performance.now();
      return lock.executeLocked(() => {
        if (isMeasuring()) waited.push(performance.now() - begin);
        return callback();
      }, options);
    },
  };
}

const start = (file, workerData) => {
  const worker = new Worker(path.join(__dirname, file), { workerData });
  worker.on('error', (error) => {
    throw error;
  });
  return worker;
};

async function main() {
  const ranking = new Ranking();
  for (let league = 0; league < LEAGUES; ++league) ranking.rank(league);
  const { buffer } = ranking;
  const lock = ways[name].forRequests(buffer);
  const requestLock = timed(lock);

  const { handle } = new Requests(ranking, requestLock, { timeout: 60_000 });
  let answered = 0;
  const server = http.createServer((request, response) => {
    response.on('finish', () => {
      if (isMeasuring()) ++answered;
      if (answered === MOST_REQUESTS) control[1] = 1;
    });
    handle(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const rankers = [0, LEAGUES / 2].map((first) => start('http_ranker.js', { name, buffer, control, first }));
  for (const ranker of rankers) lock.serve?.(ranker);
  const results = rankers.map((ranker) => new Promise((resolve) => {
    ranker.on('message', (message) => message.held !== undefined && resolve(message));
  }));
  const clients = start('http_clients.js', { port: server.address().port, control, connections: CONNECTIONS });

  await sleep(seconds * 300);  // code and connections get warm
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  Atomics.store(control, 0, 1);
  const begin = performance.now();
  for (let i = 0; i < 10 && control[1] === 0; ++i) await sleep(seconds * 100);
  while (requestLock.waited.length < FEWEST || Atomics.load(control, 2) < FEWEST) await sleep(10);
  Atomics.store(control, 0, 0);
  const elapsed = (performance.now() - begin) / 1000;
  delay.disable();

  Atomics.store(control, 1, 1);
  await once(clients, 'exit');
  ranking.stopRankers();
  const ranked = await Promise.all(results);
  server.close();
  for (const ranker of rankers) ranker.unref();

  const waited = ranked.flatMap((result) => result.waited);
  const held = ranked.flatMap((result) => result.held);
  console.log(JSON.stringify({
    loopDelay99: Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION),
    requests: answered / elapsed,
    request50: percentile(requestLock.waited, 0.5),
    request99: percentile(requestLock.waited, 0.99),
    worker50: percentile(waited, 0.5),
    worker99: percentile(waited, 0.99),
    passes: held.length / elapsed,
    held5: percentile(held, 0.05),
    held95: percentile(held, 0.95),
  }));
}

main();
