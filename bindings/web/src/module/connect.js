// SPDX-License-Identifier: MIT
// The names of the package over the wait queues of a program of WebAssembly that contains the C++ library.

import { makeAsyncLock } from '../async_lock.js';
import { pause } from '../pause.js';
import { makeAgent } from './agent.js';
import { makeAtomics } from './atomics.js';
import { makeLocks } from './locking.js';
import { makeMemory } from './memory.js';
import { openProgram } from './program.js';
import { makeWaiters } from './waiters.js';

const connections = new WeakMap();

/** The functions of the package over the wait queues of a program, and `waiters`; the same for each call in one thread. */
export function connect(Module) {
  const program = openProgram(Module);
  let names = connections.get(Module);
  if (names === undefined) {
    const memory = makeMemory(Module);
    const { canBlock, setCanBlock, requireCanBlock } = makeAgent(Module);
    const { wait, waitAsync, notify } = makeAtomics(program, memory, requireCanBlock);
    const AsyncLock = makeAsyncLock(makeLocks(program, memory), requireCanBlock);
    const waiters = makeWaiters(program, memory);
    names = { wait, waitAsync, notify, pause, AsyncLock, canBlock, setCanBlock, waiters };
    connections.set(Module, names);
  }
  return names;
}
