// SPDX-License-Identifier: MIT
import type * as names from './index.js';

/** A waiter in a wait queue. */
export interface Waiter {
  /** The address of the word, which identifies the wait queue. */
  address: number;
  /** Its kind: a thread that JavaScript has blocked, a promise of JavaScript, either of them for a lock, or a waiter of C++. */
  kind: 'wait' | 'waitAsync' | 'lock' | 'lockAsync' | 'native';
  /** Whether it is a blocked thread, and not a promise or another task. */
  isBlocked: boolean;
  /** The thread whose JavaScript waits: zero for the main thread, else its `pthread_t`; undefined for a waiter of C++. */
  threadId: number | undefined;
  /** What it waits for, by its name in C++, such as `futon::wait`; undefined if its code gives no name. */
  operation: string | undefined;
  /** The thread whose JavaScript holds the lock it waits for; undefined if it waits for no lock, or C++ holds it. */
  holder: number | undefined;
}

/** The names of `futon-web` over the wait queues of a program, in whose memory all words and locks must lie. A wait that is
 * aborted leaves its queue at once, and no `notify` counts it; one that was notified before gives 'ok'. */
export interface Connection {
  readonly wait: typeof names.wait;
  readonly waitAsync: typeof names.waitAsync;
  readonly notify: typeof names.notify;
  readonly pause: typeof names.pause;
  /** `futon::AsyncLock` of C++ itself. */
  readonly AsyncLock: typeof names.AsyncLock;
  readonly canBlock: typeof names.canBlock;
  readonly setCanBlock: typeof names.setCanBlock;
  /** The waiters of an element, in the order of their queue; without arguments, all waiters of the program. */
  readonly waiters: (typedArray?: names.WaitableArray, index?: number) => Waiter[];
}

/**
 * Connects this thread's JavaScript to a program of WebAssembly that contains the C++ library and links
 * `futon::javascript_module`. In a thread of the program, `Module` is the one of that thread.
 *
 * Promises settle in turns of the thread's event loop, `futon::EventLoop`; one is made if the thread has none.
 *
 * @param Module the object that Emscripten has made, once it has started
 * @returns the same names for each call in one thread
 * @throws TypeError if `Module` is no such object
 * @throws Error if the program has not started yet, or does not link the target
 */
export function connect(Module: object): Connection;
