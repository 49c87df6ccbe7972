// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// select: one of the operations has happened, and no other.

const assert = require('node:assert/strict');
const {
  AsyncLock, SharedLock, Semaphore, Event, AutoResetEvent, Latch, notify, select, selectAsync, waiting, setCanBlock,
} = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32, nextIteration, pending, stateOf } = require('./support/wait_queue');

/// One of each, none of which is there.
function setUp() {
  const words = int32(32);
  const { buffer } = words;
  const lock = new AsyncLock(buffer, 0);
  const shared = new SharedLock(buffer, 8);
  const held = [lock.lock(), shared.lock()];
  return {
    words, buffer, held, lock, shared, permits: new Semaphore(buffer, 16), event: new Event(buffer, 32),
    signal: new AutoResetEvent(buffer, 36), latch: new Latch(buffer, 40, { count: 1 }),
  };
}

/// For a test that asks for the shared lock in one way, the other way is left out.
const operationsOf = ({ words, lock, shared, permits, event, signal, latch }, index = 1) =>
  [lock.locking(), index === 2 ? lock.locking() : shared.locking(), index === 1 ? lock.locking() : shared.lockingShared(),
    permits.acquiring(2), event.waiting(), signal.waiting(), latch.waiting(), waiting(words, 20, 0)];

const DOING = [
  ['a lock', ({ held }) => held[0].unlock(), (value) => value.unlock()],
  ['a shared lock', ({ held }) => held[1].unlock(), (value) => assert.equal(value.isShared, false)],
  ['a shared hold', (all) => all.held[1] = all.held[1].downgrade(), (value) => assert.equal(value.isShared, true)],
  ['permits', ({ permits }) => permits.release(3), (value) => assert.equal(value.count, 2)],
  ['an event', ({ event }) => event.set(), (value) => assert.equal(value, 'ok')],
  ['a signal', ({ signal }) => signal.set(), (value) => assert.equal(value, 'ok')],
  ['a latch', ({ latch }) => latch.countDown(), (value) => assert.equal(value, 'ok')],
  ['a word', ({ words }) => notify(words, 20, 1), (value) => assert.equal(value, 'ok')],
];

/// Nothing is queued any more.
function assertLeft(all) {
  for (const one of [all.shared, all.permits, all.event, all.signal, all.latch]) assert.deepEqual(one.waiters(), []);
  assert.equal(notify(all.words, 20), 0);
}

for (const [index, [name, act, check]] of DOING.entries()) {
  test(`A select by promise chooses ${name}, and leaves the other queues`, async () => {
    const all = setUp();
    const found = selectAsync(operationsOf(all, index));
    assert.equal(await stateOf(found), pending);
    const [waiter] = all.permits.waiters();
    assert.deepEqual([waiter.kind, waiter.threadId, waiter.operation], ['waitAsync', 0, 'futon::Semaphore::acquire']);
    act(all);
    const answer = await found;
    assert.ok(index === 0 ? answer.index <= 2 : answer.index === index);
    check(answer.value);
    assertLeft(all);
  });

  test(`A select that need not wait chooses ${name}`, async () => {
    for (const choose of [select, selectAsync]) {
      const all = setUp();
      if (index === 7) all.words[20] = 1;
      else act(all);
      const { index: chosen, value } = await choose(operationsOf(all, index), { timeout: 0 });
      assert.ok(index === 0 ? chosen <= 2 : chosen === index);
      if (index === 7) assert.equal(value, 'not-equal');
      else check(value);
      assertLeft(all);
    }
  });
}

test('Of operations that are ready at once one is done', async () => {
  const all = setUp();
  all.permits.release(2);
  all.signal.set();
  const { index, value } = select(operationsOf(all));
  if (index === 3) {
    assert.ok(all.signal.isSet);
    assert.equal(all.permits.available, 0);
    value.release();
  } else {
    assert.equal(index, 5);
    assert.equal(all.signal.isSet, false);
  }
  assert.equal(all.permits.available, 2);
});

