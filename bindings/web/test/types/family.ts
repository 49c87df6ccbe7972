// SPDX-License-Identifier: MIT
// A program with the primitives besides AsyncLock.

import {
  AbortSignalLike, AsyncLock, AsyncLockGuard, AutoResetEvent, Barrier, Channel, ChannelCodec, Condition, Event, Latch, Operation, Received, Selected,
  Semaphore, SemaphorePermits, SharedLock, SharedLockGuard, UpgradeableSharedLockGuard, SharedPrimitive, fromShared, select, selectAsync, toShared, waiting, whenSelectable,
} from 'futon-web';

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
  const place: [SharedArrayBuffer, number] = [latch.buffer, latch.byteOffset];
  return { one, found, text, results, place, left: permits.available, most: permits.maximum };
}

use(new Semaphore(buffer, 0, { permits: 1, maximum: 2, strict: true }), new SharedLock(buffer, 16, { strict: true }),
  [new Event(buffer, 24, { set: true }), new AutoResetEvent(buffer, 28)], new Latch(buffer, 32, { count: 3 }));
const message: SharedPrimitive<Barrier> = toShared(new Barrier(buffer, 40, { participants: 2 }));
const barrier: Barrier = fromShared(message);
export const phases: ('ok' | 'timed-out')[] = [barrier.arriveAndWait({ timeout: 1 })];
export const sizes: number[] = [AsyncLock.byteLength, Semaphore.byteLength, SharedLock.byteLength, Event.byteLength];

export async function waitForChange(lock: AsyncLock, changed: Condition) {
  using guard = await lock.lockAsync();
  const results: ('ok' | 'timed-out')[] = [changed.wait(guard, { timeout: 1 }), await changed.waitAsync(guard, { signal, ref: false })];
  const notified: number = changed.notify() + changed.notify(1);
  return { results, notified, same: fromShared(toShared(changed)).byteOffset };
}
waitForChange(new AsyncLock(buffer, 48), new Condition(buffer, 56));

export async function choose(lock: AsyncLock, permits: Semaphore, shared: SharedLock, event: Event, latch: Latch, words: Int32Array) {
  const operations: Operation<AsyncLockGuard | SemaphorePermits | SharedLockGuard | 'ok' | 'not-equal'>[] =
    [lock.locking(), permits.acquiring(2), shared.lockingShared(), event.waiting(), latch.waiting(), waiting(words, 0, 1)];
  if (await whenSelectable()) {
    const found = select(operations, { timeout: 1 });
    if (found.index === -1) return found.value === 'timed-out';
  }
  const guard: Selected<SharedLockGuard> = await selectAsync([shared.locking(), shared.lockingShared()], { signal, ref: false });
  if (guard.value !== 'timed-out') guard.value.unlock();
  const texts = new Channel<string>(buffer, 64, { capacity: 64 });
  const chosen = await selectAsync([texts.receiving(), texts.sending('more')]);
  return typeof chosen.value === 'string' ? chosen.value : chosen.value.done;
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

export async function passMessages(channel: Channel<{ row: number }>, codec: ChannelCodec<number>) {
  const sent: ('ok' | 'closed' | 'full')[] = [channel.trySend({ row: 1 }), channel.send({ row: 2 }, { timeout: 1 }), await channel.sendAsync({ row: 3 }, { signal })];
  const received: (Received<{ row: number }> | undefined)[] = [channel.tryReceive(), channel.receive(), await channel.receiveAsync({ ref: false })];
  for await (const { row } of channel) sent.length = row;
  for (const { row } of channel) sent.length = row;
  channel.close();
  const numbers: number = new Channel(buffer, 0, { codec }).capacity + Channel.byteLengthFor(8);
  return { sent, received, numbers, isClosed: fromShared(toShared(channel)).isClosed };
}
