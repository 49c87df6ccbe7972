// SPDX-License-Identifier: MIT
export { wait, waitAsync, notify, pause } from './src/atomics.js';
export { AsyncLock } from './src/engine_lock.js';
export { canBlock, setCanBlock } from './src/agent.js';
export { whenWatched } from './src/threads.js';
export { isSupported, whyNot } from './src/support.js';
