// SPDX-License-Identifier: MIT
// What the workers of select.test.js do. `tell` sends a message meanwhile.

import {
  AsyncLock, AutoResetEvent, Channel, Event, fromShared, Latch, select, selectAsync, Semaphore, SharedLock, waiting, whenSelectable,
} from '../index.js';

/// One of each, as setUp of select.test.js has placed them.
const operationsAt = (buffer) => [
  new AsyncLock(buffer, 0).locking(), new SharedLock(buffer, 8).locking(), new Semaphore(buffer, 16).acquiring(2), new Event(buffer, 32).waiting(),
  new AutoResetEvent(buffer, 36).waiting(), new Latch(buffer, 40).waiting(), waiting(new Int32Array(buffer), 12, 0),
  new Channel(buffer, 128).receiving(), new Channel(buffer, 64).sending('more'),
];

/// Gives back what was taken; which it was.
function giveBack({ index, value }) {
  if (index === 0 || index === 1) value.unlock();
  if (index === 2) value.release();
  return index;
}

export const selectActions = {
  isSelectable: () => whenSelectable(),

  selectAll(tell, buffer, timeout) {
    const operations = operationsAt(buffer);
    if (timeout === undefined) tell('begins');
    return giveBack(select(operations, { timeout }));
  },

  /// Which event is set first.
  selectEvent(tell, messages) {
    const operations = messages.map((message) => fromShared(message).waiting());
    tell('begins');
    return select(operations).index;
  },

  async selectAllAsync(tell, buffer) {
    const operations = operationsAt(buffer);
    tell('begins');
    return giveBack(await selectAsync(operations));
  },

  /// Selects in each way, also by selects that are aborted or time out, until the channel is closed and empty.
  async contendInSelect(tell, parts, memory, seed) {
    const [permits, lock, channel, signals] = parts.map(fromShared);
    const counts = new Int32Array(memory);
    const mayBlock = await whenSelectable();
    const random = () => (seed = seed * 48271 % 2147483647) / 2147483647;
    const messages = [];
    let locked = 0;
    const done = [
      (held) => {
        if (Atomics.add(counts, 0, held.count) + held.count > 2) Atomics.add(counts, 1, 1);
        Atomics.sub(counts, 0, held.count);
        held.release();
      },
      (held) => {
        const seen = counts[2];  // not atomic: the lock excludes the others
        ++locked;
        counts[2] = seen + 1;
        held.unlock();
      },
      (received) => {
        if (received.done) return true;
        messages.push(received.value);
        return false;
      },
      () => false,
    ];
    const choose = async (operations) => {
      const way = random();
      if (way < 0.3 && mayBlock) return select(operations, way < 0.1 ? { timeout: 0.1 } : {});
      if (way < 0.5) return selectAsync(operations, { timeout: random() });
      if (way < 0.7) {
        const abortion = new AbortController();
        const attempt = selectAsync(operations, { signal: abortion.signal });
        if (random() < 0.5) await null;
        abortion.abort();
        return attempt.catch((error) => {
          if (error.name !== 'AbortError') throw error;
          return { index: -1 };
        });
      }
      return selectAsync(operations);
    };
    while (true) {
      const which = [0, 1, 3].filter(() => random() < 0.4);
      which.splice(Math.floor(random() * (which.length + 1)), 0, 2);
      const all = [permits.acquiring(random() < 0.3 ? 2 : 1), lock.locking(), channel.receiving(), signals.waiting()];
      const { index, value } = await choose(which.map((i) => all[i]));
      if (index >= 0 && done[which[index]](value)) return { messages, locked };
    }
  },
};
