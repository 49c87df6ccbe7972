// SPDX-License-Identifier: MIT
/// <reference lib="esnext.disposable" />

/** What may be waited on: an `Int32Array` or a `BigInt64Array` over a `SharedArrayBuffer`, growable ones and the shared
 * memory of WebAssembly included. */
export type WaitableArray = Int32Array | BigInt64Array;

/** The value of an element of that array. */
export type ElementOf<A extends WaitableArray> =
  [A] extends [Int32Array] ? number : [A] extends [BigInt64Array] ? bigint : never;

/** What `wait` and `waitAsync` refuse an array for whose type tells that its buffer is not shared. Since TypeScript 5.7 that of
 * `new Int32Array(4)` does; the type `Int32Array` alone tells nothing. */
export interface OverSharedArrayBuffer {
  readonly buffer: SharedArrayBuffer;
}

/** An array that may be over a shared buffer, as far as its type tells. */
export type MaybeShared<A extends WaitableArray> = SharedArrayBuffer extends A['buffer'] ? A : OverSharedArrayBuffer;

/** The result of a wait. */
export type WaitResult = 'ok' | 'not-equal' | 'timed-out';

/** The result of `waitAsync`: known at once, or a promise because the waiter is queued. */
export type WaitAsyncResult =
  | { async: false; value: 'not-equal' | 'timed-out' }
  | { async: true; value: Promise<'ok' | 'timed-out'> };

/** An `AbortSignal` of the program, whether its type is known or not. Imitations, as of libraries, are refused. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: any;
  throwIfAborted(): void;
}

/** The only option of calls that block: `wait` and `AsyncLock.lock`. */
export interface BlockingOptions {
  /** Milliseconds; no time-out if it is undefined or infinite. */
  timeout?: number | undefined;
  /** Useless, because a blocked thread runs no code that could abort a signal. */
  signal?: undefined;
  /** Useless, because a blocked thread keeps its process alive anyhow. */
  ref?: undefined;
}

/** Options of `waitAsync`, beyond the specification. */
export interface WaitOptions {
  /** Milliseconds after which the promise gives 'timed-out'; none if it is undefined or infinite. */
  timeout?: number | undefined;
  /** Dequeues the wait when it aborts; the promise rejects with the signal's reason. A wait that was notified before is
   * not aborted any more. */
  signal?: AbortSignalLike | undefined;
  /** Whether this wait keeps the process alive; true by default. */
  ref?: boolean | undefined;
}

/** Options in the place of the time-out, of which one is there for sure: the result is a handle. An object with none converts to a number,
 * as the specification says: it waits without a time-out, and the result is no handle. */
export type WaitOptionsAsTimeout = WaitOptions & (
  | { timeout: number | undefined }
  | { signal: AbortSignalLike | undefined }
  | { ref: boolean | undefined });

/** The result of `waitAsync` with options: a handle of the wait as well. */
export type Wait = WaitAsyncResult & {
  /** Keeps the process alive while this waits, which is the default. */
  ref(): Wait;
  /** Lets the process end although this waits. */
  unref(): Wait;
  /** Whether this keeps the process alive. */
  hasRef(): boolean;
};

/**
 * Blocks this thread, if the element holds `value`, until a `notify` wakes it: `Atomics.wait`. The time-out may be an
 * option, in its own place or after it.
 *
 * @param timeout milliseconds; none if it is undefined, NaN or infinite
 * @throws TypeError if the array cannot be waited on, if this thread may not block, or if the options are invalid
 * @throws RangeError if the index is out of range
 */
export function wait<A extends WaitableArray>(typedArray: MaybeShared<A>, index: number, value: ElementOf<A>,
  timeout?: number | BlockingOptions): WaitResult;
export function wait<A extends WaitableArray>(typedArray: MaybeShared<A>, index: number, value: ElementOf<A>,
  timeout: number | undefined, options: BlockingOptions | undefined): WaitResult;

/**
 * The same without blocking: `Atomics.waitAsync`. A pending wait keeps the process alive. Options may be in the place
 * of the time-out or after it; with options, the result is a handle of the wait as well.
 *
 * @throws TypeError if the array cannot be waited on, or if the options are invalid
 * @throws RangeError if the index is out of range
 */