test('A blocked thread and a promise select in the same queues', async () => {
  await withAgents(1, async (agent) => {
    const { buffer, permits, event } = setUp();
    const blocked = agent.run((memory) => {
      const futon = require('../..');
      const own = [new futon.Semaphore(memory, 16).acquiring(2), new futon.Event(memory, 32).waiting()];
      const { index, value } = futon.select(own);
      return [index, value.count, futon.select(own).value, futon.select([own[0]], { timeout: 1 }).value];
    }, buffer);
    while (permits.waiters().length !== 1) await nextIteration();
    const found = selectAsync([event.waiting(), permits.acquiring()]);
    permits.release(2);
    while (permits.available !== 0 || event.waiters().length !== 2) await nextIteration();
    assert.equal(await stateOf(found), pending);
    event.set();
    assert.deepEqual(await blocked, [0, 2, 'ok', 'timed-out']);
    assert.equal((await found).index, 0);
  });
});

test('A select times out, or is aborted, and has done nothing', async () => {
  const all = setUp();
  for (const timeout of [0, 1]) {
    assert.deepEqual({ ...select(operationsOf(all), { timeout }) }, { index: -1, value: 'timed-out' });
    assert.deepEqual({ ...await selectAsync(operationsOf(all), { timeout }) }, { index: -1, value: 'timed-out' });
    assertLeft(all);
  }
  const controller = new AbortController();
  const found = selectAsync(operationsOf(all), { signal: controller.signal });
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(found, reason);
  assertLeft(all);
  await assert.rejects(selectAsync(operationsOf(all), { signal: controller.signal }), reason);
});

test('An abort after the choice does not take it back', async () => {
  const all = setUp();
  const controller = new AbortController();
  const found = selectAsync(operationsOf(all), { signal: controller.signal });
  all.signal.set();
  controller.abort();
  assert.equal((await found).index, 5);
});

test('An operation can be used again, also by two selects at once', async () => {
  const lock = new AsyncLock(new SharedArrayBuffer(4));
  const held = lock.lock();
  const operation = lock.locking();
  const founds = [selectAsync([operation]), selectAsync([operation])];
  held.unlock();
  const first = (await founds[0]).value;
  assert.ok(first.ownsLock);
  assert.equal(await stateOf(founds[1]), pending);
  first.unlock();
  const second = (await founds[1]).value;
  assert.equal(first.ownsLock, false);
  assert.ok(second.ownsLock);
  second.unlock();
});

test('Misuse is refused', async () => {
  const { permits, event } = setUp();
  assert.throws(() => select(event.waiting()), { name: 'TypeError', message: /operations must be an array, not an object/ });
  assert.throws(() => select([]), { name: 'TypeError', message: /one at least/ });
  assert.throws(() => select([event]), { name: 'TypeError', message: /operations\[0\] must be an operation such as lock.locking\(\)/ });
  await assert.rejects(selectAsync([event.waiting(), event.waitAsync()], {}), { name: 'TypeError', message: /operations\[1\]/ });
  event.set();
  await nextIteration();
  assert.throws(() => permits.acquiring(0), RangeError);
  assert.throws(() => waiting(new Int32Array(1), 0, 0), TypeError);
  assert.throws(() => waiting(int32(), 9, 0), RangeError);
  assert.throws(() => select([event.waiting()], { size: 1 }), TypeError);
  setCanBlock(false);
  try {
    assert.throws(() => select([event.waiting()]), { name: 'TypeError', message: /may not block/ });
  } finally {
    setCanBlock(true);
  }
});

test('A thread that ends while it selects leaves all queues', async () => {
  await withAgents(2, async (blocked, waits) => {
    const { buffer, permits, event } = setUp();
    const body = (memory, name) => {
      const futon = require('../..');
      void futon[name]([new futon.Semaphore(memory, 16).acquiring(), new futon.Event(memory, 32).waiting()]);
    };
    blocked.run(body, buffer, 'select').catch(() => {});
    await waits.run(body, buffer, 'selectAsync');
    while (event.waiters().length !== 2) await nextIteration();
    await Promise.all([blocked.terminate(), waits.terminate()]);
    assert.deepEqual([permits.waiters(), event.waiters()], [[], []]);
    permits.release();
    assert.equal(permits.available, 1);
  });
});
