// SPDX-License-Identifier: MIT
'use strict';
// A thread of http_case.js that ranks: it holds the lock of the way whose turn it is, for one league up to all eight in turn.

const { parentPort, workerData } = require('node:worker_threads');
const { Ranking, LEAGUES } = require('../examples/http/ranking.js');
const { ways } = require('./http_ways.js');

const PAUSE = 20;      // milliseconds between two passes
const NEXT_FIRST = 3;  // All ways begin their turns with the same pass; the next turns, with one that is three passes later.

const { locks, buffer, control, first } = workerData;
const ranking = new Ranking(buffer);
const nothing = new Int32Array(new SharedArrayBuffer(4));
const results = locks.map(({ name, buffer }) => ({ lock: ways[name].forThread(buffer, parentPort), waited: [], held: [] }));

async function main() {
  let turn = 0;
  for (let i = first; !ranking.isStopping(); ++i) {
    if (Atomics.load(control, 2) !== turn) {
      turn = Atomics.load(control, 2);
      i = first + NEXT_FIRST * Math.floor(turn / locks.length);
    }
    const way = turn % locks.length;
    const { lock, waited, held } = results[way];
    const begin = performance.now();
    const unlock = await lock();
    const locked = performance.now();
    for (let league = 0; league <= i % LEAGUES; ++league) ranking.rank(league);
    const end = performance.now();
    unlock();
    if (Atomics.load(control, 0) === 1 && Atomics.load(control, 2) === turn) {
      waited.push(locked - begin);
      held.push(end - locked);
      Atomics.add(control, 3 + way, 1);
    }
    Atomics.wait(nothing, 0, 0, PAUSE);
  }
  parentPort.postMessage({ results: results.map(({ waited, held }) => ({ waited, held })) });
}

main();