export function waitAsync<A extends WaitableArray>(typedArray: MaybeShared<A>, index: number, value: ElementOf<A>,
  timeout?: number): WaitAsyncResult;
export function waitAsync<A extends WaitableArray>(typedArray: MaybeShared<A>, index: number, value: ElementOf<A>,
  options: WaitOptionsAsTimeout): Wait;
export function waitAsync<A extends WaitableArray>(typedArray: MaybeShared<A>, index: number, value: ElementOf<A>,
  timeout: number | undefined, options: WaitOptions): Wait;
// Options that may be missing or empty, as a function of the program has them from its caller: then there may be no handle.
export function waitAsync<A extends WaitableArray>(typedArray: MaybeShared<A>, index: number, value: ElementOf<A>,
  timeout: number | WaitOptions | undefined): WaitAsyncResult;
export function waitAsync<A extends WaitableArray>(typedArray: MaybeShared<A>, index: number, value: ElementOf<A>,
  timeout: number | undefined, options: WaitOptions | undefined): WaitAsyncResult;

/**
 * Wakes up to `count` waiters of the element, longest wait first: blocked threads of JavaScript, promises, and native
 * waiters alike. `Atomics.notify`. Promises of this thread have settled when it returns.
 *
 * @param count the maximum; all waiters if it is undefined
 * @returns the number of waiters that were woken
 */
export function notify(typedArray: WaitableArray, index: number, count?: number): number;

/** A hint to the processor that this thread spins: `Atomics.pause`. */
export function pause(duration?: number): void;

/** Whether this thread may block. */
export function canBlock(): boolean;

/** Sets whether this thread may block. If not, `wait` and `AsyncLock.lock` throw a TypeError. */
export function setCanBlock(value: boolean): void;

/** A waiter in a wait queue. */
export interface Waiter {
  /** The address of the word, which identifies the wait queue. */
  address: number;
  /** Its kind: a blocked thread, a promise, either of them for a lock, or a waiter of native code. */
  kind: 'wait' | 'waitAsync' | 'lock' | 'lockAsync' | 'native';
  /** The thread of JavaScript that it belongs to; undefined for native code. */
  threadId: number | undefined;
  /** What it waits for, by its name in C++, such as `futon::wait`; undefined if its code gives no name. */
  operation: string | undefined;
  /** The thread of JavaScript that holds the lock it waits for; undefined if it waits for no lock, or native code holds it. */
  holder: number | undefined;
}

/** The state of a lock, as it was at the call. */
export interface LockState {
  /** The address of its word. */
  address: number;
  isLocked: boolean;
  isStrict: boolean;
  /** Whether a thread ended while it held the lock, and no owner since was told. */
  isAbandoned: boolean;
  /** The thread of JavaScript that holds it; undefined if none does. */
  holder: number | undefined;
  /** Its waiters, in the order of their queue. */
  waiters: Waiter[];
}

/** The state of a lock: who holds it, and its waiters. */
export function inspect(lock: AsyncLock): LockState;

/** The waiters of an element, in the order of their queue; without arguments, all waiters of this process. */
export function waiters(typedArray?: WaitableArray, index?: number): Waiter[];

/** The address of an element, the same in all threads. */
export function addressOf(typedArray: WaitableArray, index?: number): number;

/** Options of `AsyncLock.lockAsync` and `AsyncLock.executeLocked`. */
export interface LockOptions {
  /** Milliseconds after which the promise rejects with a `TimeoutError`; none if it is undefined or infinite. */
  timeout?: number | undefined;
  /** Dequeues the attempt when it aborts; the promise rejects with the signal's reason. If the lock was handed off to
   * the attempt before, the lock is acquired all the same. */
  signal?: AbortSignalLike | undefined;
  /** Whether this attempt keeps the process alive; true by default. */
  ref?: boolean | undefined;
}

/** Options of a lock itself. */
export interface AsyncLockOptions {
  /** Makes the lock strict: each unlock hands it off to the first waiter, and no thread can barge. Left out, it leaves the lock as it is,
   * which is not strict at first. */
  strict?: boolean | undefined;
}

