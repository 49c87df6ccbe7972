// SPDX-License-Identifier: MIT
import futon from './index.js';

export const {
  wait, waitAsync, notify, pause, AsyncLock, SharedLock, Semaphore, Event, AutoResetEvent, Latch, Barrier, Condition, Channel, select,
  selectAsync, waiting, changes, toShared, fromShared, canBlock, setCanBlock, addressOf, inspect, waiters,
  diagnostics,
} = futon;
export default futon;
