// SPDX-License-Identifier: MIT
// Functions that pass on options which their own callers may leave out.

import {
  AbortSignalLike, AsyncLock, AsyncLockGuard, AsyncLockOptions, BlockingOptions, LockOptions, WaitAsyncResult, WaitOptions,
  WaitOptionsAsTimeout, WaitResult, notify, wait, waitAsync,
} from 'futon';

const words = new Int32Array(new SharedArrayBuffer(16));
const wide = new BigInt64Array(new SharedArrayBuffer(16));
const lock = new AsyncLock(new SharedArrayBuffer(4));

export const make = (buffer: SharedArrayBuffer, byteOffset?: number, options?: AsyncLockOptions): AsyncLock =>
  new AsyncLock(buffer, byteOffset, options);
export const lockNow = (options?: BlockingOptions): AsyncLockGuard => lock.lock(options);
export const lockLater = (options?: LockOptions): Promise<AsyncLockGuard> => lock.lockAsync(options);
export const run = (options?: LockOptions): Promise<number> => lock.executeLocked(() => 1, options);
export const tell = (count?: number): number => notify(words, 0, count);

export const block = (timeout?: number | BlockingOptions): WaitResult => wait(words, 0, 0, timeout);
export const blockFor = (timeout?: number, options?: BlockingOptions): WaitResult => wait(wide, 0, 0n, timeout, options);
export const later = (timeout?: number | WaitOptionsAsTimeout): WaitAsyncResult => waitAsync(words, 0, 0, timeout);
export const laterFor = (timeout?: number, options?: WaitOptions): WaitAsyncResult =>
  waitAsync(wide, 0, 0n, timeout, options);
// Options that may be empty are no handle.
export const laterWith = (options?: { timeout?: number; signal?: AbortSignalLike }): WaitAsyncResult => waitAsync(words, 0, 0, options);
// Options that are there give a handle, whatever is in them.
export const handle = (timeout?: number, signal?: AbortSignalLike): WaitAsyncResult =>
  waitAsync(words, 0, 0, { timeout, signal }).unref();
