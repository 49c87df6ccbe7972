// SPDX-License-Identifier: MIT
// SharedLock: what upgradeable holds promise, and their upgrades.

import { canBlock, select, selectAsync, SharedLock, toShared } from '../index.js';
import { equal, fails, fresh, nextTask, stateOf, test, withActors } from './harness.js';

const dispose = Symbol.dispose ?? Symbol.for('nodejs.dispose');
const both = [false, true];
const wordsOf = ({ buffer }) => new Int32Array(buffer);

/// Until an upgrade waits, of any thread: it has laid the claim that is before all others.
async function untilUpgrading(lock) {
  while ((Atomics.load(wordsOf(lock), 1) & 2 ** 23 - 1) !== 2) await nextTask();
}

test('OneHoldsItUpgradeableAlongsideReaders', async () => {
  const lock = fresh(SharedLock);
  const reader = lock.tryLockShared();
  const held = canBlock() ? lock.lockUpgradeable() : await lock.lockUpgradeableAsync();
  equal([held.ownsLock, held.isUpgradeable, held.isShared, reader.isUpgradeable].join(), 'true,true,false,false');
  equal(lock.tryLockUpgradeable(), undefined);
  equal(lock.tryLock(), undefined);
  lock.tryLockShared().unlock();
  reader.unlock();
  equal(lock.tryLock(), undefined);
  held.unlock();
  equal(held.ownsLock, false);
  lock.tryLockUpgradeable()[dispose]();
  lock.tryLock().unlock();
  equal(wordsOf(lock).join(), '0,0');
});

test('AnUpgradeIsAtOnceIfNoneReads', async () => {
  const lock = fresh(SharedLock);
  for (const verb of ['tryUpgrade', 'upgradeAsync', ...canBlock() ? ['upgrade'] : []]) {
    const held = lock.tryLockUpgradeable();
    const writer = await held[verb]();
    equal([held.ownsLock, writer.ownsLock, writer.isUpgradeable, writer.isShared].join(), 'false,true,false,false');
    held[dispose]();  // holds nothing
    equal(lock.tryLockShared(), undefined);
    writer.unlock();
  }
  equal(wordsOf(lock).join(), '0,0');
});

test('AnUpgradeWaitsForReadersKeepsNewOnesOutAndOvertakesWriters', async () => {
  for (const strict of both) {
    const lock = fresh(SharedLock, { strict });
    const reader = lock.tryLockShared();
    const held = lock.tryLockUpgradeable();
    const early = lock.lockAsync();
    const other = lock.lockAsync();
    equal(held.tryUpgrade(), undefined);
    equal(held.ownsLock, true);
    const upgrade = held.upgradeAsync();
    await untilUpgrading(lock);
    equal(lock.tryLockShared(), undefined);
    const late = lock.lockSharedAsync();  // enters only if this thread does nothing for 128 ms
    const over = late.then((guard) => guard.unlock());
    reader.unlock();
    const writer = await upgrade;
    equal(await stateOf(early), 'pending');
    writer.unlock();
    (await early).unlock();
    (await other).unlock();
    await over;
    equal(wordsOf(lock)[1], 0);
    lock.tryLock().unlock();
  }
});

test('AWorkerUpgradesWhileThePageReads', () => withActors(2, async (one, other) => {
  for (const isBlocking of both) {
    const lock = new SharedLock(new SharedArrayBuffer(64));
    const table = new Int32Array(lock.buffer, 32, 1);
    const reader = lock.tryLockShared();
    const written = one.run('upgradeAndWrite', toShared(lock), 32, isBlocking);
    await untilUpgrading(lock);
    const there = other.run('lockAndUnlock', toShared(lock), 'lock');
    const here = lock.executeLocked(() => (table[0] += 1));
    equal(await stateOf(written), 'pending');
    reader.unlock();
    equal(await written, 'true,false,false,true');
    equal(await here, 8);
    equal(await there, false);
    (await lock.lockUpgradeableAsync()).unlock();
  }
}));

test('AnUpgradeTimesOutOrIsAbortedAndTheHoldStays', async () => {
  for (const strict of both) {
    const lock = fresh(SharedLock, { strict });
    const reader = lock.tryLockShared();
    const held = lock.tryLockUpgradeable();
    for (const timeout of [0, 1]) {
      await fails(() => held.upgradeAsync({ timeout }), 'TimeoutError', /^SharedLockGuard.upgradeAsync: others still read/);
      if (canBlock()) await fails(() => held.upgrade({ timeout }), 'TimeoutError', /^SharedLockGuard.upgrade: others still read/);
      equal(held.ownsLock && held.isUpgradeable, true);
      lock.tryLockShared().unlock();
    }
    const reason = new Error('enough');
    const abortion = new AbortController();
    const { signal } = abortion;
    const aborted = held.upgradeAsync({ signal }).catch((error) => error);
    await untilUpgrading(lock);
    const waiting = lock.lockSharedAsync();
    abortion.abort(reason);
    equal(await aborted, reason);
    (await waiting).unlock();
    equal(await held.upgradeAsync({ signal }).catch((error) => error), reason);
    reader.unlock();
    held.tryUpgrade().unlock();
    equal(wordsOf(lock)[1], 0, 'the claim');
    lock.tryLock().unlock();
  }
});

