// SPDX-License-Identifier: MIT
// Event, AutoResetEvent, Latch and Barrier, and what all primitives have in common.

import {
  AsyncLock, AutoResetEvent, Barrier, canBlock, changes, Condition, Event, fromShared, Latch, notify, selectAsync, Semaphore, setCanBlock,
  SharedLock, toShared,
} from '../index.js';
import { equal, fails, fresh, nextTask, stateOf, test, withActors } from './harness.js';

const CLASSES = { SharedLock, Semaphore, Event, AutoResetEvent, Latch, Barrier, Condition };
const SIZES = { SharedLock: 8, Semaphore: 16, Event: 4, AutoResetEvent: 4, Latch: 4, Barrier: 8, Condition: 8 };
const wordOf = (primitive) => Atomics.load(new Int32Array(primitive.buffer, primitive.byteOffset), 0);
const aborted = (reason) => AbortSignal.abort(reason);

test('APrimitiveLiesAtAMultipleOfItsSize', async () => {
  for (const [name, Class] of Object.entries(CLASSES)) {
    const size = SIZES[name];
    equal(Class.byteLength, size, name);
    const buffer = new SharedArrayBuffer(64);
    const one = new Class(buffer, 2 * size);
    equal(one.buffer, buffer);
    equal(one.byteOffset, 2 * size);
    await fails(() => new Class(new ArrayBuffer(64)), 'TypeError', /SharedArrayBuffer, not ArrayBuffer/);
    for (const at of [-size, 2, 64, NaN, Infinity]) await fails(() => new Class(buffer, at), 'RangeError', /multiple/);
    await fails(() => new Class(buffer, '0'), 'TypeError', /byteOffset must be number, not String/);
    await fails(() => new Class(new SharedArrayBuffer(2)), 'RangeError', /bytes of 2/);
    await fails(() => new Class(buffer, 0, { size: 1 }), 'TypeError', /options.size/);
    await fails(() => new Class(buffer, 0, 1), 'TypeError', /options/);
    await fails(() => structuredClone(one), 'DataCloneError');
  }
});

test('AFunctionOfAnotherClassIsRefused', async () => {
  await fails(() => Event.prototype.set.call(fresh(Semaphore)), 'TypeError', /Event.set: this must be Event, not Object/);
  await fails(() => Latch.prototype.waitAsync.call({}), 'TypeError', /Latch.waitAsync: this must be Latch/);
  await fails(() => SharedLock.prototype.lockAsync.call(undefined), 'TypeError', /this/);
  await fails(() => Semaphore.prototype.acquireAsync.call(fresh(Event)), 'TypeError', /this/);
});

test('OptionsOfAConstructorAreForWhatIsNotInUse', async () => {
  for (const [Class, options, same, other = options] of [
    [AsyncLock, { strict: true }, { strict: true }, { strict: false }], [SharedLock, { strict: true }, { strict: true }, { strict: false }],
    [Semaphore, { permits: 1, maximum: 2, strict: true }, { maximum: 2, strict: true }], [Semaphore, { maximum: 2 }, {}, { maximum: 3 }],
    [Event, { set: true }, { set: true }, { set: false }], [AutoResetEvent, { set: true }, { set: true }, { set: false }],
    [Latch, { count: 1 }, { count: undefined }], [Barrier, { participants: 1 }, {}]]) {
    const buffer = new SharedArrayBuffer(16);
    new Class(buffer, 0, options);
    const bytes = new Uint8Array(buffer).join();
    await fails(() => new Class(buffer, 0, other), 'Error', /not in use yet; this one is/);
    for (const right of [undefined, {}, same]) new Class(buffer, 0, right);
    equal(new Uint8Array(buffer).join(), bytes);
  }
  await fails(() => fresh(Semaphore, { permits: 2, maximum: 1 }), 'RangeError', /options.permits must be a whole number from 0 to 1, not 2/);
  await fails(() => fresh(Semaphore, { maximum: 1 }).tryAcquire(2), 'RangeError', /count must be 1, not 2/);
  await fails(() => fresh(Barrier).arrive(), 'RangeError', /no more arrivals: no thread has made it yet, with options.participants/);
  equal(AsyncLock.byteLength, 4);
  await fails(() => fresh(Event, { set: 1 }), 'TypeError', /options.set/);
  await fails(() => fresh(Latch, { count: 2 ** 31 }), 'RangeError', /options.count/);
  await fails(() => fresh(Latch, { count: 0 }), 'RangeError', /options.count/);
  await fails(() => fresh(Barrier, { participants: 1.5 }), 'RangeError', /options.participants/);
});

