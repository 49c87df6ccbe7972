// SPDX-License-Identifier: MIT
export { wait, waitAsync, notify, pause } from './src/atomics.js';
export { AsyncLock } from './src/engine_lock.js';
export { SharedLock } from './src/shared_lock.js';
export { Semaphore } from './src/semaphore.js';
export { Event } from './src/event.js';
export { AutoResetEvent } from './src/auto_reset_event.js';
export { Latch } from './src/latch.js';
export { Barrier } from './src/barrier.js';
export { Condition } from './src/condition.js';
export { Channel } from './src/channel.js';
export { select, selectAsync, waiting } from './src/select.js';
export { whenSelectable } from './src/select_block.js';
export { changes } from './src/changes.js';
export { toShared, fromShared } from './src/shared.js';
export { canBlock, setCanBlock } from './src/agent.js';
export { whenWatched } from './src/threads.js';
export { isSupported, whyNot } from './src/support.js';
