// SPDX-License-Identifier: MIT
// select: one of the operations has happened, and no other.

import {
  AsyncLock, AutoResetEvent, canBlock, Channel, Event, Latch, notify, select, selectAsync, Semaphore, setCanBlock, SharedLock, toShared, waitAsync,
  waiting, whenSelectable,
} from '../index.js';
import { equal, fails, fresh, isNode, nextTask, stateOf, test, withActors } from './harness.js';

const isChosen = ({ index, value }, expected, what) => {
  equal(index, expected, what);
  return value;
};

/// One of each, none of which is there.
function setUp() {
  const words = new Int32Array(new SharedArrayBuffer(256));
  const { buffer } = words;
  const lock = new AsyncLock(buffer, 0);
  const shared = new SharedLock(buffer, 8);
  const full = new Channel(buffer, 64, { capacity: 16 });
  equal(full.trySend('here'), 'ok');
  return {
    words, buffer, lock, shared, full, held: [lock.tryLock(), shared.tryLock()], permits: new Semaphore(buffer, 16), event: new Event(buffer, 32),
    signal: new AutoResetEvent(buffer, 36), latch: new Latch(buffer, 40, { count: 1 }), empty: new Channel(buffer, 128, { capacity: 16 }),
  };
}

const operationsOf = ({ words, lock, shared, permits, event, signal, latch, empty, full }) => [
  lock.locking(), shared.locking(), permits.acquiring(2), event.waiting(), signal.waiting(), latch.waiting(), waiting(words, 12, 0), empty.receiving(),
  full.sending('more'),
];

const isOk = (value) => equal(value, 'ok');

/// What makes an operation be done, that its value is right, and that others have not happened.
const DOING = [
  ['ALock', ({ held }) => held[0].unlock(), (value) => {
    equal(value.ownsLock, true);
    value.unlock();
  }],
  ['ASharedLock', ({ held }) => held[1].unlock(), (value) => {
    equal(value.isShared, false);
    value.unlock();
  }],
  ['Permits', ({ permits }) => permits.release(3), (value, { permits }) => {
    equal(value.count, 2);
    equal(permits.available, 1);
  }],
  ['AnEvent', ({ event }) => event.set(), isOk],
  ['ASignal', ({ signal }) => signal.set(), (value, { signal }) => {
    isOk(value);
    equal(signal.isSet, false);
  }],
  ['ALatch', ({ latch }) => latch.countDown(), isOk],
  ['AWord', ({ words }) => notify(words, 12, 1), isOk],
  ['AMessage', ({ empty }) => empty.trySend({ a: 1 }), ({ value, done }) => equal(`${value.a} ${done}`, '1 false')],
  ['Room', ({ full }) => full.tryReceive(), (value, { full }) => {
    isOk(value);
    equal(full.tryReceive().value, 'more');
  }],
];

/// All that was not chosen can be had.
async function assertLeft(all, chosen) {
  const others = DOING.filter((_, index) => index !== chosen);
  for (const [, act] of others) act(all);
  await all.lock.lockAsync({ timeout: 10_000 });
  await all.shared.lockAsync({ timeout: 10_000 });  // a waiter that has ended may have left a claim
  equal(all.permits.available >= 1, true, 'the permits');
  equal(all.signal.tryWait(), chosen !== 4, 'the signal');
  equal(all.empty.tryReceive()?.value?.a, chosen === 7 ? undefined : 1, 'the message');
  equal(all.full.tryReceive(), undefined, 'what was not sent');
}

for (const [index, [name, act, check]] of DOING.entries()) {
  test(`ASelectByPromiseChooses${name}AndLeavesTheOthers`, async () => {
    const all = setUp();
    const found = selectAsync(operationsOf(all));
    equal(await stateOf(found), 'pending');
    act(all);
    check(isChosen(await found, index, name), all);
    await assertLeft(all, index);
  });

  test(`ASelectThatNeedNotWaitChooses${name}`, async () => {
    for (const choose of canBlock() ? [select, selectAsync] : [selectAsync]) {
      const all = setUp();
      if (name === 'AWord') all.words[12] = 1;
      else act(all);
      const value = isChosen(await choose(operationsOf(all), { timeout: 0 }), index, name);
      if (name === 'AWord') equal(value, 'not-equal');
      else check(value, all);
      all.words[12] = 0;
      await assertLeft(all, index);
    }
  });
}

test('OfOperationsThatAreReadyOneIsDoneAndEachIsNowAndThen', async () => {
  const found = new Set();
  for (let i = 0; i < 200; ++i) {
    const permits = fresh(Semaphore, { permits: 2 });
    const signal = fresh(AutoResetEvent, { set: true });
    const channel = new Channel(new SharedArrayBuffer(64), 0, { capacity: 16 });
    const operations = [permits.acquiring(2), signal.waiting(), channel.sending(1)];
    const { index } = i % 2 === 0 && canBlock() ? select(operations) : await selectAsync(operations);
    equal(permits.available, index === 0 ? 0 : 2);
    equal(signal.isSet, index !== 1);
    equal(channel.tryReceive()?.value, index === 2 ? 1 : undefined);
    found.add(index);
  }
  equal(found.size, 3);
});