test('APrimitiveBlocksOnlyAThreadThatMayAndChangesNothingElse', async () => {
  const latch = fresh(Latch, { count: 1 });
  const barrier = fresh(Barrier, { participants: 1 });
  const before = [latch, barrier].map(wordOf).join();
  const mayBlock = canBlock();
  if (mayBlock) setCanBlock(false);
  try {
    for (const [call, cure] of [
      [() => fresh(Semaphore, { permits: 1 }).acquire(), /use Semaphore.acquireAsync/],
      [() => fresh(Event, { set: true }).wait(), /use Event.waitAsync/],
      [() => fresh(AutoResetEvent, { set: true }).wait(), /use AutoResetEvent.waitAsync/],
      [() => fresh(Latch).wait(), /use Latch.waitAsync/],
      [() => latch.arriveAndWait(), /use Latch.arriveAndWaitAsync/],
      [() => barrier.arriveAndWait(), /use Barrier.arriveAndWaitAsync/],
      [() => fresh(SharedLock).lock(), /use SharedLock.lockAsync/],
      [() => fresh(SharedLock).lockShared(), /use SharedLock.lockSharedAsync/],
    ]) await fails(call, 'TypeError', cure);
  } finally {
    if (mayBlock) setCanBlock(true);
  }
  equal([latch, barrier].map(wordOf).join(), before);
});

test('AnEventReleasesAllUntilItIsReset', () => withActors(1, async (actor) => {
  const event = fresh(Event);
  const there = actor.run('tellAndCall', toShared(event), 'wait');
  await actor.told('called');
  const waits = [event.waitAsync(), there, event.waitAsync({ timeout: 1e9, signal: new AbortController().signal })];
  equal(event.tryWait(), false);
  equal(await stateOf(waits[0]), 'pending');
  event.set();
  equal((await Promise.all(waits)).join(), 'ok,ok,ok');
  equal(event.isSet, true);
  event.set();
  equal(await event.waitAsync({ timeout: 0 }), 'ok');
  equal(event.tryWait(), true);
  if (canBlock()) equal(event.wait(), 'ok');
  event.reset();
  event.reset();
  equal(event.isSet, false);
  equal(await event.waitAsync({ timeout: 0 }), 'timed-out');
  equal(await event.waitAsync({ timeout: 1 }), 'timed-out');
  if (canBlock()) equal(event.wait({ timeout: 1 }), 'timed-out');
  equal(fresh(Event, { set: true }).isSet, true);
}));

test('AnEventThatIsResetAtOnceReleasesThoseThatWaitedAndNoOther', async () => {
  const event = fresh(Event);
  const before = [event.waitAsync(), event.waitAsync()];
  event.set();
  event.reset();
  const after = event.waitAsync();
  equal((await Promise.all(before)).join(), 'ok,ok');
  equal(await stateOf(after), 'pending');
  event.set();
  equal(await after, 'ok');
});

test('ASignalIsForOneWaiter', async () => {
  const event = fresh(AutoResetEvent);
  const waits = [event.waitAsync(), event.waitAsync()];
  event.set();
  equal(await waits[0], 'ok');
  equal(await stateOf(waits[1]), 'pending');
  event.set();
  equal(await waits[1], 'ok');
  event.set();
  event.set();
  equal(event.isSet, true);
  equal(event.tryWait(), true);
  equal(event.tryWait(), false);
  event.set();
  event.reset();
  equal(await event.waitAsync({ timeout: 0 }), 'timed-out');
  if (canBlock()) equal(event.wait({ timeout: 1 }), 'timed-out');
  equal(fresh(AutoResetEvent, { set: true }).tryWait(), true);
  equal(wordOf(event), 0);
});

test('AsManySignalsAsWaitersReleaseThemAll', async () => {
  const event = fresh(AutoResetEvent);
  const waits = [event.waitAsync(), event.waitAsync()];
  for (let i = 0; i < 5; ++i) event.set();
  equal((await Promise.all(waits)).join(), 'ok,ok');
  equal(event.tryWait(), true, 'one that came while none waited');
  equal(event.tryWait(), false);
  equal(wordOf(event), 0);
});

test('ASignalThatItsWaiterDoesNotTakeIsForTheNext', async () => {
  const event = fresh(AutoResetEvent);
  const abortion = new AbortController();
  const first = event.waitAsync({ signal: abortion.signal }).catch((error) => error);
  const second = event.waitAsync();
  event.set();
  abortion.abort('enough');
  equal(await first, 'enough');
  equal(await second, 'ok');
  equal(event.isSet, false);
  const late = [event.waitAsync({ timeout: 1 }), event.waitAsync({ timeout: 1 })];
  equal((await Promise.all(late)).join(), 'timed-out,timed-out');
  event.set();
  event.set();
  equal(event.tryWait(), true);
  equal(event.tryWait(), false, 'those that timed out do not count');
});

