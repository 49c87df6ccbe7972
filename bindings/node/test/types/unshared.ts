// SPDX-License-Identifier: MIT
// Arrays whose buffers are not shared, as their types tell since TypeScript 5.7.

import { AsyncLock, wait, waitAsync } from 'futon';

// @ts-expect-error -- blocked for ever, if it did not throw
wait(new Int32Array(4), 0, 0);
// @ts-expect-error -- the same with options
wait(new BigInt64Array(4), 0, 0n, { timeout: 1 });
// @ts-expect-error -- nor does a promise
waitAsync(new Int32Array(4), 0, 0, undefined, { timeout: 1 });
// @ts-expect-error -- nor a lock
new AsyncLock(new ArrayBuffer(4));