/** Owns a lock, until it unlocks it or goes out of the scope of a `using`. */
export interface AsyncLockGuard extends Disposable {
  /** Whether it still holds the lock. */
  readonly ownsLock: boolean;
  /** Whether a thread ended while it held the lock, and no owner since has read this: what the lock protects may be half
   * done. The first owner that reads it is told alone; one that does not read it leaves that to the next. */
  readonly wasAbandoned: boolean;
  /** Unlocks before the end of the scope. Throws an Error with the code EPERM if it does not hold the lock any more. */
  unlock(): void;
}

/**
 * A mutex for threads that may block and for those that must not: four bytes of shared memory, zero when free. It is
 * the same word and protocol as `futon::AsyncLock` of C++, so native threads are in the same wait queue.
 *
 * It is not recursive. Only locks may wait on its word.
 */
export interface AsyncLock {
  /** The buffer that has the lock. To share the lock, send this and `byteOffset`: a lock itself cannot be cloned. */
  readonly buffer: SharedArrayBuffer;

  /** Where in the buffer the lock begins. */
  readonly byteOffset: number;

  /** What `wasAbandoned` of the guard of the last acquisition by this object is. */
  readonly wasAbandoned: boolean;

  /** Blocks until the lock is held. Throws a TypeError on a thread that may not block, before it tries to lock; a
   * `TimeoutError` (a DOMException) if the lock is still held when `options.timeout` is over; an Error with the code EDEADLK
   * if this thread holds it already, and there is no time-out. */
  lock(options?: BlockingOptions): AsyncLockGuard;

  /** Locks if the lock is free; undefined if it is not. */
  tryLock(): AsyncLockGuard | undefined;

  /** Releases the lock, and wakes the first waiter or hands the lock off to it. Throws an Error with the code EPERM if
   * the lock is not held. */
  unlock(): void;

  /** Runs `callback` while holding the lock: at once if it is free, else later. If it returns a promise, the lock is
   * held until that has settled. If a time-out or a signal of the options ends it before, the callback does not run.
   * Rejects with an Error with the code EDEADLK if a callback that holds the same lock has called it before its first `await`,
   * and waits for it.
   *
   * The callback gets the guard, which tells whether the lock was abandoned. It does not release the lock: this does. */
  executeLocked<T>(callback: (guard: AsyncLockGuard) => T | PromiseLike<T>, options?: LockOptions): Promise<T>;

  /** Locks without blocking; gives a promise of a guard. */
  lockAsync(options?: LockOptions): Promise<AsyncLockGuard>;

  /** Locking as an operation of `select`. */
  locking(): Operation<AsyncLockGuard>;
}

export declare const AsyncLock: {
  readonly prototype: AsyncLock;
  /** How many bytes it takes. */
  readonly byteLength: number;

  /**
   * The lock in a buffer. All AsyncLock objects of the same bytes are one lock.
   *
   * @throws TypeError if the buffer is not shared
   * @throws RangeError if `byteOffset` is not a multiple of four, or the lock would end outside the buffer
   * @throws Error if the lock is to be strict, but is in use already and is not; or is not to be strict, and is
   */
  new <B extends ArrayBufferLike = SharedArrayBuffer>(buffer: SharedArrayBuffer extends B ? B : SharedArrayBuffer,
    byteOffset?: number, options?: AsyncLockOptions): AsyncLock;
};

/** What `select` chooses among. To make one does nothing, and it can be used again. */
export interface Operation<T> {
  /** Only of the type. */
  readonly operation?: T;
}

/** What such an operation gives. */
export type ValueOf<O> = O extends Operation<infer T> ? T : never;

/** Waiting for an element, as an operation: its value is what `wait` would return. */
export function waiting<A extends WaitableArray>(typedArray: MaybeShared<A>, index: number, value: ElementOf<A>):
  Operation<'ok' | 'not-equal'>;

/** Which operation was done, and what it gave, of an array of operations. */
export type Selected<T> = { readonly index: number; readonly value: T } | { readonly index: -1; readonly value: 'timed-out' };