test('ASelectTimesOutOrIsAbortedAndHasDoneNothing', async () => {
  for (const timeout of [0, 1]) {
    const all = setUp();
    equal(isChosen(await selectAsync(operationsOf(all), { timeout }), -1), 'timed-out');
    await assertLeft(all);
  }
  if (canBlock()) {
    const all = setUp();
    equal(isChosen(select(operationsOf(all), { timeout: 0 }), -1), 'timed-out');
    equal(isChosen(select([all.permits.acquiring()], { timeout: 1 }), -1), 'timed-out');
    equal(isChosen(select([waiting(all.words, 12, 0)], { timeout: 1 }), -1), 'timed-out');
    equal(isChosen(select([all.lock.locking()], { timeout: 1 }), -1), 'timed-out');
    await assertLeft(all);
  }
  const all = setUp();
  const controller = new AbortController();
  const found = selectAsync(operationsOf(all), { signal: controller.signal });
  const reason = new RangeError('enough');
  controller.abort(reason);
  equal(await fails(() => found, 'RangeError'), reason);
  equal(await fails(() => selectAsync(operationsOf(all), { signal: controller.signal }), 'RangeError'), reason);
  await assertLeft(all);
});

test('AnAbortAfterTheChoiceDoesNotTakeItBack', async () => {
  const event = fresh(Event);
  const semaphore = fresh(Semaphore);
  const controller = new AbortController();
  const found = selectAsync([event.waiting(), semaphore.acquiring()], { signal: controller.signal });
  const behind = semaphore.acquireAsync();
  event.set();
  equal(isChosen(await found, 0), 'ok');
  controller.abort();
  semaphore.release();
  equal((await behind).count, 1);
});

test('AnOperationCanBeUsedAgainAlsoByTwoSelectsAtOnce', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  const held = lock.tryLock();
  const operation = lock.locking();
  const founds = [selectAsync([operation]), selectAsync([operation])];
  equal(await stateOf(founds[0]), 'pending');
  held.unlock();
  const first = isChosen(await Promise.race(founds), 0);
  equal(first.ownsLock, true);
  first.unlock();
  const guards = (await Promise.all(founds)).map(({ value }) => value);
  equal(guards.filter(({ ownsLock }) => ownsLock).length, 1);
  guards.find(({ ownsLock }) => ownsLock).unlock();

  const event = fresh(Event, { set: true });
  const again = event.waiting();
  for (let i = 0; i < 3; ++i) equal(isChosen(await selectAsync([again]), 0), 'ok');
});

test('WhatReachesASelectThatIsOverGoesToTheNextWaiter', async () => {
  const words = new Int32Array(new SharedArrayBuffer(16));
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  const held = lock.tryLock();
  const event = fresh(Event);
  const found = selectAsync([waiting(words, 1, 0), lock.locking(), event.waiting()]);
  const behindWord = waitAsync(words, 1, 0).value;
  const behindLock = lock.lockAsync();
  equal(await stateOf(found), 'pending');
  event.set();
  isChosen(await found, 2);
  notify(words, 1, 1);
  equal(await behindWord, 'ok');
  held.unlock();
  (await behindLock).unlock();
});

/// A select that has left its place in the queue of an element, and one that has that place again.
async function selectAgain() {
  const words = new Int32Array(new SharedArrayBuffer(16));
  const event = fresh(Event);
  const next = () => selectAsync([waiting(words, 1, 0), event.waiting()]);
  const over = next();
  event.set();
  isChosen(await over, 1);
  event.reset();
  const found = next();
  equal(await stateOf(found), 'pending');
  return { words, found };
}

test('ASelectThatIsOverLeavesItsPlaceInTheQueueOfAnElementToTheNext', async () => {
  const words = new Int32Array(new SharedArrayBuffer(16));
  const signals = fresh(AutoResetEvent);
  const next = () => selectAsync([waiting(words, 1, 0), signals.waiting()]);
  for (let i = 0; i < 10; ++i) {
    const found = next();
    signals.set();
    isChosen(await found, 1);
  }
  const both = [next(), next()];
  equal(await stateOf(both[1]), 'pending');
  equal(notify(words, 1), Atomics.waitAsync ? 2 : 12);  // sleepers are not used again
  for (const found of both) equal(isChosen(await found, 0), 'ok');
});