test('ALatchOpensWhenItsCountIsZero', () => withActors(2, async (actor, other) => {
  const latch = fresh(Latch, { count: 4 });
  const there = actor.run('tellAndCall', toShared(latch), 'wait');
  await actor.told('called');
  const waits = [latch.waitAsync(), there];
  latch.countDown();
  await fails(() => latch.countDown(4), 'RangeError', /4 is more than what is left/);
  await fails(() => latch.countDown(0), 'RangeError', /from 1/);
  await fails(() => latch.countDown('1'), 'TypeError', /n must be number/);
  equal(latch.tryWait(), false);
  equal(await latch.waitAsync({ timeout: 0 }), 'timed-out');
  await fails(() => latch.arriveAndWaitAsync(1, { timeout: '1' }), 'TypeError', /timeout/);
  await fails(() => latch.arriveAndWaitAsync(4), 'RangeError', /Latch.arriveAndWaitAsync: 4 is more/);
  await fails(() => latch.arriveAndWaitAsync(1, { signal: aborted(new RangeError('enough')) }), 'RangeError', /enough/);
  equal(wordOf(latch), 3);
  equal(await latch.arriveAndWaitAsync(1, { timeout: 1 }), 'timed-out');
  if (canBlock()) {
    await fails(() => latch.arriveAndWait(1, { signal: new AbortController().signal }), 'TypeError', /useless/);
    equal(latch.arriveAndWait(1, { timeout: 1 }), 'timed-out');
  } else {
    latch.countDown();
  }
  equal(await other.run('call', toShared(latch), 'arriveAndWait'), 'ok');
  equal((await Promise.all(waits)).join(), 'ok,ok');
  equal(latch.tryWait(), true);
  equal(fresh(Latch).tryWait(), true);
}));

test('ABarrierKeepsThreadsAndPromisesInStep', () => withActors(1, async (actor) => {
  const barrier = fresh(Barrier, { participants: 3 });
  for (let phase = 0; phase < 20; ++phase) {
    const there = actor.run('call', toShared(barrier), 'arriveAndWait');
    const here = barrier.arriveAndWaitAsync();
    while ((wordOf(barrier) & 0xffff) !== 1) await nextTask();
    equal(await stateOf(here), 'pending');
    barrier.arrive();
    equal((await Promise.all([there, here])).join(), 'ok,ok');
  }
  await fails(() => barrier.arrive(4), 'RangeError', /Barrier.arrive: the phase of the barrier needs no more arrivals/);
  await fails(() => barrier.arrive(0), 'RangeError', /from 1/);
  equal(await barrier.arriveAndWaitAsync({ timeout: 0 }), 'timed-out');  // it has arrived
  barrier.arriveAndDrop();
  await fails(() => barrier.arriveAndWaitAsync({ signal: aborted(new RangeError('enough')) }), 'RangeError', /enough/);  // it has not
  barrier.arrive();
  const next = barrier.arriveAndWaitAsync();
  equal(await stateOf(next), 'pending');
  barrier.arriveAndDrop();
  equal(await next, 'ok');
  if (canBlock()) equal(barrier.arriveAndWait(), 'ok');
  else equal(await barrier.arriveAndWaitAsync(), 'ok');
  barrier.arriveAndDrop();
  await fails(() => barrier.arriveAndWaitAsync(), 'RangeError', /no more arrivals/);
  await fails(() => barrier.arriveAndDrop(), 'RangeError', /Barrier.arriveAndDrop/);
  await fails(() => new Barrier(barrier.buffer, 0, { participants: 2 }), 'Error', /not in use yet/);
}));

test('AnAbortedWaitLeavesTheOthers', async () => {
  for (const [Class, options, release] of [
    [Event, undefined, (one) => one.set()], [Latch, { count: 1 }, (one) => one.countDown()], [AutoResetEvent, undefined, (one) => one.set()],
  ]) {
    const primitive = fresh(Class, options);
    const abortion = new AbortController();
    const reason = new Error('enough');
    const given = primitive.waitAsync({ signal: abortion.signal }).catch((error) => error);
    const other = primitive.waitAsync();
    abortion.abort(reason);
    equal(await given, reason);
    equal(await primitive.waitAsync({ signal: abortion.signal }).catch((error) => error), reason);
    release(primitive);
    equal(await other, 'ok');
    await fails(() => primitive.waitAsync({ timeout: 'x' }), 'TypeError', /timeout/);
    await fails(() => primitive.waitAsync({ signal: {} }), 'TypeError', /signal/);
  }
});

