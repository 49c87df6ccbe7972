// SPDX-License-Identifier: MIT
// Each line after an expectation is wrong. If one of them compiles, the compiler reports its expectation.

import { AsyncLock, Latch, LockOptions, Semaphore, WaitOptions, diagnostics, notify, wait, waitAsync } from 'futon';

declare const signal: import('futon').AbortSignalLike;
declare const options: WaitOptions;
declare const maybeOptions: WaitOptions | undefined;
declare const lockOptions: LockOptions;
const words = new Int32Array(new SharedArrayBuffer(16));
const wide = new BigInt64Array(new SharedArrayBuffer(16));
const lock = new AsyncLock(new SharedArrayBuffer(4));
const semaphore = new Semaphore(new SharedArrayBuffer(16));

// @ts-expect-error -- blocked threads see no abort
wait(words, 0, 0, { signal });
// @ts-expect-error -- nor have they anything to unref
wait(words, 0, 0, undefined, { ref: false });
// @ts-expect-error -- which holds for options in a variable as well
wait(words, 0, 0, undefined, options);
// @ts-expect-error -- an option that there is not
wait(words, 0, 0, { tiemout: 1 });
// @ts-expect-error -- a Number for a BigInt
wait(wide, 0, 0);
// @ts-expect-error -- a BigInt for a Number
waitAsync(words, 0, 0n, { timeout: 1 });
// @ts-expect-error -- an option that there is not
waitAsync(words, 0, 0, { timeout: 1, tiemout: 1 });
// @ts-expect-error -- options that are given twice
waitAsync(words, 0, 0, { timeout: 1 }, {});
// @ts-expect-error -- an object with no option converts to a number, and the result is no handle
waitAsync(words, 0, 0, {}).ref();
// @ts-expect-error -- so it may be with options that may be empty
waitAsync(words, 0, 0, options).ref();
// @ts-expect-error -- nor with options that may be missing
waitAsync(words, 0, 0, undefined, maybeOptions).ref();
// @ts-expect-error -- no handle without options
waitAsync(words, 0, 0, 1).ref();
// @ts-expect-error -- a signal is an option, not the options
waitAsync(words, 0, 0, signal);
// @ts-expect-error -- no signal
waitAsync(words, 0, 0, { signal: {} });
// @ts-expect-error -- no boolean
waitAsync(words, 0, 0, undefined, { ref: 1 });
// @ts-expect-error -- other elements
notify(new Uint32Array(new SharedArrayBuffer(4)), 0);
// @ts-expect-error -- blocked threads see no abort
lock.lock({ signal });
// @ts-expect-error -- which holds for options in a variable as well
lock.lock(lockOptions);
// @ts-expect-error -- no number
lock.lockAsync({ timeout: '1' });
// @ts-expect-error -- an option that there is not
lock.executeLocked(() => 1, { strict: true });
// @ts-expect-error -- no function
lock.executeLocked(1);
// @ts-expect-error -- an option that there is not
new AsyncLock(new SharedArrayBuffer(4), 0, { fair: true });
// @ts-expect-error -- options in the place of byteOffset
new AsyncLock(new SharedArrayBuffer(4), { strict: true });
// @ts-expect-error -- read only
lock.byteOffset = 4;
// @ts-expect-error -- no guard of another kind
lock.executeLocked((guard: number) => guard);
// @ts-expect-error -- options in the place of the value
waitAsync(words, 0, { timeout: 1 });
// @ts-expect-error -- options in the place of the count
semaphore.acquire({ timeout: 1 });
// @ts-expect-error -- an option that there is not
new Latch(words.buffer, 0, { permits: 1 });
// @ts-expect-error -- an array needs an index
diagnostics.name(words, 'a word');
// @ts-expect-error -- a response that there is not
diagnostics.onReport('ignore');
// @ts-expect-error -- a limit that there is not
diagnostics.watch({ held: 1 });
