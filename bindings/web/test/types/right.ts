// SPDX-License-Identifier: MIT
// A program with the shapes of every function. It compiles under each configuration of types.js.

import * as web from 'futon-web';
import 'futon-web/polyfill';
import { connect, type Connection, type Waiter } from 'futon-web/module';

declare const signal: web.AbortSignalLike;
declare const maybe: number | undefined;
declare const Module: object;
const words = new Int32Array(new SharedArrayBuffer(16));
const wide = new BigInt64Array(new SharedArrayBuffer(16));
const connection: Connection = connect(Module);

for (const { wait, waitAsync, notify, pause, AsyncLock, canBlock, setCanBlock } of [web, connection]) {
  const blocked: web.WaitResult[] = [wait(words, 0, 0), wait(words, 0, 0, { timeout: maybe }), wait(wide, 0, 0n, 1)];
  const plain: web.WaitAsyncResult[] = [waitAsync(words, 0, 0), waitAsync(words, 0, 0, maybe), waitAsync(wide, 0, 0n)];
  const handles: web.Wait[] = [
    waitAsync(words, 0, 0, { timeout: 1, signal, ref: false }).ref(), waitAsync(wide, 0, 0n, undefined, { signal }),
  ];
  const count: number = notify(words, 0) + notify(wide, 0, 1) + blocked.length + plain.length + handles.length;
  setCanBlock(canBlock());
  pause();
  use(new AsyncLock(words.buffer, 0, { strict: count === 0 })).then(() => pause(1));
}

// `Int32Array` alone does not tell what its buffer is.
declare const plainWords: Int32Array;
web.wait(plainWords, 0, 0);
web.waitAsync(plainWords, 0, 0, undefined, { timeout: 1 }).unref();
use(new web.AsyncLock(plainWords.buffer, 4));

class NamedLock extends web.AsyncLock {
  name = '';
}
new NamedLock(new SharedArrayBuffer(8), 4, { strict: true }).name.length.toFixed();

async function use(lock: web.AsyncLock) {
  const guards: web.AsyncLockGuard[] = [lock.lock(), lock.lock({ timeout: maybe }), await lock.lockAsync({ timeout: 1, signal })];
  guards[0]?.unlock();
  const one: number = await lock.executeLocked(() => 1);
  const two: string = await lock.executeLocked(async () => 'two', { timeout: 1, signal, ref: true });
  const place: [SharedArrayBuffer, number] = [lock.buffer, lock.byteOffset];
  const three: boolean = await lock.executeLocked(async (guard) => guard.wasAbandoned && guard.ownsLock);
  const isKnown: boolean = await web.whenWatched();
  const why: string | undefined = web.isSupported() ? undefined : web.whyNot();
  return { one, two, three, place, isKnown, why, isHeld: lock.tryLock() };
}

const queue: Waiter[] = [...connection.waiters(words, 0), ...connection.waiters(wide), ...connection.waiters()];
const shown: string[] = queue.map(({ kind, isBlocked, threadId, operation = '', holder, address }) =>
  `${kind} ${isBlocked ? 'blocked' : ''} ${threadId ?? ''} ${operation} ${holder ?? ''} ${address.toFixed()}`);
export { shown };
