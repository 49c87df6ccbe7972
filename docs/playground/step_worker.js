// SPDX-License-Identifier: MIT
// Does one step of a scene when it is told to, and says what came of it.

import { AsyncLock } from './futon-web/index.js';

const [FREE, HELD] = [0, 1];
let word;
let lock;
let guard;

const steps = {
  // Of the article's lock, one operation each.
  take: () => (Atomics.compareExchange(word, 0, FREE, HELD) === FREE ? 'was free, now it has the lock' : 'is held by another'),
  wait: () => (Atomics.wait(word, 0, HELD) === 'ok' ? 'slept, and was woken: “ok”' : 'did not sleep: “not-equal”'),
  free: () => {
    Atomics.store(word, 0, FREE);
    return 'is 0';
  },
  notify: () => `${Atomics.notify(word, 0, 1)} woken`,
  // Of futon's lock.
  lock: () => {
    lock.lock();
    return 'has the lock';
  },
  lockAsync: async () => {
    guard = await lock.lockAsync();
    return 'has the lock';
  },
  unlock: () => {
    if (guard === undefined) lock.unlock();
    else guard.unlock();
    guard = undefined;
    return 'unlocked';
  },
};

onmessage = async ({ data: { buffer, step, id } }) => {
  if (buffer !== undefined) {
    word = new Int32Array(buffer, 0, 1);
    lock = new AsyncLock(buffer, 4, { strict: true });
    return postMessage({ isReady: true });
  }
  const result = step === 'lockAsync' ? steps.lockAsync() : undefined;   // has joined the queue when this returns
  if (step === 'wait' || step === 'lock' || result !== undefined) postMessage({ id, isUnderWay: true });
  postMessage({ id, result: await (result ?? steps[step]()) });
};
