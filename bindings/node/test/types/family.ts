// SPDX-License-Identifier: MIT
// A program with the primitives besides the lock.

import {
  AbortSignalLike, AsyncLock, AsyncLockGuard, AutoResetEvent, Barrier, Channel, ChannelCodec, Condition, Event, Latch, Operation, Received, Selected, Semaphore,
  SemaphorePermits, SharedLock, SharedLockGuard, UpgradeableSharedLockGuard, Waiter, changes, diagnostics, fromShared, select, selectAsync, toShared, waiting,
} from 'futon';

const buffer = new SharedArrayBuffer(1024);
declare const signal: AbortSignalLike;

export async function use(permits: Semaphore, lock: SharedLock, signals: Event[], latch: Latch) {
  const one: SemaphorePermits | undefined = permits.tryAcquire() ?? permits.tryAcquire(2);
  permits.acquire(1, { timeout: 1 }).release();
  const kept: number = (await permits.acquireAsync(2, { signal, ref: false })).detach();
  permits.release(kept);
  {
    using guard = lock.lock({ timeout: 1 });
    using reader: SharedLockGuard = guard.downgrade();
    if (reader.isShared && reader.ownsLock) reader.unlock();
  }
  const found: number = await lock.executeLockedShared(async (guard) => (guard.isShared ? 1 : 2), { timeout: 1 });
  const text: string = await lock.executeLocked(() => 'exclusive');
  {
    using held: UpgradeableSharedLockGuard = lock.tryLockUpgradeable() ?? lock.lockUpgradeable({ timeout: 1 });
    using writer: SharedLockGuard = held.tryUpgrade() ?? held.upgrade({ timeout: 1 });
    using again: UpgradeableSharedLockGuard = writer.downgradeToUpgradeable();
    (await again.upgradeAsync({ signal, timeout: 1, ref: false })).unlock();
    const selected = await selectAsync([lock.lockingUpgradeable()]);
    if (selected.value !== 'timed-out' && selected.value.isUpgradeable) selected.value.upgrade();
    // @ts-expect-error -- a reader cannot
    (await lock.lockUpgradeableAsync()).downgrade().upgrade();
  }
  (await lock.lockSharedAsync()).unlock();
  lock.tryLockShared()?.unlock();
  const results: ('ok' | 'timed-out')[] = [
    ...signals.map((event) => event.wait({ timeout: 0 })), await latch.waitAsync({ signal }), latch.arriveAndWait(2),
  ];
  const queue: Waiter[] = latch.waiters();
  return { one, found, text, results, queue, left: permits.available, most: permits.maximum };
}

use(new Semaphore(buffer, 0, { permits: 1, maximum: 2, strict: true }), new SharedLock(buffer, 16, { strict: true }),
  [new Event(buffer, 24, { set: true }), new AutoResetEvent(buffer, 28)], new Latch(buffer, 32, { count: 3 }));
const barrier: Barrier = fromShared(toShared(new Barrier(buffer, 40, { participants: 2 })));
export const phases: ('ok' | 'timed-out')[] = [barrier.arriveAndWait({ timeout: 1 })];
export const sizes: number[] = [AsyncLock.byteLength, Semaphore.byteLength, SharedLock.byteLength, Event.byteLength];

export async function useCondition(lock: AsyncLock, changed: Condition) {
  using guard = lock.tryLock() ?? lock.lock();
  const results: ('ok' | 'timed-out')[] = [changed.wait(guard, { timeout: 1 }), await changed.waitAsync(guard, { signal, timeout: 1 })];
  return { results, woken: changed.notify(1) + changed.notify() };
}

export async function choose(lock: AsyncLock, permits: Semaphore, shared: SharedLock, event: Event, words: Int32Array) {
  const operations: Operation<AsyncLockGuard | SemaphorePermits | SharedLockGuard | 'ok' | 'not-equal'>[] =
    [lock.locking(), permits.acquiring(2), shared.lockingShared(), event.waiting(), waiting(words, 0, 1)];
  const found = select(operations, { timeout: 1 });
  if (found.index === -1) return found.value === 'timed-out';
  const guard: Selected<SharedLockGuard> = await selectAsync([shared.locking(), shared.lockingShared()], { signal });
  if (guard.value !== 'timed-out') guard.value.unlock();
  for await (const value of changes(words, 0, { signal })) if (value > 7) return value;
  for await (const value of changes(new BigInt64Array(new SharedArrayBuffer(8)), 0)) if (value > 7n) break;
  return toShared(new Condition(words.buffer as unknown as SharedArrayBuffer)).futon;
}

export async function chooseByIndex(permits: Semaphore, stopped: Event, words: Int32Array, texts: Channel<string>) {
  const { index, value } = await selectAsync([permits.acquiring(), stopped.waiting(), waiting(words, 0, 0)], { timeout: 1, signal });
  if (index === 0) value.release();
  if (index === 1) return value satisfies 'ok';
  if (index === -1) return value satisfies 'timed-out';
  // @ts-expect-error -- there are three
  if (index === 3) return undefined;

  const kept = [texts.receiving(), permits.acquiring(2)] as const;
  const found = select(kept, { timeout: 1 });
  switch (found.index) {
    case 0:
      return found.value.done ? undefined : found.value.value.length;
    case 1:
      return found.value.detach();
    default:
      found.value satisfies 'timed-out';
  }
  const array = [texts.receiving(), permits.acquiring()];
  const one = await selectAsync(array);
  // @ts-expect-error -- the type of an array does not tell which of them is first
  if (one.index === 0) one.value.release();
  return undefined;
}

export async function pass(codec: ChannelCodec<Map<string, number>>) {
  const memory = new SharedArrayBuffer(Channel.byteLengthFor(1024));
  const maps = new Channel(memory, 0, { capacity: 1024, codec });
  using texts = new Channel<string>(new SharedArrayBuffer(128), 0, { capacity: 64 });
  const sent: 'ok' | 'closed' | 'full' = texts.trySend('text');
  await maps.sendAsync(new Map([['a', 1]]), { timeout: 1 });
  const found: Received<Map<string, number>> = await maps.receiveAsync({ signal });
  for await (const text of texts) if (text.length > 3) break;
  for (const text of texts) if (text.length > 3) break;
  const chosen = await selectAsync([maps.receiving(), texts.sending('more')]);
  return [sent, found.done ? 0 : found.value.size, chosen.index, toShared(maps).byteOffset, texts.tryReceive()?.value, texts.capacity];
}

export function diagnose(lock: AsyncLock, latch: Latch): [boolean, string] {
  diagnostics.name(lock, 'accounts');
  diagnostics.name(latch, 'start');
  diagnostics.name(new Int32Array(new SharedArrayBuffer(8)), 1, 'a word');
  diagnostics.watch({ hold: 1, wait: undefined });
  diagnostics.trace();
  diagnostics.onReport('throw');
  diagnostics.writeTimeline('timeline.html');
  const seen: { objects?: unknown[] } = diagnostics.dumpJson();
  return [diagnostics.isOn, diagnostics.dump() + diagnostics.metrics() + seen.objects?.length];
}
