// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Semaphore, Event, AutoResetEvent, Latch and Barrier: what each of their functions promises; and primitives in messages.

const assert = require('node:assert/strict');
const {
  AsyncLock, SharedLock, Semaphore, Event, AutoResetEvent, Latch, Barrier, Condition, setCanBlock, waiters, toShared, fromShared,
} = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32, nextIteration, pending, stateOf } = require('./support/wait_queue');

const dispose = Symbol.dispose ?? Symbol.for('nodejs.dispose');
const CLASSES = [Semaphore, Event, AutoResetEvent, Latch, Barrier];

const fresh = (Class, options) => new Class(new SharedArrayBuffer(Class.byteLength), 0, options);
async function untilQueued(primitive, count) {
  while (primitive.waiters().length !== count) await nextIteration();
}

test('A primitive lies in shared memory, at a multiple of its size', () => {
  assert.equal(AsyncLock.byteLength, 4);
  for (const Class of [...CLASSES, SharedLock, Condition]) {
    const buffer = new SharedArrayBuffer(64);
    const one = new Class(buffer, 2 * Class.byteLength);
    assert.equal(one.buffer, buffer);
    assert.equal(one.byteOffset, 2 * Class.byteLength);
    assert.throws(() => new Class(new ArrayBuffer(64)), { name: 'TypeError', message: /must be a SharedArrayBuffer, not an ArrayBuffer/ });
    assert.throws(() => new Class(buffer, 2), RangeError);
    assert.throws(() => new Class(buffer, 64), RangeError);
    assert.throws(() => new Class(buffer, '0'), TypeError);
    assert.throws(() => new Class(new SharedArrayBuffer(2)), RangeError);
    assert.throws(() => new Class(buffer, 0, { size: 1 }), { name: 'TypeError', message: /options.size is not an option; there is [a-z]/ });
    assert.throws(() => new Class(buffer, 0, null), { name: 'TypeError', message: /options must be an object, not null/ });
    new Class(buffer, 0, {});
    assert.throws(() => structuredClone(one), { name: 'DataCloneError', message: /send its buffer and byteOffset/ });
  }
});

test('A function of another class is refused', async () => {
  const semaphore = fresh(Semaphore);
  assert.throws(() => Event.prototype.set.call(semaphore), { name: 'TypeError', message: /this must be an Event, not an object/ });
  await assert.rejects(Latch.prototype.waitAsync.call({}), { name: 'TypeError', message: /this must be a Latch/ });
});

test('Permits are acquired all at once or not at all, and put back by their owner', () => {
  const semaphore = fresh(Semaphore, { permits: 3 });

  const two = semaphore.tryAcquire(2);
  assert.equal(two.count, 2);
  assert.equal(semaphore.available, 1);
  assert.equal(semaphore.tryAcquire(2), undefined);
  two.release();
  assert.equal(semaphore.available, 3);
  assert.throws(() => two.release(), { code: 'EPERM' });
  two[dispose]();
  assert.equal(semaphore.available, 3);

  const one = semaphore.acquire();
  assert.equal(one.detach(), 1);
  one[dispose]();
  assert.equal(semaphore.available, 2);
  semaphore.release();
  assert.equal(semaphore.available, 3);
});

test('A semaphore has a maximum', () => {
  const semaphore = fresh(Semaphore, { permits: 1, maximum: 2 });

  assert.equal(semaphore.maximum, 2);
  semaphore.release();
  assert.throws(() => semaphore.release(), { name: 'RangeError', message: /more than 2/ });
  assert.throws(() => semaphore.tryAcquire(3), { name: 'RangeError', message: /from 1 to 2, not 3/ });
  assert.throws(() => semaphore.tryAcquire(0), RangeError);
  assert.throws(() => semaphore.tryAcquire(1.5), RangeError);
  assert.throws(() => semaphore.acquire({ timeout: 1 }), { name: 'TypeError', message: /count must be a number, not an object/ });
  assert.equal(fresh(Semaphore).maximum, 2 ** 31 - 1);
});

