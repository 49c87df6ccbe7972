// SPDX-License-Identifier: MIT
// The engine's functions, as they were when the package was loaded: a program may replace them by those of the package.

export const {
  wait: engineWait, waitAsync: engineWaitAsync, notify: engineNotify, load, store, compareExchange,
} = Atomics;

export const now = performance.now.bind(performance);
