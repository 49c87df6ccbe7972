// SPDX-License-Identifier: MIT
// What the workers of family.test.js and family_contention.test.js do. `tell` sends a message meanwhile.

import { AsyncLock, Barrier, Channel, Condition, fromShared, SharedLock, wait } from '../index.js';
import { nextTask } from './harness.js';

/// Takes in each way, by turns: blocking, by a promise, by one that may be aborted, and by one that may be late.
async function take(i, block, promise) {
  if (i % 4 === 0) return block();
  if (i % 4 === 1) return promise();
  if (i % 4 === 2) {
    const abortion = new AbortController();
    const attempt = promise({ signal: abortion.signal });
    abortion.abort();
    return attempt.catch(() => promise());
  }
  return promise({ timeout: 0.1 }).catch(() => block());
}

function ignoreAbort(error) {
  if (error.name !== 'AbortError') throw error;
}

/// Reads, and writes after that: no other has written meanwhile.
async function upgraded(i, lock, table) {
  const reader = await take(i, () => lock.lockUpgradeable(), (options) => lock.lockUpgradeableAsync(options));
  const [seen] = table;
  const writer = await take(i, () => reader.upgrade(), (options) => reader.upgradeAsync(options));
  if (table[0] !== seen || table[1] !== seen) Atomics.add(table, 2, 1);
  return writer;
}

