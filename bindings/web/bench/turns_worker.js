// SPDX-License-Identifier: MIT
// A worker that takes a lock again and again. To hold it is not to compute: the page's frames are to be late for the lock alone.

import { AsyncLock } from '../index.js';
import { ACQUISITIONS, IS_OVER, LOCKS, LONGEST_WAIT, NOTHING } from './turns.js';

onmessage = ({ data: { buffer, order, hold } }) => {
  const words = new Int32Array(buffer);
  const lock = new AsyncLock(buffer, 4 * LOCKS[order]);
  while (Atomics.load(words, IS_OVER) === 0) {
    const begin = performance.now();
    const guard = lock.lock();
    const waited = Math.round(1000 * (performance.now() - begin));
    if (waited > words[LONGEST_WAIT]) words[LONGEST_WAIT] = waited;   // under the lock
    Atomics.wait(words, NOTHING, 0, hold);
    Atomics.add(words, ACQUISITIONS, 1);
    guard.unlock();
  }
  postMessage(0);
};
postMessage(0);