test('ANotifyBeforeASelectThatGetsAPlaceAgainIsForThoseBehindThatPlace', async () => {
  const words = new Int32Array(new SharedArrayBuffer(16));
  const event = fresh(Event);
  const over = selectAsync([waiting(words, 1, 0), event.waiting()]);
  const behind = waitAsync(words, 1, 0).value;
  event.set();
  isChosen(await over, 1);
  event.reset();

  equal(notify(words, 1, 1), 1);
  const found = selectAsync([waiting(words, 1, 0), event.waiting()]);
  equal(await behind, 'ok');
  equal(await stateOf(found), 'pending');

  notify(words, 1, 1);
  equal(isChosen(await found, 0), 'ok');
});

test('ANotifyReachesASelectThatHasAPlaceAgainAndNoneThatComesAfterTheNotify', async () => {
  if (!Atomics.waitAsync) return;  // a sleeper is not used again
  const { words, found } = await selectAgain();

  notify(words, 1);
  const later = waitAsync(words, 1, 0).value;
  equal(isChosen(await found, 0), 'ok');
  equal(await stateOf(later), 'pending');
  equal(notify(words, 1), 1);
  equal(await later, 'ok');
});

test('AnElementThatChangesEndsASelectThatHasAPlaceAgain', async () => {
  const { words, found } = await selectAgain();
  words[1] = 1;
  equal(notify(words, 1, 1), 1);
  equal(isChosen(await found, 0), 'ok');
});

test('ASmallRequestIsServedWhenASelectBeforeItIsOver', async () => {
  const permits = fresh(Semaphore, { permits: 1 });
  const event = fresh(Event);
  const found = selectAsync([permits.acquiring(2), event.waiting()]);
  const small = permits.acquireAsync(1);
  equal(await stateOf(small), 'pending');
  event.set();
  isChosen(await found, 1);
  equal((await small).count, 1);
});

test('SelectsOfTheSameObjectsChooseEachSignalOnce', async () => {
  const signals = [fresh(AutoResetEvent), fresh(AutoResetEvent)];
  const founds = Array.from({ length: 10 }, (_, i) => selectAsync((i % 2 === 0 ? signals : [...signals].reverse()).map((one) => one.waiting())));
  let settled = 0;
  for (const found of founds) found.then(() => ++settled);
  for (let i = 0; i < 10; ++i) {
    equal(await stateOf(founds[0]).then(() => settled), i);
    signals[Math.floor(i / 3) % 2].set();
    while (settled === i) await nextTask();
  }
  equal(settled, 10);
  equal(signals.some(({ isSet }) => isSet), false);
});

test('ASelectWithTheCodecsOfChannels', async () => {
  const codec = { encode: (value) => new Uint8Array([value]), decode([value]) { if (value === 7) throw new RangeError('seven'); return value; } };
  const channel = new Channel(new SharedArrayBuffer(Channel.byteLengthFor(32)), 0, { capacity: 32, codec });
  const bytes = new Uint8Array([5]);
  const plain = new Channel(channel.buffer);
  const sending = plain.sending(bytes);
  bytes[0] = 6;  // encoded already
  isOk(isChosen(await selectAsync([sending]), 0));
  equal(isChosen(await selectAsync([channel.receiving()]), 0).value, 5);
  equal(channel.trySend(7), 'ok');
  await fails(() => selectAsync([channel.receiving()]), 'RangeError', /^seven$/);
  channel.close();
  equal(isChosen(await selectAsync([channel.receiving()]), 0).done, true);
  equal(isChosen(await selectAsync([channel.sending(1)]), 0), 'closed');
  await fails(() => plain.sending('x'.repeat(40)), 'RangeError', /^Channel.sending: the message has 40 bytes/);
});

test('MisuseOfSelectIsRefused', async () => {
  const event = fresh(Event);
  const semaphore = fresh(Semaphore);
  await fails(() => selectAsync(event.waiting()), 'TypeError', /^selectAsync: operations must be an array, not Object/);
  await fails(() => selectAsync([]), 'TypeError', /^selectAsync: operations must have one at least/);
  await fails(() => selectAsync([event]), 'TypeError', /^selectAsync: operations\[0\] must be an operation such as lock.locking\(\), not Object/);
  await fails(() => selectAsync([event.waiting(), undefined]), 'TypeError', /operations\[1\]/);
  await fails(() => selectAsync([event.waiting()], { size: 1 }), 'TypeError', /^selectAsync: options.size is none of timeout/);
  await fails(() => semaphore.acquiring(0), 'RangeError', /^Semaphore.acquiring: count/);
  await fails(() => waiting(new Int32Array(1), 0, 0), 'TypeError', /^waiting: typedArray.buffer must be SharedArrayBuffer/);
  await fails(() => waiting(new Int32Array(new SharedArrayBuffer(4)), 9, 0), 'RangeError', /^waiting: index/);
  await fails(() => AsyncLock.prototype.locking.call({}), 'TypeError', /^AsyncLock: this must be AsyncLock/);
  await fails(() => Event.prototype.waiting.call({}), 'TypeError', /^Event.waiting: this must be Event/);
  const mayBlock = canBlock();
  setCanBlock(false);
  try {
    await fails(() => select([event.waiting()]), 'TypeError', /^select: this thread may not block; use selectAsync/);
  } finally {
    if (mayBlock) setCanBlock(true);
  }
  if (mayBlock) await fails(() => select([event.waiting()], { signal: new AbortController().signal }), 'TypeError', /^select: options.signal/);
});

