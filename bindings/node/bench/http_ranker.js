// SPDX-License-Identifier: MIT
'use strict';
// A thread of http_case.js that ranks: it holds the lock for one league up to all eight in turn.

const { parentPort, workerData } = require('node:worker_threads');
const { Ranking, LEAGUES } = require('../examples/http/ranking.js');
const { ways } = require('./http_ways.js');

const PAUSE = 20;  // milliseconds between two passes

const { name, buffer, control, first } = workerData;
const ranking = new Ranking(buffer);
const lock = ways[name].forThread(buffer, parentPort);
const nothing = new Int32Array(new SharedArrayBuffer(4));
const waited = [];
const held = [];

async function main() {
  for (let i = first; !ranking.isStopping(); ++i) {
    const begin = performance.now();
    const unlock = await lock();
    const locked = performance.now();
    for (let league = 0; league <= i % LEAGUES; ++league) ranking.rank(league);
    const end = performance.now();
    unlock();
    if (Atomics.load(control, 0) === 1) {
      waited.push(locked - begin);
      held.push(end - locked);
      Atomics.add(control, 2, 1);
    }
    Atomics.wait(nothing, 0, 0, PAUSE);
  }
  parentPort.postMessage({ waited, held });
}

main();
