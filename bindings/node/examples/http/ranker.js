// SPDX-License-Identifier: MIT
'use strict';
// A thread that ranks, again and again. It may block, and it holds the lock for 5 to 50 ms.

const { workerData } = require('node:worker_threads');
const { AsyncLock, wait } = require('../..');
const { Ranking, WAKE } = require('./ranking.js');

const { buffer, pause } = workerData;
const ranking = new Ranking(buffer);
const lock = new AsyncLock(buffer);

for (;;) {
  // Read before the check: if the service stops after the check, the word has changed, and the wait below returns.
  const wake = Atomics.load(ranking.words, WAKE);
  if (ranking.isStopping()) break;
  if (ranking.hasChanged()) {
    // Neither `using` nor `finally`: if this thread ends midway, by an exception or from outside, the lock is released
    // as abandoned, and the next owner knows that the tables are torn.
    const guard = lock.lock();
    if (guard.wasAbandoned) ranking.distrust();
    ranking.rankChanged();
    guard.unlock();
  }
  wait(ranking.words, WAKE, wake, pause);
}
