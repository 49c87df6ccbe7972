// SPDX-License-Identifier: MIT
'use strict';

// Every primitive in one form, for tests of all ways to wait.
//
//   attempt()      the try, if there is one
//   block(options) waits as a thread that blocks, if one thread alone can
//   wait(options)  waits by promise
//   occupy()       makes those wait that come next
//   free()         lets one of them go on, and undoes `occupy`
//   finish(value)  undoes what `attempt`, `block` or `wait` has done, given its value
//   most           how many may wait at once, if that is limited
//   isPatient      whether `block` waits for nothing that another thread does, so that it is never late

const {
  AsyncLock, SharedLock, Semaphore, Event, AutoResetEvent, Latch, Barrier, Condition, Channel, changes, notify, select,
  selectAsync, wait, waitAsync, waiters = () => [], waiting,
} = require(process.env.FUTON_PACKAGE ?? '../..');

const memory = (bytes = 64) => new SharedArrayBuffer(bytes);

function lockKind() {
  const lock = new AsyncLock(memory());
  let held;
  return {
    attempt: () => lock.tryLock(),
    block: (options) => lock.lock(options),
    wait: (options) => lock.lockAsync(options),
    occupy: () => (held = lock.lock()),
    free: () => held.unlock(),
    finish: (guard) => guard.unlock(),
  };
}

function executeKind() {
  const lock = new AsyncLock(memory());
  let held;
  return {
    wait: (options) => lock.executeLocked(() => 7, options),
    occupy: () => (held = lock.lock()),
    free: () => held.unlock(),
    finish: () => {},
  };
}

function sharedLockKind(verb) {
  const lock = new SharedLock(memory());
  let held;
  return {
    attempt: () => lock[`tryL${verb.slice(1)}`](),
    block: (options) => lock[verb](options),
    wait: (options) => lock[`${verb}Async`](options),
    occupy: () => (held = lock.lock()),
    free: () => (held = held.downgrade()).unlock(),
    finish: (guard) => guard.unlock(),
  };
}

function upgradeKind() {
  const lock = new SharedLock(memory());
  let held = lock.lockUpgradeable();
  let reader;
  return {
    attempt: () => held.tryUpgrade(),
    block: (options) => held.upgrade(options),
    wait: (options) => held.upgradeAsync(options),
    occupy: () => (reader = lock.lockShared()),
    free: () => reader.unlock(),
    finish: (writer) => (held = writer.downgradeToUpgradeable()),
    most: 1,
  };
}

function semaphoreKind() {
  const semaphore = new Semaphore(memory(), 0, { permits: 2 });
  let held;
  return {
    attempt: () => semaphore.tryAcquire(2),
    block: (options) => semaphore.acquire(2, options),
    wait: (options) => semaphore.acquireAsync(2, options),
    occupy: () => (held = semaphore.acquire()),
    free: () => held.release(),
    finish: (permits) => permits.release(),
  };
}

function eventKind() {
  const event = new Event(memory(), 0, { set: true });
  return {
    attempt: () => event.tryWait(),
    block: (options) => event.wait(options),
    wait: (options) => event.waitAsync(options),
    occupy: () => event.reset(),
    free: () => event.set(),
    finish: () => {},
  };
}

function signalKind() {
  const signal = new AutoResetEvent(memory(), 0, { set: true });
  return {
    attempt: () => signal.tryWait(),
    block: (options) => signal.wait(options),
    wait: (options) => signal.waitAsync(options),
    occupy: () => signal.reset(),
    free: () => signal.set(),
    finish: () => signal.set(),
  };
}

/// A latch opens once: each round makes another, in memory of its own.
function latchKind() {
  const fresh = (count) => new Latch(memory(4), 0, { count });
  let latch = fresh(1);
  latch.countDown();
  return {
    attempt: () => latch.tryWait(),
    block: (options) => fresh(2).arriveAndWait(2, options),
    isPatient: true,
    wait: (options) => latch.waitAsync(options),
    occupy: () => (latch = fresh(1)),
    free: () => latch.countDown(),
    finish: () => {},
  };
}