/** The same of a tuple: there each index has the value of its own operation. A list that is written in the call is one, and so is a
 * constant that was declared `as const`. */
export type SelectedOf<O extends readonly Operation<unknown>[]> = number extends O['length'] ? Selected<ValueOf<O[number]>> :
  | { [I in keyof O]: I extends `${infer N extends number}` ? { readonly index: N; readonly value: ValueOf<O[I]> } : never }[number]
  | { readonly index: -1; readonly value: 'timed-out' };

/**
 * Blocks until one of the operations is done; the others have not happened. If several can be done at once, each is equally likely.
 *
 * @throws TypeError if this thread may not block, or if one of them is no operation
 */
export function select<const O extends readonly Operation<unknown>[]>(operations: O, options?: BlockingOptions): SelectedOf<O>;

/** The same without blocking. An abort rejects with the signal's reason, and then none has happened. */
export function selectAsync<const O extends readonly Operation<unknown>[]>(operations: O, options?: WaitOptions): Promise<SelectedOf<O>>;

/** The value of an element, and then each other value that it is seen to have: for `for await`. Who changes it calls `notify`. An abort
 * ends it with the signal's reason. */
export function changes<A extends WaitableArray>(typedArray: MaybeShared<A>, index: number,
  options?: { signal?: AbortSignalLike | undefined; ref?: boolean | undefined }): AsyncGenerator<ElementOf<A>, void, void>;

/** What the primitives below have in common. Each lies in a SharedArrayBuffer, zero bytes are its initial state, and all objects of the same
 * bytes are one primitive: that of C++, whose threads wait in the same queue. */
interface Primitive {
  /** The buffer that has it. To share it, send this and `byteOffset`: it cannot be cloned. */
  readonly buffer: SharedArrayBuffer;
  /** Where in the buffer it begins. */
  readonly byteOffset: number;
  /** Its waiters, in the order of their queue. */
  waiters(): Waiter[];
}

interface PrimitiveConstructor<P, O> {
  readonly prototype: P;
  /** How many bytes it takes; its offset is a multiple of that. */
  readonly byteLength: number;
  /**
   * The primitive in a buffer. Options are for the thread that makes it; the others leave them out.
   *
   * @throws TypeError if the buffer is not shared, or an option is invalid
   * @throws RangeError if `byteOffset` is not a multiple of its size, or it would end outside the buffer
   * @throws Error if an option is given, and it is in use already and not what the option says. `permits`, `count` and `participants`, which
   *   change with use, are always refused then
   */
  new <B extends ArrayBufferLike = SharedArrayBuffer>(buffer: SharedArrayBuffer extends B ? B : SharedArrayBuffer,
    byteOffset?: number, options?: O): P;
}

/** Owns permits, until it puts them back or goes out of the scope of a `using`. */
export interface SemaphorePermits extends Disposable {
  /** How many it owns; 0 once they were put back. */
  readonly count: number;
  /** Puts them back. Throws an Error with the code EPERM if there are none. */
  release(): void;
  /** Gives up ownership: returns how many permits the program has to release. */
  detach(): number;
}

/** Permits, for at most so many users at a time; several may be acquired at once. Small requests do not starve a big one.
 * The permits of a thread that ends are lost. */
export interface Semaphore extends Primitive {
  /** Takes the permits if there are enough; undefined if not. */
  tryAcquire(count?: number): SemaphorePermits | undefined;
  /** Blocks until there are enough. Throws a TypeError on a thread that may not block, a `TimeoutError` after `options.timeout`. */
  acquire(count?: number, options?: BlockingOptions): SemaphorePermits;
  /** The same without blocking. */
  acquireAsync(count?: number, options?: LockOptions): Promise<SemaphorePermits>;
  acquiring(count?: number): Operation<SemaphorePermits>;
  /** Adds permits. Throws a RangeError if they would be more than `maximum`; none is added then. */
  release(count?: number): void;
  /** How many permits there are now: other threads acquire and release meanwhile. */
  readonly available: number;
  readonly maximum: number;
}

