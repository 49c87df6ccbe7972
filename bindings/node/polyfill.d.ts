// SPDX-License-Identifier: MIT

/** Puts futon's `wait`, `waitAsync` and `notify` on this thread's `Atomics`, and `pause` where the engine lacks it. */
export * from './index.js';