test('WithoutWaitAsyncAThreadBlocksForOneOperationOnly', async () => {
  if (Atomics.waitAsync !== undefined || !canBlock()) return;
  const [event, other] = [fresh(Event), fresh(Event)];
  equal(await whenSelectable(), false);
  await fails(() => select([event.waiting(), other.waiting()]), 'Error', /^select: to block for several .* use selectAsync/);
  equal(isChosen(select([event.waiting()], { timeout: 1 }), -1), 'timed-out');
  event.set();
  isOk(isChosen(select([event.waiting(), other.waiting()]), 0));
});

/// Whether threads can block in a select: the actor is asked, for a page cannot.
const ifBlocking = (count, use) => withActors(count, async (...actors) => {
  if (await actors[0].run('isSelectable')) await use(...actors);
});

for (const [index, [name, act]] of DOING.entries()) {
  test(`AThreadThatBlocksChooses${name}`, () => ifBlocking(1, async (actor) => {
    const all = setUp();
    const chosen = actor.run('selectAll', all.buffer);
    let isOver = false;
    chosen.finally(() => { isOver = true; }).catch(() => {});
    await actor.told('begins');
    equal(await stateOf(chosen), 'pending');
    // A notify finds the word's wait once that is queued.
    if (name === 'AWord') while (!isOver && notify(all.words, 12, 1) === 0) await nextTask();
    else act(all);
    equal(await chosen, index);
    if (name === 'Room') equal(all.full.tryReceive().value, 'more');
    await assertLeft(all, index);
  }));
}

test('AThreadThatBlocksTimesOutAndLeavesAll', () => ifBlocking(1, async (actor) => {
  const all = setUp();
  for (let i = 0; i < 3; ++i) equal(await actor.run('selectAll', all.buffer, 1), -1);
  const behind = all.lock.lockAsync();
  const word = waitAsync(all.words, 12, 0).value;
  all.held[0].unlock();
  (await behind).unlock();
  notify(all.words, 12, 1);
  equal(await word, 'ok');
  await assertLeft({ ...all, held: [{ unlock() {} }, all.held[1]] });
}));

test('AThreadThatEndsWhileItSelectsTakesNothingWithIt', () => withActors(2, async (first, second) => {
  if (!isNode) return;  // elsewhere it is not known when the thread has ended
  for (const [actor, name] of [[first, 'selectAll'], [second, 'selectAllAsync']]) {
    const all = setUp();
    actor.run(name, all.buffer).catch(() => {});
    await actor.told('begins');
    for (let i = 0; i < 10; ++i) await nextTask();
    await actor.end();
    await assertLeft(all);
  }
}));

test('WhatThreadsSelectAmongIsConserved', () => withActors(3, async (...actors) => {
  const permits = fresh(Semaphore, { permits: 2 });
  const channel = new Channel(new SharedArrayBuffer(Channel.byteLengthFor(64)), 0, { capacity: 64 });
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  const counts = new Int32Array(new SharedArrayBuffer(16));
  const signals = fresh(AutoResetEvent);
  const parts = [permits, lock, channel, signals].map(toShared);
  const ends = actors.map((actor, i) => actor.run('contendInSelect', parts, counts.buffer, 1 + i));
  const never = fresh(Event);
  const MESSAGES = 300;
  let sent = 0;
  for (let i = 0; sent < MESSAGES; ++i) {
    const found = await selectAsync([channel.sending(sent), never.waiting()], i % 3 === 0 ? { timeout: 0.1 } : {});
    if (found.index === 0) ++sent;
    if (i % 5 === 0) signals.set();
    if (i % 10 === 0) await nextTask();
  }
  channel.close();
  const results = await Promise.all(ends);
  const received = results.flatMap(({ messages }) => messages);
  equal(received.length, MESSAGES, 'messages');
  equal(new Set(received).size, MESSAGES, 'different messages');
  equal(permits.available, 2, 'permits');
  equal(counts[1], 0, 'too many users');
  equal(counts[2], results.reduce((sum, { locked }) => sum + locked, 0), 'what the lock protects');
  const guard = await lock.lockAsync({ timeout: 5000 });
  guard.unlock();
  equal((await permits.acquireAsync(2, { timeout: 5000 })).count, 2);
}));
