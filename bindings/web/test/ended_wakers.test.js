// SPDX-License-Identifier: MIT
// Threads that end between a change and the wake-up for it. The waiters are served all the same, for each checks once a second.

import {
  AsyncLock, AutoResetEvent, Barrier, Channel, Condition, Event, Latch, selectAsync, Semaphore, SharedLock, toShared,
} from '../index.js';
import { equal, fresh, nextTask, startActor, test, withActors } from './harness.js';

/// Calls the function in a thread that ends just before it wakes those who wait.
async function endAmid(primitive, name, ...args) {
  const actor = await startActor({ stopsAtNotify: true });
  actor.run('callUntilNotify', toShared(primitive), name, ...args).catch(() => {});
  await actor.told('stops');
  actor.end();
}

/// A promise waits, and a thread that blocks; the other one ends when both do.
async function inBoth(primitive, name, change, isReady = () => true) {
  const word = new Int32Array(primitive.buffer, primitive.byteOffset, 1);
  await withActors(1, async (actor) => {
    const waits = primitive[`${name}Async`]();
    const blocks = actor.run('tellAndCall', toShared(primitive), name);
    await actor.told('called');
    while (!isReady(Atomics.load(word, 0))) await nextTask();
    await endAmid(primitive, ...change);
    await Promise.all([waits, blocks]);
  });
}

test('AThreadThatEndsBeforeItsWakeUpLeavesNoWaiterAsleep', () => Promise.all([
  inBoth(fresh(Event), 'wait', ['set']),
  inBoth(fresh(Latch, { count: 1 }), 'wait', ['countDown']),
  inBoth(fresh(Semaphore), 'acquire', ['release', 2]),
  inBoth(fresh(Barrier, { participants: 3 }), 'arriveAndWait', ['arrive'], (word) => (word & 0xffff) === 1),
]));

test('AThreadThatEndsBeforeItsWakeUpLeavesNoPromiseAsleep', () => Promise.all([
  async () => {
    const signal = fresh(AutoResetEvent);
    const waits = signal.waitAsync();
    await endAmid(signal, 'set');
    equal(await waits, 'ok');
  },
  async () => {
    const channel = new Channel(new SharedArrayBuffer(Channel.byteLengthFor(64)), 0, { capacity: 64 });
    const waits = channel.receiveAsync();
    await endAmid(channel, 'trySend', 7);
    equal((await waits).value, 7);
  },
  async () => {
    const lock = new AsyncLock(new SharedArrayBuffer(4));
    const condition = fresh(Condition);
    const waits = condition.waitAsync(await lock.lockAsync());
    await endAmid(condition, 'notify');
    equal(await waits, 'ok');
  },
  async () => {
    // The thread ends when it has unlocked.
    const lock = fresh(SharedLock);
    const actor = await startActor({ stopsAtNotify: true });
    const unlocks = actor.run('unlockUntilNotify', toShared(lock));
    unlocks.catch(() => {});
    await actor.told('holds');
    const waits = lock.lockAsync();
    await actor.told('stops');
    actor.end();
    (await waits).unlock();
  },
  async () => {
    const events = [fresh(Event), fresh(Event)];
    const waits = selectAsync(events.map((event) => event.waiting()));
    await endAmid(events[1], 'set');
    equal((await waits).index, 1);
  },
].map((run) => run())));

test('AThreadThatEndsBeforeItsWakeUpLeavesNoSelectAsleep', () => withActors(1, async (actor) => {
  if (!await actor.run('isSelectable')) return;
  const events = [fresh(Event), fresh(Event)];
  const blocks = actor.run('selectEvent', events.map(toShared));
  await actor.told('begins');
  await endAmid(events[1], 'set');
  equal(await blocks, 1);
}));
