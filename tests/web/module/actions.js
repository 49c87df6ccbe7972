// SPDX-License-Identifier: MIT
// Functions of the actors. Memory is given as addresses; each thread has a buffer object of its own.

export function actionsOf({ wait, waitAsync, notify, AsyncLock, canBlock, setCanBlock, waiters }, Module) {
  const wordsAt = (address, length = 4) => new Int32Array(Module.HEAP32.buffer, address, length);
  const lockAt = (address, options) => new AsyncLock(Module.HEAP32.buffer, address, options);
  const nameOf = (run) => {
    try {
      return run();
    } catch (error) {
      return `${error.code ?? error.name}: ${error.message}`;
    }
  };

  const increase = (address) => {
    const counter = wordsAt(address, 1);
    const value = counter[0];  // not atomic: the lock excludes the others
    counter[0] = value + 1;
  };

  return {
    canBlock,
    wait: (address, value, timeout) => wait(wordsAt(address), 0, value, timeout),
    waitWide: (address, value) => wait(new BigInt64Array(Module.HEAP32.buffer, address, 1), 0, value),
    waitAsync: (address, value, timeout) => waitAsync(wordsAt(address), 0, value, timeout).value,
    notify: (address, count) => notify(wordsAt(address), 0, count),

    /// What `wait` and `lock` say while the thread forbids itself to block.
    forbid(address) {
      setCanBlock(false);
      const said = [nameOf(() => wait(wordsAt(address), 0, 0)), nameOf(() => lockAt(address).lock()), canBlock()];
      setCanBlock(true);
      return [...said, canBlock()];
    },

    /// What a lock says that this thread holds.
    lockTwice(address) {
      const guard = lockAt(address).lock();
      const said = [
        nameOf(() => lockAt(address).lock()), nameOf(() => lockAt(address).lock({ timeout: 1 })),
        nameOf(() => lockAt(address).lock({ signal: new AbortController().signal })), guard.ownsLock,
      ];
      guard.unlock();
      return [...said, guard.ownsLock, nameOf(() => guard.unlock())];
    },

    lock: (address) => void lockAt(address).lock(),
    unlock: (address) => nameOf(() => lockAt(address).unlock()),
    lockAndUnlock: (address) => lockAt(address).lock().unlock(),

    /// Locks and unlocks in each way, by turns.
    async contend(lockAddress, counter, rounds) {
      const lock = lockAt(lockAddress);
      for (let i = 0; i < rounds; ++i) {
        if (i % 4 === 0) {
          await lock.executeLocked(() => increase(counter));
        } else if (i % 4 === 1) {
          const abortion = new AbortController();
          const attempt = lock.lockAsync({ signal: abortion.signal }).then((guard) => {
            increase(counter);
            guard.unlock();
          });
          abortion.abort();
          await attempt.catch(() => lock.executeLocked(() => increase(counter)));
        } else if (i % 4 === 2) {
          const guard = await lock.lockAsync({ timeout: 0.1 }).catch(() => lock.lock());
          increase(counter);
          guard.unlock();
        } else {
          lock.lock();
          increase(counter);
          lock.unlock();
        }
      }
    },

    /// The thread ends with a promise that is pending.
    endThread(address) {
      waitAsync(wordsAt(address), 0, 0).value.catch(({ message }) => {
        new BroadcastChannel('ended').postMessage({ key: 'ended', value: message });
      });
      return waiters(wordsAt(address), 0).length;
    },
  };
}