test('Options of a constructor that change with use are for what is not in use yet', () => {
  for (const [Class, options] of [[Semaphore, { permits: 1 }], [Semaphore, { permits: 0 }], [Latch, { count: 1 }], [Barrier, { participants: 1 }]]) {
    const buffer = new SharedArrayBuffer(16);
    new Class(buffer, 0, options);
    assert.throws(() => new Class(buffer, 0, options), { name: 'Error', message: /not in use yet; this one is/ });
    const nothing = Object.fromEntries(Object.keys(options).map((key) => [key, undefined]));
    for (const none of [undefined, {}, nothing]) new Class(buffer, 0, none);
  }
  assert.throws(() => fresh(Semaphore, { permits: 3, maximum: 2 }), RangeError);
  assert.throws(() => fresh(Semaphore, { strict: 1 }), TypeError);
  assert.throws(() => fresh(Latch, { count: 2 ** 31 }), RangeError);
});

test('An option that says what a primitive in use is passes, and one that says another throws', () => {
  const most = 2 ** 31 - 1;
  for (const [Class, use, right, wrong] of [
    [AsyncLock, (buffer) => new AsyncLock(buffer, 0, { strict: true }), { strict: true }, { strict: false }],
    [AsyncLock, (buffer) => new AsyncLock(buffer).lock(), { strict: false }, { strict: true }],
    [SharedLock, (buffer) => new SharedLock(buffer, 0, { strict: true }), { strict: true }, { strict: false }],
    [SharedLock, (buffer) => new SharedLock(buffer, 0, { strict: true }).lock(), { strict: true }, { strict: false }],
    [SharedLock, (buffer) => new SharedLock(buffer).lockShared(), { strict: false }, { strict: true }],
    [Semaphore, (buffer) => new Semaphore(buffer, 0, { strict: true, maximum: 2 }), { strict: true, maximum: 2 }, { strict: false }],
    [Semaphore, (buffer) => new Semaphore(buffer, 0, { permits: 2, maximum: 2 }), { strict: false, maximum: 2 }, { maximum: 3 }],
    [Semaphore, (buffer) => new Semaphore(buffer).release(), { strict: false, maximum: most }, { strict: true }],
    [Event, (buffer) => new Event(buffer, 0, { set: true }), { set: true }, { set: false }],
    [AutoResetEvent, (buffer) => new AutoResetEvent(buffer, 0, { set: true }), { set: true }, { set: false }],
    [AutoResetEvent, (buffer) => new AutoResetEvent(buffer), { set: false }, {}],
  ]) {
    const buffer = new SharedArrayBuffer(16);
    use(buffer);
    const bytes = new Uint8Array(buffer).join();
    new Class(buffer, 0, right);
    if (Object.keys(wrong).length > 0) {
      assert.throws(() => new Class(buffer, 0, wrong), { name: 'Error', message: new RegExp(`^${Class.name}: options\\.`) },
        `${Class.name} ${JSON.stringify(wrong)}`);
    }
    assert.equal(new Uint8Array(buffer).join(), bytes);
  }
});

test('A count that is wrong says which are right', () => {
  const says = (options, message) => assert.throws(() => fresh(Semaphore, options), { name: 'RangeError', message });
  says({ permits: -1 }, /from 0 to 2147483647, not -1/);
  says({ permits: 3, maximum: 2 }, /from 0 to 2, not 3/);
  says({ maximum: 0 }, /from 1 to 2147483647, not 0/);
  assert.throws(() => fresh(Semaphore, { maximum: 1 }).tryAcquire(2), { message: /count must be 1, not 2/ });
});

test('A barrier that no thread has made says so, and becomes one when a thread makes it', () => {
  const early = fresh(Barrier);
  for (const verb of ['arrive', 'arriveAndDrop', 'arriveAndWait'])
    assert.throws(() => early[verb](), { name: 'RangeError', message: /no thread has made it yet, with options.participants/ });
  new Barrier(early.buffer, 0, { participants: 1 });
  assert.equal(early.arriveAndWait(), 'ok');
  early.arriveAndDrop();
  assert.throws(() => early.arrive(), { name: 'RangeError', message: /needs no more arrivals$/ });
});

test('Promises and blocked threads wait for permits in one queue', async () => {
  await withAgents(1, async (agent) => {
    const words = int32(4);
    const semaphore = new Semaphore(words.buffer);
    const first = semaphore.acquireAsync();
    const second = agent.run((buffer) => {
      const { Semaphore: There } = require('../..');
      return new There(buffer).acquire(2).count;
    }, words.buffer);
    await untilQueued(semaphore, 2);
    const third = semaphore.acquireAsync(1);
    await untilQueued(semaphore, 3);
    assert.deepEqual(semaphore.waiters().map(({ operation }) => operation), Array(3).fill('futon::Semaphore::acquire'));
    assert.equal(waiters(words, 0).length, 3);

    semaphore.release();
    assert.equal((await first).count, 1);
    semaphore.release();
    assert.equal(await stateOf(third), pending);
    semaphore.release(2);
    assert.equal(await second, 2);
    assert.equal((await third).count, 1);
  });
});

