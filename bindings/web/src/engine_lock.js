// SPDX-License-Identifier: MIT
// The lock over the engine's wait queues.

import { requireCanBlock } from './agent.js';
import { makeAsyncLock } from './async_lock.js';
import { stateOf } from './locking.js';

export const AsyncLock = makeAsyncLock(stateOf, requireCanBlock);
