// SPDX-License-Identifier: MIT
// The engine's functions, as they were when the package was loaded: a program may replace them by those of the package.

if (!globalThis.SharedArrayBuffer) {
  throw new Error('futon-web: for SharedArrayBuffer, serve the page and its workers with ' +
    'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp');
}

export const {
  wait: engineWait, waitAsync: engineWaitAsync, notify: engineNotify, pause: enginePause, load, store, compareExchange,
} = Atomics;

export const now = performance.now.bind(performance);
