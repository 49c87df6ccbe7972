// SPDX-License-Identifier: MIT
// The engine's wait queues: the engine's own functions, or sleepers where it cannot wait without blocking.

import { engineNotify, engineWait, engineWaitAsync } from './engine.js';
import { notifySleepers, prepareSleeper, waitBySleeper } from './sleeper.js';

export const enqueue = engineWaitAsync ?? waitBySleeper;
export const wake = engineWaitAsync ? engineNotify : notifySleepers;

export const wakeAll = (words) => wake(words, 0, Infinity);

/// Waits as `next` says, which is told how the last wait has ended. It gives the value to wait at and for how long, or a number that
/// is returned.
export const block = (word, next) => {
  let step = next();
  while (step.length) step = next(engineWait(word, 0, ...step));
  return step;
};

if (!engineWaitAsync) prepareSleeper();
