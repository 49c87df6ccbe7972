// SPDX-License-Identifier: MIT
// A worker that blocks for the lock, holds it, and pauses.

import { Entry, Knobs, makeLock } from './ledger.js';

onmessage = ({ data: { buffer, index, mode, origin } }) => {
  const lock = makeLock(mode, buffer);
  const knobs = new Knobs(buffer);
  const entry = new Entry(buffer, index, origin);
  const about = (milliseconds) => milliseconds * (0.5 + Math.random());
  while (!knobs.isStopped) {
    entry.pauses();
    knobs.sleep(about(knobs.pause));
    entry.waits();
    lock.lock();                        // this worker sleeps here, until the lock is its own
    entry.holds();
    knobs.sleep(about(knobs.hold));
    entry.pauses();
    lock.unlock();
  }
  postMessage('ended');
};
