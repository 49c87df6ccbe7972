// SPDX-License-Identifier: MIT
// A program with every shape of every function. It compiles under each configuration of types.test.js.

import * as futon from 'futon';
import {
  AsyncLock, AsyncLockGuard, AsyncLockOptions, BlockingOptions, LockOptions, Wait, WaitAsyncResult, WaitOptions,
  WaitResult, addressOf, canBlock, notify, pause, setCanBlock, wait, waitAsync, waiters,
} from 'futon';

declare const signal: futon.AbortSignalLike;
declare const maybe: number | undefined;
const words = new Int32Array(new SharedArrayBuffer(16));
const wide = new BigInt64Array(new SharedArrayBuffer(16));

const blocked: WaitResult[] = [
  wait(words, 0, 0), wait(words, 0, 0, 1), wait(words, 0, 0, undefined), wait(words, 0, 0, maybe),
  wait(words, 0, 0, { timeout: 1 }), wait(words, 0, 0, { timeout: maybe }), wait(words, 0, 0, undefined, { timeout: 1 }),
  wait(wide, 0, 0n), wait(wide, 0, 0n, 1), wait(wide, 0, 0n, { timeout: 1 }), wait(wide, 0, 0n, undefined, {}),
];

const plain: WaitAsyncResult[] = [
  waitAsync(words, 0, 0), waitAsync(words, 0, 0, 1), waitAsync(words, 0, 0, maybe), waitAsync(wide, 0, 0n),
];
const handles: Wait[] = [
  waitAsync(words, 0, 0, { timeout: 1, signal, ref: false }), waitAsync(words, 0, 0, { ref: true }).unref(),
  waitAsync(words, 0, 0, { signal }), waitAsync(words, 0, 0, { timeout: maybe }), waitAsync(wide, 0, 0n, { timeout: 1 }),
  waitAsync(words, 0, 0, undefined, {}), waitAsync(words, 0, 0, 1, { signal, ref: true }).ref(),
  waitAsync(wide, 0, 0n, undefined, { signal: undefined, timeout: undefined, ref: undefined }),
];

class NamedLock extends AsyncLock {
  name = '';
}
new NamedLock(new SharedArrayBuffer(8), 4, { strict: true }).name.length.toFixed();

async function use(lock: AsyncLock, waitOptions: WaitOptions, lockOptions: LockOptions, blocking: BlockingOptions) {
  const result = waitAsync(words, 0, 0, undefined, waitOptions);
  const settled: 'ok' | 'timed-out' | 'not-equal' = result.async ? await result.value : result.value;
  const kept: boolean = result.hasRef();

  const guards: AsyncLockGuard[] = [
    lock.lock(), lock.lock(blocking), lock.lock({ timeout: maybe }), lock.lock({}),
    await lock.lockAsync(), await lock.lockAsync(lockOptions), await lock.lockAsync({ timeout: 1, signal, ref: false }),
    await lock.lockAsync(waitOptions),
  ];
  guards[0]?.unlock();
  const owns: boolean | undefined = guards[0]?.ownsLock;
  const one: number = await lock.executeLocked(() => 1);
  const two: string = await lock.executeLocked(async () => 'two', { timeout: 1, signal, ref: true });
  const three: boolean = await lock.executeLocked(async (guard) => guard.wasAbandoned && guard.ownsLock);
  const place: [SharedArrayBuffer, number] = [lock.buffer, lock.byteOffset];
  {
    using guard = lock.lock();
    setCanBlock(guard.ownsLock && lock.tryLock() !== undefined);
  }
  lock.unlock();
  return { settled, kept, owns, one, two, three, place };
}

const strict: AsyncLockOptions = { strict: true };
// `Int32Array` alone does not tell what its buffer is.
declare const plainWords: Int32Array;
wait(plainWords, 0, 0);
waitAsync(plainWords, 0, 0, undefined, { timeout: 1 }).unref();
use(new AsyncLock(plainWords.buffer, 4), {}, {}, {});
use(new AsyncLock(words.buffer, 0, strict), {}, {}, {});
use(new AsyncLock(new SharedArrayBuffer(4)), { ref: false }, { timeout: undefined }, { timeout: 1 });
new AsyncLock(new SharedArrayBuffer(4), undefined, { strict: undefined });

const numbers: number[] = [notify(words, 0), notify(wide, 0, 1), addressOf(words), addressOf(wide, 1)];
const kinds: string[] = [...waiters(words, 0).map(({ kind }) => kind), ...waiters().map(({ operation = '' }) => operation)];
pause();
pause(1);
export const all = [blocked, plain, handles, numbers, kinds, canBlock()];
