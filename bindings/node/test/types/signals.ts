// SPDX-License-Identifier: MIT
// The AbortSignal of the DOM library, or of @types/node, is a signal of the options. Compiles where one of them is known.

import { AsyncLock, waitAsync } from 'futon';

const words = new Int32Array(new SharedArrayBuffer(16));
const { signal } = new AbortController();
waitAsync(words, 0, 0, { signal });
waitAsync(words, 0, 0, undefined, { signal: AbortSignal.timeout(1) });
new AsyncLock(new SharedArrayBuffer(4)).lockAsync({ signal: AbortSignal.abort(), timeout: 1 });

function pass(options: { signal?: AbortSignal }) {
  // @ts-expect-error -- the controller is not its signal
  waitAsync(words, 0, 0, { signal: new AbortController() });
  return waitAsync(words, 0, 0, undefined, options);
}
pass({ signal });