export declare const Semaphore: PrimitiveConstructor<Semaphore,
  { permits?: number | undefined; maximum?: number | undefined; strict?: boolean | undefined }>;

/** Something has happened: releases all that wait, and those that come later, until it is reset. */
export interface Event extends Primitive {
  set(): void;
  reset(): void;
  readonly isSet: boolean;
  tryWait(): boolean;
  /** Blocks until it is set. Throws a TypeError on a thread that may not block. */
  wait(options?: BlockingOptions): 'ok' | 'timed-out';
  waitAsync(options?: WaitOptions): Promise<'ok' | 'timed-out'>;
  waiting(): Operation<'ok'>;
}

export declare const Event: PrimitiveConstructor<Event, { set?: boolean | undefined }>;

/** A signal for one waiter; one that comes while none waits is kept. */
export interface AutoResetEvent extends Event {}

export declare const AutoResetEvent: PrimitiveConstructor<AutoResetEvent, { set?: boolean | undefined }>;

/** A count that goes down to zero once, which releases all that wait. */
export interface Latch extends Primitive {
  /** Throws a RangeError if `n` is more than what is left of the count, which stays as it is. */
  countDown(n?: number): void;
  tryWait(): boolean;
  wait(options?: BlockingOptions): 'ok' | 'timed-out';
  waitAsync(options?: WaitOptions): Promise<'ok' | 'timed-out'>;
  waiting(): Operation<'ok'>;
  /** Counts down, and waits. A time-out does not undo the count. */
  arriveAndWait(n?: number, options?: BlockingOptions): 'ok' | 'timed-out';
  arriveAndWaitAsync(n?: number, options?: WaitOptions): Promise<'ok' | 'timed-out'>;
}

export declare const Latch: PrimitiveConstructor<Latch, { count?: number | undefined }>;

/** Holds a `SharedLock`, exclusively, upgradeable or shared, until it unlocks it or goes out of the scope of a `using`. A change of the hold
 * gives the guard of what it has become, and this one holds nothing then. Misuse throws an Error with the code EPERM. */
export interface SharedLockGuard extends Disposable {
  readonly ownsLock: boolean;
  readonly isShared: boolean;
  readonly isUpgradeable: boolean;
  /** Unlocks. Throws an Error with the code EPERM if it holds nothing, or while an upgrade waits. */
  unlock(): void;
  /** Turns an exclusive or upgradeable hold into a shared one, with no gap in which another writes. */
  downgrade(): SharedLockGuard;
  /** Turns an exclusive hold into an upgradeable one, with no gap in which another writes. */
  downgradeToUpgradeable(): UpgradeableSharedLockGuard;
}

/** Holds a `SharedLock` upgradeable: reads, and may write without a gap in which another writes. */
export interface UpgradeableSharedLockGuard extends SharedLockGuard {
  /** Makes the hold exclusive if none reads; undefined if one does. */
  tryUpgrade(): SharedLockGuard | undefined;
  /** Makes the hold exclusive, once the readers have left. While it waits, no new readers enter. Throws a TypeError on a thread that may not
   * block, a `TimeoutError` after `options.timeout`: the hold stays upgradeable then. */
  upgrade(options?: BlockingOptions): SharedLockGuard;
  /** The same without blocking. If the guard goes out of scope meanwhile, it rejects when it is over, and the lock is released then. */
  upgradeAsync(options?: LockOptions): Promise<SharedLockGuard>;
}

