// SPDX-License-Identifier: MIT
// Condition: a wait releases the lock and has it again, whatever ends it.

import { AsyncLock, canBlock, Condition, fromShared, setCanBlock, toShared } from '../index.js';
import { equal, fails, nextTask, stateOf, test, withActors } from './harness.js';

const DATA = 16;

/// A lock, a condition and two words of data in one buffer.
function setUp() {
  const buffer = new SharedArrayBuffer(24);
  return { items: new Int32Array(buffer, DATA, 2), lock: new AsyncLock(buffer), changed: new Condition(buffer, 8) };
}

const messagesOf = ({ lock, changed }) => [toShared(lock), toShared(changed)];

test('AConditionReleasesTheLockAndHoldsItAgainWhenItIsNotified', async () => {
  const { lock, changed } = setUp();
  equal(changed.notify(), 0);
  const guard = await lock.lockAsync();
  const wait = changed.waitAsync(guard);
  equal(guard.ownsLock, false);
  const other = lock.tryLock();
  equal(other.ownsLock, true);
  equal(changed.notify(1), 1);
  equal(await stateOf(wait), 'pending', 'while another holds the lock');
  other.unlock();
  equal(await wait, 'ok');
  equal(guard.ownsLock, true);
  equal(changed.notify(), 0);
  guard.unlock();
  lock.tryLock().unlock();
});

test('AConditionHasThreadsAndPromisesWait', () => withActors(2, async (first, second) => {
  const all = setUp();
  const { items, lock, changed } = all;
  const blocked = first.run('consume', ...messagesOf(all), DATA, true);
  await first.told('locked');
  const guard = await lock.lockAsync();  // that is, when it waits
  const wait = changed.waitAsync(guard);
  const promised = second.run('consume', ...messagesOf(all), DATA, false);
  await second.told('locked');
  equal(await lock.executeLocked(() => {
    items[0] += 3;
    return changed.notify(3);
  }), 3);
  equal(await wait, 'ok');
  --items[0];
  guard.unlock();
  equal(await blocked, true);
  equal(await promised, true);
  equal(items.join(), '0,2');
}));

test('AConditionNotifiesAsManyAsAskedAndNoneThatComesLater', async () => {
  const { lock, changed } = setUp();
  const results = [];
  const wait = (name) => {
    const guard = lock.tryLock();
    return changed.waitAsync(guard).then((result) => {
      results.push(`${name} ${result}`);
      guard.unlock();
    });
  };
  const waits = [wait('a'), wait('b'), wait('c')];
  equal(changed.notify(2), 2);
  waits.push(wait('d'));  // before those that were notified have looked
  await Promise.all(waits.slice(0, 2));
  equal(await stateOf(waits[2]), 'pending');
  equal(results.join(), 'a ok,b ok');
  equal(changed.notify(), 2);
  await Promise.all(waits);
  equal(changed.notify(), 0);
  equal(results.length, 4);
});

test('AConditionThatTimesOutOrIsAbortedHoldsTheLockAgain', async () => {
  const { lock, changed } = setUp();
  const guard = lock.tryLock();
  if (canBlock()) equal(changed.wait(guard, { timeout: 1 }), 'timed-out');
  equal(await changed.waitAsync(guard, { timeout: 1 }), 'timed-out');
  equal(guard.ownsLock, true);
  equal(await changed.waitAsync(guard, { timeout: 0 }), 'timed-out');
  equal(guard.ownsLock, true);

  const abortion = new AbortController();
  const wait = changed.waitAsync(guard, { signal: abortion.signal });
  const other = lock.tryLock();
  abortion.abort(new RangeError('enough'));
  await nextTask();
  equal(await stateOf(wait), 'pending', 'while another holds the lock');
  equal(changed.notify(), 0);
  other.unlock();
  await fails(() => wait, 'RangeError', /enough/);
  equal(guard.ownsLock, true);
  await fails(() => changed.waitAsync(guard, { signal: abortion.signal }), 'RangeError', /enough/);
  equal(guard.ownsLock, true);
  guard.unlock();
});

test('AConditionIsNotAbortedAfterTheNotification', async () => {
  for (const isHeld of [true, false]) {
    const { lock, changed } = setUp();
    const guard = lock.tryLock();
    const abortion = new AbortController();
    const wait = changed.waitAsync(guard, { signal: abortion.signal });
    const other = isHeld ? lock.tryLock() : undefined;
    equal(changed.notify(1), 1);
    abortion.abort();
    other?.unlock();
    equal(await wait, 'ok');
    equal(guard.ownsLock, true);
    guard.unlock();
    lock.tryLock().unlock();
  }
});

test('AConditionGivesWhatAnAbortedWaiterDoesNotNeedToTheOther', async () => {
  const { lock, changed } = setUp();
  const abortion = new AbortController();
  const guards = [lock.tryLock()];
  const first = changed.waitAsync(guards[0], { signal: abortion.signal });
  guards.push(lock.tryLock());
  const second = changed.waitAsync(guards[1]);
  abortion.abort();
  equal(changed.notify(1), 1);
  await fails(() => first, 'AbortError');
  guards[0].unlock();
  equal(await second, 'ok');
  guards[1].unlock();
});

test('AGuardThatIsGivenUpWhileItsConditionWaitsUnlocksInTheEnd', async () => {
  const { lock, changed } = setUp();
  let wait;
  await fails(() => lock.executeLocked((guard) => {
    wait = changed.waitAsync(guard);
  }), 'EPERM');
  changed.notify();
  equal(await wait, 'ok');
  lock.tryLock().unlock();

  const guard = lock.tryLock();
  wait = changed.waitAsync(guard);
  guard[Symbol.dispose ?? Symbol.for('nodejs.dispose')]();
  changed.notify();
  equal(await wait, 'ok');
  lock.tryLock().unlock();
  equal(await lock.executeLocked((own) => changed.waitAsync(own, { timeout: 1 })), 'timed-out');
  lock.tryLock().unlock();
});

test('AConditionRefusesMisuse', async () => {
  const { lock, changed } = setUp();
  const guard = lock.tryLock();
  await fails(() => changed.waitAsync(lock), 'TypeError', /guard must be the guard of an AsyncLock, not Object/);
  await fails(() => changed.waitAsync(undefined), 'TypeError', /not Undefined/);
  await fails(() => changed.notify(0), 'RangeError', /count/);
  await fails(() => changed.notify('1'), 'TypeError', /count/);
  await fails(() => changed.waitAsync(guard, { size: 1 }), 'TypeError', /options.size/);
  equal(guard.ownsLock, true);
  const mayBlock = canBlock();
  if (mayBlock) setCanBlock(false);
  try {
    await fails(() => changed.wait(guard), 'TypeError', /use Condition.waitAsync/);
  } finally {
    if (mayBlock) setCanBlock(true);
  }
  guard.unlock();
  if (mayBlock) await fails(() => changed.wait(guard), 'EPERM', /^Condition.wait: the guard does not hold the lock/);
  await fails(() => changed.waitAsync(guard), 'EPERM');
  equal(changed.notify(), 0);
  equal(fromShared(toShared(changed)).byteOffset, 8);
});

test('AConditionLosesNoNotificationInARace', () => withActors(4, async (...actors) => {
  const all = setUp();
  const rounds = 200;
  await Promise.all(actors.map((actor, i) => actor.run('produceOrConsume', ...messagesOf(all), DATA, rounds, i % 2 === 0)));
  equal(all.items[0], 0);
  all.lock.tryLock().unlock();
}));
