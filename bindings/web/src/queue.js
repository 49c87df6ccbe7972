// SPDX-License-Identifier: MIT
// The engine's wait queues: the engine's own functions, or sleepers where it cannot wait without blocking.

import { engineNotify, engineWaitAsync } from './engine.js';
import { notifySleepers, prepareSleeper, waitBySleeper } from './sleeper.js';

export const enqueue = engineWaitAsync ?? waitBySleeper;
export const wake = engineWaitAsync === undefined ? notifySleepers : engineNotify;

if (engineWaitAsync === undefined) prepareSleeper();