test('AHoldIsDowngradedAndThoseThatWaitedEnter', async () => {
  const lock = fresh(SharedLock);
  const writer = lock.tryLock();
  const reading = lock.lockSharedAsync();
  const held = writer.downgradeToUpgradeable();
  equal([writer.ownsLock, held.isUpgradeable].join(), 'false,true');
  (await reading).unlock();
  const next = lock.lockUpgradeableAsync();
  equal(await stateOf(next), 'pending');
  const reader = held.downgrade();
  equal([held.ownsLock, reader.isShared].join(), 'false,true');
  (await next).unlock();
  equal(lock.tryLock(), undefined);
  reader.unlock();
  lock.tryLock().unlock();
});

test('MisuseOfAHoldIsRefusedAndChangesNothing', async () => {
  const lock = fresh(SharedLock);
  const writer = lock.tryLock();
  for (const isShared of both) {
    const guard = isShared ? writer.downgrade() : writer;
    await fails(() => guard.tryUpgrade(), 'EPERM', /^SharedLockGuard.tryUpgrade: /);
    await fails(() => guard.upgrade(), 'EPERM', /^SharedLockGuard.upgrade: /);
    await fails(() => guard.upgradeAsync(), 'EPERM', /^SharedLockGuard.upgradeAsync: /);
    if (isShared) await fails(() => guard.downgradeToUpgradeable(), 'EPERM');
    if (isShared) guard.unlock();
  }
  const held = lock.tryLockUpgradeable();
  await fails(() => held.downgradeToUpgradeable(), 'EPERM');
  await fails(() => held.upgradeAsync({ timeout: 'soon' }), 'TypeError', /^SharedLockGuard.upgradeAsync: /);
  if (!canBlock()) await fails(() => held.upgrade(), 'TypeError', /use SharedLockGuard.upgradeAsync/);
  const reader = lock.tryLockShared();
  const upgrade = held.upgradeAsync();
  for (const verb of ['tryUpgrade', 'upgrade', 'upgradeAsync', 'unlock', 'downgrade'])
    await fails(() => held[verb](), 'EPERM', /it is being upgraded/);
  equal(held.ownsLock, true);
  reader.unlock();
  (await upgrade).unlock();
  await fails(() => held.upgradeAsync(), 'EPERM');
  const released = lock.tryLockUpgradeable();
  wordsOf(lock).fill(0);
  for (const verb of ['tryUpgrade', 'upgrade', 'upgradeAsync', 'unlock']) await fails(() => released[verb](), 'EPERM');
});

test('AGuardThatGoesOutOfScopeInItsUpgradeReleasesTheLockWhenThatIsOver', async () => {
  for (const isAborted of both) {
    const lock = fresh(SharedLock);
    const reader = lock.tryLockShared();
    const held = lock.tryLockUpgradeable();
    const abortion = new AbortController();
    const upgrade = held.upgradeAsync({ signal: abortion.signal });
    held[dispose]();
    equal(held.ownsLock, false);
    if (isAborted) abortion.abort();
    reader.unlock();
    await fails(() => upgrade, isAborted ? 'AbortError' : 'EPERM');
    lock.tryLock().unlock();
    equal(wordsOf(lock)[1], 0);
  }
});

test('ASelectLocksUpgradeable', async () => {
  const lock = fresh(SharedLock);
  const held = lock.tryLockUpgradeable();
  const operation = lock.lockingUpgradeable();
  const selected = selectAsync([operation, lock.locking()]);
  equal(await stateOf(selected), 'pending');
  held.unlock();
  const { index, value } = await selected;
  equal(value.isUpgradeable, index === 0);
  value.unlock();
  const next = canBlock() ? select([operation]) : await selectAsync([operation]);
  next.value.tryUpgrade().unlock();
  equal(wordsOf(lock)[0] << 1, 0);
});

// What it holds stays held, as of any thread.
test('ReadersGoOnWhenAThreadEndsInItsUpgrade', async () => {
  for (const isBlocking of both) {
    await withActors(1, async (actor) => {
      const lock = fresh(SharedLock);
      const reader = lock.tryLockShared();
      const begun = actor.told('upgrades');
      actor.run('upgradeForEver', toShared(lock), isBlocking).catch(() => {});
      await begun;
      await untilUpgrading(lock);
      const waiting = lock.lockSharedAsync();
      actor.end();
      (await waiting).unlock();
      reader.unlock();
      equal(lock.tryLockUpgradeable(), undefined);
      equal(lock.tryLock(), undefined);
    });
  }
});