test('An attempt to acquire permits times out, or is aborted', async () => {
  const semaphore = fresh(Semaphore);

  assert.throws(() => semaphore.acquire(1, { timeout: 0 }), { name: 'TimeoutError', message: /Semaphore.acquire: there were too few permits/ });
  await assert.rejects(semaphore.acquireAsync(1, { timeout: 1 }), { name: 'TimeoutError', message: /Semaphore.acquireAsync/ });
  await assert.rejects(semaphore.acquireAsync(1, { timeout: 0 }), { name: 'TimeoutError' });
  const reason = new Error('enough');
  const controller = new AbortController();
  const aborted = semaphore.acquireAsync(1, { signal: controller.signal });
  const next = semaphore.acquireAsync(1);
  controller.abort(reason);
  await assert.rejects(aborted, reason);
  await assert.rejects(semaphore.acquireAsync(1, { signal: controller.signal }), reason);
  assert.equal(semaphore.waiters().length, 1);
  semaphore.release();
  assert.equal((await next).count, 1);
});

test('An event releases all its waiters, of threads and promises, until it is reset', async () => {
  await withAgents(1, async (agent) => {
    const words = int32(1);
    const event = new Event(words.buffer);
    const there = agent.run((buffer) => {
      const { Event: There } = require('../..');
      return new There(buffer).wait();
    }, words.buffer);
    const waits = [event.waitAsync(), there, event.waitAsync({ timeout: 1e6 })];
    await untilQueued(event, 3);
    assert.equal(event.tryWait(), false);
    event.set();
    assert.deepEqual(await Promise.all(waits), ['ok', 'ok', 'ok']);
    assert.equal(event.isSet, true);
    assert.equal(event.wait(), 'ok');
    assert.equal(await event.waitAsync(), 'ok');
    event.reset();
    assert.equal(event.isSet, false);
    assert.equal(event.wait({ timeout: 0 }), 'timed-out');
    assert.equal(await event.waitAsync({ timeout: 1 }), 'timed-out');
  });
  assert.equal(fresh(Event, { set: true }).isSet, true);
});

test('A signal of an AutoResetEvent is for one waiter', async () => {
  const event = fresh(AutoResetEvent);
  const waits = [event.waitAsync(), event.waitAsync()];
  event.set();
  assert.equal(await waits[0], 'ok');
  assert.equal(await stateOf(waits[1]), pending);
  event.set();
  assert.equal(await waits[1], 'ok');
  event.set();
  assert.equal(event.isSet, true);
  assert.equal(event.tryWait(), true);
  assert.equal(event.tryWait(), false);
  event.set();
  event.reset();
  assert.equal(event.wait({ timeout: 0 }), 'timed-out');
});

test('A latch opens when its count is zero', async () => {
  await withAgents(1, async (agent) => {
    const words = int32(1);
    const latch = new Latch(words.buffer, 0, { count: 3 });
    const there = agent.run((buffer) => {
      const { Latch: There } = require('../..');
      return new There(buffer).wait();
    }, words.buffer);
    const waits = [latch.waitAsync(), there];
    await untilQueued(latch, 2);
    latch.countDown();
    assert.throws(() => latch.countDown(3), { name: 'RangeError', message: /3 is more than what is left/ });
    assert.equal(latch.tryWait(), false);
    assert.equal(latch.wait({ timeout: 0 }), 'timed-out');
    assert.throws(() => latch.arriveAndWait(1, { signal: new AbortController().signal }), TypeError);
    await assert.rejects(latch.arriveAndWaitAsync(1, { timeout: '1' }), TypeError);
    assert.equal(latch.tryWait(), false);
    assert.equal(await latch.arriveAndWaitAsync(1, { timeout: 1 }), 'timed-out');
    assert.equal(latch.arriveAndWait(), 'ok');
    assert.deepEqual(await Promise.all(waits), ['ok', 'ok']);
    assert.equal(latch.tryWait(), true);
  });
});