export const familyActions = {
  /// Calls a function of a primitive; gives what it returns, or how many permits those are.
  async call(tell, message, name, ...args) {
    const result = await fromShared(message)[name](...args);
    return typeof result === 'object' ? result.count : result;
  },

  /// The same, and says when it begins.
  async tellAndCall(tell, message, name) {
    tell('called');
    return fromShared(message)[name]();
  },

  /// Calls it, and stops for ever before it wakes those who wait.
  async callUntilNotify(tell, message, name, ...args) {
    const primitive = fromShared(message);
    (await import('./stop_at_notify.js')).stopAtNotify(tell);
    primitive[name](...args);
  },

  /// Unlocks once another waits, and stops for ever before it wakes that.
  async unlockUntilNotify(tell, message) {
    const guard = fromShared(message).lock();
    const { stopAtNotify } = await import('./stop_at_notify.js');
    tell('holds');
    while (Atomics.load(new Int32Array(message.buffer, message.byteOffset), 0) >= 0) await nextTask();
    stopAtNotify(tell);
    guard.unlock();
  },

  /// Locks and unlocks; gives whether it was shared.
  lockAndUnlock(tell, message, name) {
    const guard = fromShared(message)[name]();
    guard.unlock();
    return guard.isShared;
  },

  /// Calls it and forgets it: the worker is ended meanwhile.
  callForEver(tell, message, name, ...args) {
    fromShared(message)[name](...args).catch?.(() => {});
  },

  /// Blocks for permits while a promise of this thread waits for them; then the promise has its turn.
  async blockBehindOwn(tell, message) {
    const semaphore = fromShared(message);
    const promise = semaphore.acquireAsync();
    tell('waits');
    semaphore.acquire().release();
    (await promise).release();
  },

  /// What a message becomes here: its functions, and its place.
  shapeOf(tell, message) {
    const primitive = fromShared(message);
    return [...Object.getOwnPropertyNames(Object.getPrototypeOf(primitive)), primitive.byteOffset].join();
  },

  /// Has permits by turns; the word at `at` counts who has one, and that behind it how often one more than `most` had.
  async contendForPermits(tell, message, rounds, at, most) {
    const semaphore = fromShared(message);
    const users = new Int32Array(semaphore.buffer, at, 2);
    for (let i = 0; i < rounds; ++i) {
      const count = i % 3 === 0 ? most : 1;
      const permits = await take(i, () => semaphore.acquire(count), (options) => semaphore.acquireAsync(count, options));
      if (Atomics.add(users, 0, count) + count > most) Atomics.add(users, 1, 1);
      Atomics.sub(users, 0, count);
      permits.release();
    }
  },

  /// Writes two words one after the other, and reads them to be the same.
  async contendForTable(tell, message, rounds, at) {
    const lock = fromShared(message);
    const table = new Int32Array(lock.buffer, at, 3);
    let written = 0;
    for (let i = 0; i < rounds; ++i) {
      if (i % 3 === 0) {
        const guard = i % 2 === 0 ? await upgraded(i / 3, lock, table) : await take(i / 3, () => lock.lock(), (options) => lock.lockAsync(options));
        table[0] += 1;
        table[1] += 1;
        ++written;
        const reader = i % 2 === 0 ? guard.downgradeToUpgradeable() : guard.downgrade();
        if (table[0] !== table[1]) Atomics.add(table, 2, 1);
        (i % 4 === 0 ? reader.downgrade() : reader).unlock();
      } else {
        const guard = await take(i, () => lock.lockShared(), (options) => lock.lockSharedAsync(options));
        if (table[0] !== table[1]) Atomics.add(table, 2, 1);
        guard.unlock();
      }
    }
    return written;
  },

  /// Upgrades, by blocking or by a promise, and writes 7; gives what it holds then.
  async upgradeAndWrite(tell, message, at, isBlocking) {
    const lock = fromShared(message);
    const table = new Int32Array(lock.buffer, at, 1);
    const held = lock.lockUpgradeable();
    const [seen] = table;
    const writer = isBlocking ? held.upgrade() : await held.upgradeAsync();
    const isSame = table[0] === seen;
    table[0] = 7;
    const again = writer.downgradeToUpgradeable();
    const guards = [held.ownsLock, writer.ownsLock, again.isUpgradeable];
    again.unlock();
    return [isSame, ...guards].join();
  },

  /// Is ended in its upgrade.
  upgradeForEver(tell, message, isBlocking) {
    const held = fromShared(message).lockUpgradeable();
    tell('upgrades');
    if (isBlocking) held.upgrade();
    else held.upgradeAsync().catch(() => {});
  },

  /// Holds it shared, again and again, until the word is set.
  async readUntil(tell, message, at) {
    const lock = new SharedLock(message.buffer, message.byteOffset);
    const isOver = new Int32Array(message.buffer, at, 1);
    tell('reads');
    while (Atomics.load(isOver, 0) === 0) lock.lockShared().unlock();
  },

  /// Waits for so many signals, by blocking or by promises, and answers each.
  async answer(tell, asked, answered, rounds, isBlocking) {
    const event = fromShared(asked);
    const reply = fromShared(answered);
    for (let i = 0; i < rounds; ++i) {
      if (isBlocking) event.wait();
      else await event.waitAsync();
      reply.set();
    }
  },

  /// Takes an item of the count at `at`, if need be after a wait; gives whether the guard holds the lock in the end.
  async consume(tell, lock, changed, at, isBlocking) {
    const items = new Int32Array(lock.buffer, at, 2);
    const condition = new Condition(changed.buffer, changed.byteOffset);
    const guard = await new AsyncLock(lock.buffer, lock.byteOffset).lockAsync();
    tell('locked');
    while (items[0] === 0) {
      if (isBlocking) condition.wait(guard);
      else await condition.waitAsync(guard);
    }
    --items[0];
    ++items[1];
    const owns = guard.ownsLock;
    guard.unlock();
    return owns;
  },

  /// Adds items one by one, or takes as many: by each way to wait, also by one that is aborted, or late.
  async produceOrConsume(tell, lock, changed, at, rounds, isProducer) {
    const items = new Int32Array(lock.buffer, at, 1);
    const own = new AsyncLock(lock.buffer, lock.byteOffset);
    const condition = new Condition(changed.buffer, changed.byteOffset);
    for (let i = 0; i < rounds; ++i) {
      const guard = own.lock();
      if (isProducer) {
        ++items[0];
        condition.notify(1);
      } else {
        // After an aborted wait, too, it looks before it waits again: what was notified of meanwhile has happened.
        while (items[0] === 0)
          await take(i, () => condition.wait(guard), (options) => condition.waitAsync(guard, options).catch(ignoreAbort));
        --items[0];
      }
      guard.unlock();
    }
  },

  /// Sends numbered messages of several lengths, in each way.
  async sendAll(tell, message, sender, count) {
    const channel = fromShared(message);
    for (let number = 0; number < count; ++number) {
      const value = { sender, number, text: 'x'.repeat(number % 40) };
      await take(number, () => channel.send(value), (options) => channel.sendAsync(value, options));
    }
  },

  /// Blocks in the middle of a message.
  sendForEver(tell, { buffer, byteOffset }) {
    class Endless extends Uint8Array {
      subarray() {
        tell('sends');
        wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      }
    }
    new Channel(buffer, byteOffset, { codec: { encode: () => new Endless(1), decode: () => undefined } }).trySend(1);
  },

  /// Gives all messages that it receives, in each way, until the end.
  async receiveAll(tell, message, tells) {
    const channel = fromShared(message);
    const values = [];
    if (tells) tell('begun');
    for (let i = 0; ; ++i) {
      const { value, done } = await take(i, () => channel.receive(), (options) => channel.receiveAsync(options));
      if (done) return values;
      values.push(value);
    }
  },

  /// Gives so many messages.
  async receiveSome(tell, message, count) {
    const channel = fromShared(message);
    return Array.from({ length: count }, () => channel.receive().value);
  },

  /// Works in phases: counts in its own word, and looks whether the others have begun the phase.
  async keepStep(tell, message, rounds, at, mine, participants, isBlocking) {
    const barrier = new Barrier(message.buffer, message.byteOffset);
    const counts = new Int32Array(message.buffer, at, participants);
    let errors = 0;
    for (let phase = 1; phase <= rounds; ++phase) {
      Atomics.add(counts, mine, 1);
      if (isBlocking) barrier.arriveAndWait();
      else await barrier.arriveAndWaitAsync();
      for (let i = 0; i < participants; ++i) {
        const count = Atomics.load(counts, i);
        if (count < phase || count > phase + 1) ++errors;
      }
    }
    return errors;
  },
};