test('ACallThatIsServedDoesNotTimeOutBecauseOfOneThatCameEarlier', async () => {
  const limit = { timeout: 0 };
  const event = fresh(Event);
  const barrier = fresh(Barrier, { participants: 2 });
  const latch = fresh(Latch, { count: 2 });
  const permits = fresh(Semaphore);
  const lock = fresh(SharedLock);
  const holds = lock.tryLock();
  const earlier = [
    event.waitAsync(), barrier.arriveAndWaitAsync(), latch.arriveAndWaitAsync(), permits.acquireAsync(), lock.lockSharedAsync(),
  ];
  event.set();
  permits.release(2);
  holds.unlock();
  equal(await event.waitAsync(limit), 'ok');
  equal(await barrier.arriveAndWaitAsync(limit), 'ok');
  equal(await latch.arriveAndWaitAsync(1, limit), 'ok');
  await permits.acquireAsync(1, limit);
  equal((await lock.lockSharedAsync(limit)).isShared, true);
  await Promise.all(earlier);
});

test('APrimitiveIsSentToAnotherThread', () => withActors(1, async (actor) => {
  const lock = new AsyncLock(new SharedArrayBuffer(8), 4);
  const all = [lock, ...Object.values(CLASSES).map((Class) => new Class(new SharedArrayBuffer(64), 32))];
  for (const primitive of all) {
    const message = toShared(primitive);
    equal(fromShared(message).constructor, primitive.constructor);
    const shape = [...Object.getOwnPropertyNames(primitive.constructor.prototype), primitive.byteOffset];
    equal(await actor.run('shapeOf', message), shape.join());
  }
  const semaphore = fresh(Semaphore);
  await actor.run('call', toShared(semaphore), 'release', 3);
  equal(semaphore.available, 3);
  await fails(() => toShared({}), 'TypeError', /primitive of futon, not Object/);
  await fails(() => fromShared({ futon: 'toString' }), 'TypeError', /what toShared has returned/);
  await fails(() => fromShared(undefined), 'TypeError', /not Undefined/);
}));

test('FakeTimersOfATestRunnerDoNotStopTimeOuts', async () => {
  const { setTimeout, setInterval } = globalThis;
  Object.assign(globalThis, { setTimeout: () => 0, setInterval: () => 0 });
  try {
    const event = fresh(Event);
    equal(await event.waitAsync({ timeout: 1 }), 'timed-out');
    equal((await selectAsync([event.waiting()], { timeout: 1 })).value, 'timed-out');
    await fails(() => fresh(Semaphore).acquireAsync(1, { timeout: 1 }), 'TimeoutError');
  } finally {
    Object.assign(globalThis, { setTimeout, setInterval });
  }
});

test('TheLoopGoesOnBesideChangesThatComeEachTime', async () => {
  const words = new Int32Array(new SharedArrayBuffer(4));
  let hasTurned = false;
  setTimeout(() => { hasTurned = true; });
  for await (const value of changes(words, 0)) {
    if (hasTurned) break;
    if (value === 1e6) throw new Error('the loop stands still');
    ++words[0];
  }
});

test('ChangesGivesTheValuesOfAWord', async () => {
  const words = new Int32Array(new SharedArrayBuffer(8));
  const values = changes(words, 1);
  equal((await values.next()).value, 0);
  const next = values.next();
  equal(await stateOf(next), 'pending');
  Atomics.store(words, 1, 7);
  notify(words, 1);
  equal((await next).value, 7);
  const controller = new AbortController();
  const aborting = changes(words, 1, { signal: controller.signal });
  await aborting.next();
  const last = aborting.next();
  controller.abort(new RangeError('enough'));
  await fails(() => last, 'RangeError', /enough/);
  await fails(() => changes(1, 0), 'TypeError', /^changes: typedArray must be Int32Array or BigInt64Array, not Number/);
  await fails(() => changes(new Float64Array(words.buffer), 0), 'TypeError', /^changes: typedArray must be/);
  await fails(() => changes(new Int32Array(1), 0), 'TypeError', /^changes: typedArray.buffer must be/);
  await fails(() => changes(words, 2), 'RangeError', /^changes: index must be from 0 to 1, not 2/);
  await fails(() => changes(words, 0, { signal: 7 }), 'TypeError');
});