test('A thread that may not block is told so, and changes nothing', () => {
  const latch = fresh(Latch, { count: 1 });
  setCanBlock(false);
  try {
    assert.throws(() => fresh(Semaphore, { permits: 1 }).acquire(), { name: 'TypeError', message: /may not block/ });
    assert.throws(() => fresh(Event, { set: true }).wait(), TypeError);
    assert.throws(() => latch.arriveAndWait(), TypeError);
  } finally {
    setCanBlock(true);
  }
  assert.equal(latch.tryWait(), false);
});

test('What was given to a thread that ends before it knew goes to the next waiter', async () => {
  await withAgents(1, async (agent) => {
    const words = int32(4);
    const semaphore = new Semaphore(words.buffer);
    await agent.run((buffer) => {
      const { Semaphore: There } = require('../..');
      new There(buffer).acquireAsync().catch(() => {});
    }, words.buffer);
    await untilQueued(semaphore, 1);
    const next = semaphore.acquireAsync();
    await untilQueued(semaphore, 2);
    await agent.terminate();
    await untilQueued(semaphore, 1);
    semaphore.release();
    assert.equal((await next).count, 1);
  });
});

test('Many operations leave nothing behind', async () => {
  const semaphore = fresh(Semaphore, { permits: 1 });
  const event = fresh(AutoResetEvent);
  for (let i = 0; i < 20_000; ++i) {
    const permits = await semaphore.acquireAsync();
    const behind = semaphore.acquireAsync();
    permits.release();
    (await behind).release();
    const signal = event.waitAsync({ timeout: 1e6 });
    event.set();
    await signal;
  }
  assert.equal(waiters().length, 0);
  assert.equal(semaphore.available, 1);
});

test('A barrier keeps threads and promises in step', async () => {
  await withAgents(1, async (agent) => {
    const words = int32(2);
    const barrier = new Barrier(words.buffer, 0, { participants: 3 });
    for (let phase = 0; phase < 50; ++phase) {
      const there = agent.run((buffer) => {
        const { Barrier: There } = require('../..');
        return new There(buffer).arriveAndWait();
      }, words.buffer);
      const here = barrier.arriveAndWaitAsync();
      await untilQueued(barrier, 2);
      barrier.arrive();
      assert.deepEqual(await Promise.all([there, here]), ['ok', 'ok']);
    }
    assert.throws(() => barrier.arrive(4), { name: 'RangeError', message: /needs no more arrivals/ });
    assert.throws(() => barrier.arrive(0), RangeError);
    assert.equal(barrier.arriveAndWait({ timeout: 0 }), 'timed-out');  // it has arrived
    barrier.arriveAndDrop();
    const aborted = new AbortController();
    aborted.abort(new Error('enough'));
    await assert.rejects(barrier.arriveAndWaitAsync({ signal: aborted.signal }), { message: 'enough' });  // it has not
    barrier.arrive();
    const next = barrier.arriveAndWaitAsync();
    assert.equal(await stateOf(next), pending);
    barrier.arriveAndDrop();
    assert.equal(await next, 'ok');
    barrier.arriveAndDrop();
    assert.throws(() => barrier.arriveAndWait(), { name: 'RangeError', message: /needs no more arrivals/ });
    await assert.rejects(barrier.arriveAndWaitAsync(), { name: 'RangeError' });
    assert.throws(() => new Barrier(words.buffer, 0, { participants: 2 }), /not in use yet/);
  });
});

test('A primitive is sent to another thread by a message', async () => {
  await withAgents(1, async (agent) => {
    const lock = new AsyncLock(new SharedArrayBuffer(8), 4);
    for (const primitive of [lock, ...CLASSES.map((Class) => new Class(new SharedArrayBuffer(64), 32))]) {
      const found = await agent.run((message) => {
        const { fromShared: there } = require('../..');
        const made = there(message);
        return [made.constructor.name, made.byteOffset];
      }, toShared(primitive));
      assert.deepEqual(found, [primitive.constructor.name, primitive.byteOffset]);
    }
    const semaphore = fresh(Semaphore);
    fromShared(toShared(semaphore)).release();
    assert.equal(semaphore.available, 1);
    assert.throws(() => toShared({}), { name: 'TypeError', message: /must be one of futon's, not an object/ });
    assert.throws(() => fromShared({ futon: 'toString' }), { name: 'TypeError', message: /what toShared has returned/ });
    assert.throws(() => fromShared(undefined), TypeError);
  });
});