/** Many readers, one of which may become the writer, or one writer; none starves. What a thread holds when it ends stays held. */
export interface SharedLock extends Primitive {
  tryLock(): SharedLockGuard | undefined;
  tryLockShared(): SharedLockGuard | undefined;
  /** To read, and perhaps to write: alongside readers, but no other holds it upgradeable. */
  tryLockUpgradeable(): UpgradeableSharedLockGuard | undefined;
  /** Blocks. Throws a TypeError on a thread that may not block, a `TimeoutError` after `options.timeout`. */
  lock(options?: BlockingOptions): SharedLockGuard;
  lockShared(options?: BlockingOptions): SharedLockGuard;
  lockUpgradeable(options?: BlockingOptions): UpgradeableSharedLockGuard;
  lockAsync(options?: LockOptions): Promise<SharedLockGuard>;
  lockSharedAsync(options?: LockOptions): Promise<SharedLockGuard>;
  lockUpgradeableAsync(options?: LockOptions): Promise<UpgradeableSharedLockGuard>;
  locking(): Operation<SharedLockGuard>;
  lockingShared(): Operation<SharedLockGuard>;
  lockingUpgradeable(): Operation<UpgradeableSharedLockGuard>;
  /** Runs `callback` while holding the lock, until the promise that it returns has settled. */
  executeLocked<T>(callback: (guard: SharedLockGuard) => T | PromiseLike<T>, options?: LockOptions): Promise<T>;
  executeLockedShared<T>(callback: (guard: SharedLockGuard) => T | PromiseLike<T>, options?: LockOptions): Promise<T>;
}

export declare const SharedLock: PrimitiveConstructor<SharedLock, { strict?: boolean | undefined }>;

/** Participants that work in phases, and wait for each other after each. */
export interface Barrier extends Primitive {
  /** Arrives `n` times, without waiting. Throws a RangeError if the phase needs fewer arrivals; nothing is changed then. */
  arrive(n?: number): void;
  /** Arrives, and takes part in no later phase. */
  arriveAndDrop(): void;
  /** Arrives, and blocks until all have. A time-out does not undo the arrival. */
  arriveAndWait(options?: BlockingOptions): 'ok' | 'timed-out';
  arriveAndWaitAsync(options?: WaitOptions): Promise<'ok' | 'timed-out'>;
}

export declare const Barrier: PrimitiveConstructor<Barrier, { participants?: number | undefined }>;

/** Waits until data that an `AsyncLock` protects has changed, with the lock released meanwhile. */
export interface Condition extends Primitive {
  /**
   * Releases the lock of the guard and blocks until a `notify` wakes it; then locks again. There are no spurious wake-ups, but another
   * thread may have changed the data in between: wait in a loop. The guard holds the lock again in the end, also after a time-out.
   *
   * @throws TypeError if this thread may not block; Error with the code EPERM if the guard does not hold its lock; Error if other waiters
   *   use another lock
   */
  wait(guard: AsyncLockGuard, options?: BlockingOptions): 'ok' | 'timed-out';
  /** The same without blocking. After an abort the guard holds the lock again, too; then the promise rejects with the signal's reason. */
  waitAsync(guard: AsyncLockGuard, options?: WaitOptions): Promise<'ok' | 'timed-out'>;
  /** Wakes up to `count` waiters, longest wait first, all by default; best with the lock held. Returns how many. */
  notify(count?: number): number;
}

export declare const Condition: PrimitiveConstructor<Condition, Record<string, never>>;

/** What a codec makes of values, and back. */
export interface ChannelCodec<T> {
  encode(value: T): Uint8Array;
  decode(bytes: Uint8Array): T;
}

/** A message that was received; or the end: the channel is closed and empty. */
export type Received<T> = { readonly value: T; readonly done: false } | { readonly value: undefined; readonly done: true };

/** A bounded queue of messages between threads, through a ring in shared memory: the `ByteChannel` of C++. Without a codec it takes numbers,
 * strings, Uint8Arrays, undefined, and what JSON can express. */
export interface Channel<T = unknown> extends Primitive, Disposable, Iterable<T>, AsyncIterable<T> {
  readonly capacity: number;
  readonly isClosed: boolean;
  /** Sends if there is room. Throws a RangeError if the message is larger than the channel, as all of these. */
  trySend(value: T): 'ok' | 'closed' | 'full';
  /** Blocks while there is no room. Throws a TypeError on a thread that may not block, a `TimeoutError` after `options.timeout`. */
  send(value: T, options?: BlockingOptions): 'ok' | 'closed';
  sendAsync(value: T, options?: LockOptions): Promise<'ok' | 'closed'>;
  /** Receives if there is a message; undefined if not. */
  tryReceive(): Received<T> | undefined;
  /** Blocks while there is no message. Throws as `send`. */
  receive(options?: BlockingOptions): Received<T>;
  receiveAsync(options?: LockOptions): Promise<Received<T>>;
  sending(value: T): Operation<'ok' | 'closed'>;
  receiving(): Operation<Received<T>>;
  /** Ends sending. Receivers get what was sent before, and then the end. */
  close(): void;
}

