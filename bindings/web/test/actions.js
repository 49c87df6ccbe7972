// SPDX-License-Identifier: MIT
// What the workers of the tests do. `tell` sends a message meanwhile.

import { AsyncLock, canBlock, notify, wait, waitAsync, whenWatched } from '../index.js';
import { familyActions } from './family_actions.js';
import { selectActions } from './select_actions.js';

/// Blocks this thread, whatever it has pending, until the first word is not zero.
function blockUntilSet(buffer, at) {
  const word = new Int32Array(buffer, at, 1);
  while (Atomics.load(word, 0) === 0) wait(word, 0, 0);
}

function increase(buffer) {
  const counter = new Int32Array(buffer, 8, 1);
  const value = counter[0];  // not atomic: the lock excludes the others
  counter[0] = value + 1;
}

export const actions = {
  ...familyActions,
  ...selectActions,

  wait: (tell, buffer, value, timeout) => wait(new Int32Array(buffer), 0, value, timeout),

  /// Notifies until that many waiters were woken.
  notify(tell, buffer, count) {
    for (let woken = 0; woken < count;) woken += notify(new Int32Array(buffer), 0, count - woken);
  },

  /// Changes the word, and notifies.
  change(tell, buffer, from) {
    Atomics.store(new Int32Array(buffer), 0, from + 1);
    notify(new Int32Array(buffer), 0);
  },

  /// Locks and unlocks in each way, by turns.
  async contend(tell, buffer, rounds, options) {
    const lock = new AsyncLock(buffer, 0, options);
    for (let i = 0; i < rounds; ++i) {
      if (i % 4 === 0) {
        await lock.executeLocked(() => increase(buffer));
      } else if (i % 4 === 1) {
        const abortion = new AbortController();
        const attempt = lock.lockAsync({ signal: abortion.signal }).then((guard) => {
          increase(buffer);
          guard.unlock();
        });
        abortion.abort();
        await attempt.catch(() => lock.executeLocked(() => increase(buffer)));
      } else if (i % 4 === 2) {
        const guard = await lock.lockAsync({ timeout: 0.1 }).catch(() => lock.lock());
        increase(buffer);
        guard.unlock();
      } else {
        lock.lock();
        increase(buffer);
        lock.unlock();
      }
    }
  },

  /// Only by blocking.
  contendBlocking(tell, buffer, rounds, options) {
    const lock = new AsyncLock(buffer, 0, options);
    for (let i = 0; i < rounds; ++i) {
      lock.lock();
      increase(buffer);
      lock.unlock();
    }
  },

  /// Has a promise in the queue of a lock that is held, then blocks until the word at 16 is set.
  async queueAndBlock(tell, buffer) {
    const lock = new AsyncLock(buffer);
    const promise = lock.lockAsync();
    tell('queued');
    blockUntilSet(buffer, 16);
    const guard = await promise;
    guard.unlock();
    return true;
  },

  /// Blocks for the lock while promises of this thread are queued before it, one of them given up.
  async lockBehindOwn(tell, buffer) {
    const lock = new AsyncLock(buffer);
    const abortion = new AbortController();
    const aborted = lock.lockAsync({ signal: abortion.signal }).catch((error) => error.name);
    const promise = lock.executeLocked(() => increase(buffer));
    abortion.abort();
    tell('queued');
    const guard = lock.lock();
    increase(buffer);
    guard.unlock();
    await promise;
    return aborted;
  },

  /// Blocks for the lock when it has just been handed to a promise of this thread that was aborted.
  async lockAmidAborted(tell, buffer) {
    const lock = new AsyncLock(buffer);
    const guard = lock.lock();
    const abortion = new AbortController();
    const aborted = lock.lockAsync({ signal: abortion.signal }).catch((error) => error.name);
    abortion.abort();
    await aborted;
    const bell = new Int32Array(new SharedArrayBuffer(4));
    const locked = waitAsync(bell, 0, 0).value.then(() => lock.lock().unlock());
    guard.unlock();
    notify(bell, 0);  // V8 settles both promises in one task
    await locked;
    return aborted;
  },

  /// Holds the lock until the word at 16 is set; sets that at 20 when it has it.
  hold(tell, buffer) {
    const guard = new AsyncLock(buffer).lock();
    Atomics.store(new Int32Array(buffer), 5, 1);
    tell('held');
    blockUntilSet(buffer, 16);
    guard.unlock();
  },

  holdForEver(tell, buffer) {
    new AsyncLock(buffer).lock();
    tell('held');
    wait(new Int32Array(buffer), 15, 0);
  },

  isWatched: () => whenWatched(),

  /// Holds the lock; ends when the word at 60 is set.
  async holdUntilTheEnd(tell, buffer) {
    await whenWatched();
    new AsyncLock(buffer).lock();
    tell('held');
    blockUntilSet(buffer, 60);
    close();
  },

  /// Unlocks when the word at 60 is set, has woken no one when it tells so, waits for the word at 56, and stops for ever before it wakes
  /// a waiter that was queued meanwhile.
  async takeBackAndStop(tell, buffer) {
    await whenWatched();
    const guard = new AsyncLock(buffer).lock();
    const { stopAtNotify } = await import('./stop_at_notify.js');
    tell('held');
    blockUntilSet(buffer, 60);
    stopAtNotify(tell, () => {
      tell('offers');
      blockUntilSet(buffer, 56);
    });
    guard.unlock();
  },

  /// Whether the lock was abandoned, as it says twice, when it is this thread's.
  lockAbandoned(tell, buffer) {
    const lock = new AsyncLock(buffer);
    tell('waits');
    const guard = lock.lock();
    const found = `${guard.wasAbandoned}, ${lock.wasAbandoned}`;
    guard.unlock();
    return found;
  },

  canBlock: () => canBlock(),
};
