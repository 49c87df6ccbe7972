// SPDX-License-Identifier: MIT
/// <reference lib="esnext.disposable" />

/** What may be waited on: an `Int32Array` or a `BigInt64Array` over a `SharedArrayBuffer`, growable ones and the shared
 * memory of WebAssembly included. */
export type WaitableArray = Int32Array | BigInt64Array;

/** How a wait ended. */
export type WaitResult = 'ok' | 'not-equal' | 'timed-out';

/** The answer of `waitAsync`: known at once, or a promise because the waiter stands in line. */
export type WaitAsyncResult =
  | { async: false; value: 'not-equal' | 'timed-out' }
  | { async: true; value: Promise<'ok' | 'timed-out'> };

/** Options of `waitAsync`, beyond the specification. */
export interface WaitOptions {
  /** Takes the wait out of its line; the promise rejects with the signal's reason. Who was notified before is not
   * aborted any more. */
  signal?: AbortSignal;
  /** Whether the process stays alive for this wait; true unless said otherwise. */
  ref?: boolean;
}

/** What `waitAsync` answers when it was given options: a handle on the wait as well. */
export type Wait = WaitAsyncResult & {
  /** Keeps the process alive while this waits, as it does unless told otherwise. */
  ref(): Wait;
  /** Lets the process end although this waits. */
  unref(): Wait;
  /** Whether this keeps the process alive. */
  hasRef(): boolean;
};

/**
 * Blocks this thread while the element holds `value`, until a `notify` takes it out of the line: `Atomics.wait`.
 *
 * @param timeout milliseconds; for ever if it is undefined, NaN or infinite
 * @throws TypeError if the array is none to wait on, or if this thread may not block
 * @throws RangeError if the index is out of range
 */
export function wait(typedArray: Int32Array, index: number, value: number, timeout?: number): WaitResult;
export function wait(typedArray: BigInt64Array, index: number, value: bigint, timeout?: number): WaitResult;

/**
 * The same without blocking: `Atomics.waitAsync`. A pending wait keeps the process alive.
 *
 * @throws TypeError if the array is none to wait on
 * @throws RangeError if the index is out of range
 */
export function waitAsync(typedArray: Int32Array, index: number, value: number, timeout?: number): WaitAsyncResult;
export function waitAsync(typedArray: BigInt64Array, index: number, value: bigint, timeout?: number): WaitAsyncResult;
export function waitAsync(typedArray: Int32Array, index: number, value: number, timeout: number | undefined,
  options: WaitOptions): Wait;
export function waitAsync(typedArray: BigInt64Array, index: number, value: bigint, timeout: number | undefined,
  options: WaitOptions): Wait;

/**
 * Wakes up to `count` of those who wait at the element, the longest wait first, whether they are blocked threads of
 * JavaScript, promises, or native threads: `Atomics.notify`. Promises of this thread have settled when it returns.
 *
 * @param count how many; all if it is undefined
 * @returns how many were woken
 */
export function notify(typedArray: WaitableArray, index: number, count?: number): number;

/** A hint to the processor that this thread spins: `Atomics.pause`. */
export function pause(duration?: number): void;

/** Whether this thread may block. */
export function canBlock(): boolean;

/** Says whether this thread may block in `wait` and `AsyncLock.lock`; where not, they throw a TypeError. */
export function setCanBlock(value: boolean): void;

/** Somebody in a line. */
export interface Waiter {
  /** The address of the word, by which the lines are told apart. */
  address: number;
  /** What it is: a blocked thread, a promise, one of both for a lock, or a waiter of native code. */
  kind: 'wait' | 'waitAsync' | 'lock' | 'lockAsync' | 'native';
  /** Of which thread of JavaScript; undefined for native code. */
  threadId: number | undefined;
}

/** Who waits at an element, the first in line first; without arguments, who waits anywhere in this process. */
export function waiters(typedArray?: WaitableArray, index?: number): Waiter[];

/** The address of an element, the same in all threads. */
export function addressOf(typedArray: WaitableArray, index?: number): number;

/** Options of `AsyncLock.lockAsync`. */
export interface LockOptions {
  /** Milliseconds after which the promise rejects with a `TimeoutError`. */
  timeout?: number;
  /** Gives up; the promise rejects with the signal's reason. A grant that came first counts. */
  signal?: AbortSignal;
  /** Whether the process stays alive for this; true unless said otherwise. */
  ref?: boolean;
}

/** A lock that is held, until it is unlocked or goes out of the scope of a `using`. */
export interface AsyncLockGuard extends Disposable {
  /** Whether it still holds the lock. */
  readonly ownsLock: boolean;
  /** Unlocks before the end of the scope. Throws an Error with the code EPERM if it holds nothing any more. */
  unlock(): void;
}

/**
 * A mutex for threads that may block and for those that must not: four bytes of shared memory, zero when free. It is the
 * same word and protocol as `futon::AsyncLock` of C++, so native threads stand in the same line.
 *
 * It is not recursive. Nobody but locks may wait on its word.
 */
export class AsyncLock {
  /**
   * The lock that lies in a buffer. All that are made for the same bytes are one lock.
   *
   * @throws TypeError if the buffer is not shared
   * @throws RangeError if `byteOffset` is no multiple of four, or the lock would end outside the buffer
   */
  constructor(buffer: SharedArrayBuffer, byteOffset?: number);

  /** Blocks until the lock is held. Throws a TypeError on a thread that may not block, before it looks at the lock. */
  lock(): AsyncLockGuard;

  /** Takes the lock if it is free. */
  tryLock(): boolean;

  /** Sets the lock free and wakes the first in line. Throws an Error with the code EPERM if nobody holds it. */
  unlock(): void;

  /** Runs `callback` while holding the lock: at once if it is free, else later. If it returns a promise, the lock is held
   * until that has settled. */
  executeLocked<T>(callback: () => T | PromiseLike<T>): Promise<T>;

  /** A promise of a guard. */
  lockAsync(options?: LockOptions): Promise<AsyncLockGuard>;
}