export declare const Channel: {
  readonly prototype: Channel;
  /** How many bytes a channel takes whose ring has this many. A message takes its own, rounded up to a multiple of eight, and eight more. */
  byteLengthFor(capacity: number): number;
  /**
   * The channel in a buffer. The thread that makes it gives the capacity, in zeroed bytes; the others leave it out. Each may have a codec.
   *
   * @throws TypeError if the buffer is not shared, or an option is invalid
   * @throws RangeError if `byteOffset` is not a multiple of sixteen, or it would end outside the buffer
   * @throws Error if a channel was made there before, or without a capacity, if none was
   */
  new <T = unknown, B extends ArrayBufferLike = SharedArrayBuffer>(buffer: SharedArrayBuffer extends B ? B : SharedArrayBuffer,
    byteOffset?: number, options?: { capacity?: number | undefined; codec?: ChannelCodec<T> | undefined }): Channel<T>;
};

/** A primitive as a message to another thread. */
export interface SharedPrimitive<P> {
  readonly futon: string;
  readonly buffer: SharedArrayBuffer;
  readonly byteOffset: number;
  /** Only of the type. */
  readonly primitive?: P;
}

/** What another thread can be sent: there `fromShared` makes the same primitive of it. */
export function toShared<P extends AsyncLock | SharedLock | Semaphore | Event | Latch | Barrier | Condition | Channel<any>>(
  primitive: P): SharedPrimitive<P>;

/** The primitive that `toShared` was given, in this thread. */
export function fromShared<P>(message: SharedPrimitive<P>): P;

/** What `diagnostics.watch` looks for, in milliseconds; nothing if it is undefined or 0. */
export interface DiagnosticsLimits {
  /** For which a primitive is held, also across an `await`. */
  hold?: number | undefined;
  /** For which a thread or a promise waits. */
  wait?: number | undefined;
  /** For which one turn of an event loop is busy. It is reported when the turn is over. */
  job?: number | undefined;
}

/**
 * Who holds what, and who waits, in all threads of the process. Node must be started with FUTON_DIAGNOSTICS=1 in its environment. Else `isOn`
 * is false, and these functions check their arguments and do nothing.
 */
export interface Diagnostics {
  /** Whether the addon with diagnostics is loaded. */
  readonly isOn: boolean;
  /** Names a primitive for reports, dumps and timelines, in all threads; an empty name forgets it. */
  name(primitive: Primitive | AsyncLock, name: string): void;
  /** Names an element of shared memory that is waited on. */
  name<A extends WaitableArray>(typedArray: A & MaybeShared<A>, index: number, name: string): void;
  /** Each primitive that is held, waited for or was used: its holders and waiters, since when and where. '' without diagnostics. */
  dump(): string;
  /** The same, with counts and times of each. {} without diagnostics. */
  dumpJson(): Record<string, any>;
  /** Counters and times in Prometheus' text format. '' without diagnostics. */
  metrics(): string;
  /** Records from now on for the timeline, at most so many events, 2 ** 20 by default; 0 ends it. */
  trace(events?: number): void;
  /** Writes what was recorded as a Chrome trace, which Perfetto opens. Throws an Error if the file cannot be written. */
  writeTrace(path: string): void;
  /** Writes the same as a page that a browser opens from disk. */
  writeTimeline(path: string): void;
  /** Reports what lasts longer, once for each hold, wait and turn, from now on in all threads. */
  watch(limits: DiagnosticsLimits): void;
  /**
   * What happens with reports: they are printed on the standard error, which is the default; or the process aborts after that; or the blocking
   * call that closes a deadlock throws an Error with the code EDEADLK, and others are printed.
   */
  onReport(response: 'print' | 'abort' | 'throw'): void;
}

export declare const diagnostics: Diagnostics;