/// Each phase needs the arrival of the one that waits, and where it is to wait, another.
function barrierKind() {
  const [alone, barrier] = [1, 2].map((participants) => new Barrier(memory(), 0, { participants }));
  let now = alone;
  return {
    block: (options) => alone.arriveAndWait(options),
    isPatient: true,
    wait: (options) => now.arriveAndWaitAsync(options),
    occupy: () => (now = barrier),
    free: () => {
      now.arrive();
      now = alone;
    },
    finish: () => {},
    most: 1,
  };
}

/// A wait at a condition has the lock before and after.
function conditionKind() {
  const lock = new AsyncLock(memory());
  const condition = new Condition(lock.buffer, 8);
  let isOccupied = false;
  return {
    wait(options) {
      const guard = lock.lock();
      const waits = condition.waitAsync(guard, options);
      if (!isOccupied) condition.notify();
      return waits.finally(() => guard.unlock());
    },
    occupy: () => (isOccupied = true),
    free: () => {
      condition.notify();
      isOccupied = false;
    },
    finish: () => {},
    most: 1,
  };
}

const channelOf = (capacity) => new Channel(memory(Channel.byteLengthFor(capacity)), 0, { capacity });
const MESSAGE = { a: [1, 'two', null] };

function receiveKind() {
  const channel = channelOf(64);
  const send = () => channel.trySend(MESSAGE);
  send();
  return {
    attempt: () => channel.tryReceive(),
    block: (options) => channel.receive(options),
    wait: (options) => channel.receiveAsync(options),
    occupy: () => channel.tryReceive(),
    free: send,
    finish: send,
  };
}

function sendKind() {
  const channel = channelOf(32);
  const receive = () => channel.tryReceive();
  return {
    attempt: () => channel.trySend(MESSAGE),
    block: (options) => channel.send(MESSAGE, options),
    wait: (options) => channel.sendAsync(MESSAGE, options),
    occupy: () => channel.trySend(MESSAGE),
    free: receive,
    finish: receive,
  };
}

function selectKind() {
  const [lock, permits, event] = [new AsyncLock(memory()), new Semaphore(memory()), new Event(memory())];
  const words = new Int32Array(memory());
  const channel = channelOf(32);
  const all = () => [lock.locking(), permits.acquiring(), event.waiting(), waiting(words, 0, 0), channel.receiving()];
  const kept = all();
  let held;
  return {
    block: (options) => select(kept, options),
    wait: (options) => selectAsync(all(), options),
    occupy: () => (held = lock.lock()),
    free: () => held.unlock(),
    finish: ({ index, value }) => index === 0 && value.unlock(),
  };
}

function wordKind() {
  const words = new Int32Array(memory());
  const expected = () => (words[1] === 0 ? 1 : 0);  // it is 0
  return {
    block: (options) => wait(words, 0, expected(), options),
    wait: async (options) => waitAsync(words, 0, expected(), undefined, options).value,
    occupy: () => (words[1] = 1),
    free: () => {
      notify(words, 0);
      words[1] = 0;
    },
    finish: () => {},
  };
}

/// Each wait is the second step of an iterator.
function changesKind() {
  const words = new Int32Array(memory());
  const change = () => {
    words[0] = words[0] + 1;
    notify(words, 0);
  };
  return {
    async wait(options) {
      const values = changes(words, 0, options?.signal && { signal: options.signal });
      await values.next();
      const next = values.next();
      if (words[1] === 0) change();
      return next;
    },
    occupy: () => (words[1] = 1),
    free: () => {
      change();
      words[1] = 0;
    },
    finish: () => {},
    most: 0,
  };
}

module.exports = {
  waiters,
  kinds: {
    AsyncLock: lockKind,
    executeLocked: executeKind,
    'SharedLock.lock': () => sharedLockKind('lock'),
    'SharedLock.lockShared': () => sharedLockKind('lockShared'),
    'SharedLock.lockUpgradeable': () => sharedLockKind('lockUpgradeable'),
    'SharedLock.upgrade': upgradeKind,
    Semaphore: semaphoreKind,
    Event: eventKind,
    AutoResetEvent: signalKind,
    Latch: latchKind,
    Barrier: barrierKind,
    Condition: conditionKind,
    'Channel.receive': receiveKind,
    'Channel.send': sendKind,
    select: selectKind,
    waitAsync: wordKind,
    changes: changesKind,
  },
};
