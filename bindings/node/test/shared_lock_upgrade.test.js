// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// SharedLock: what upgradeable holds promise, and their upgrades.

const assert = require('node:assert/strict');
const { SharedLock, select, selectAsync, waiters } = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { int32, nextIteration, pending, stateOf } = require('./support/wait_queue');

const dispose = Symbol.dispose ?? Symbol.for('nodejs.dispose');
const fresh = (options) => new SharedLock(new SharedArrayBuffer(8), 0, options);

async function untilQueued(lock, count) {
  while (lock.waiters().length !== count) await nextIteration();
}

/// Until an upgrade waits, of any thread.
async function untilUpgrading(lock) {
  while (!lock.waiters().some(({ operation }) => operation === 'futon::SharedLock::upgrade')) await nextIteration();
}

test('One holds it upgradeable, alongside readers', () => {
  const lock = fresh();
  const reader = lock.lockShared();
  const held = lock.lockUpgradeable();
  assert.deepEqual([held.ownsLock, held.isUpgradeable, held.isShared, reader.isUpgradeable], [true, true, false, false]);
  assert.equal(lock.tryLockUpgradeable(), undefined);
  assert.equal(lock.tryLock(), undefined);
  lock.tryLockShared().unlock();
  reader.unlock();
  assert.equal(lock.tryLock(), undefined);
  held.unlock();
  assert.equal(held.ownsLock, false);
  lock.tryLockUpgradeable()[dispose]();
  lock.tryLock().unlock();
});

test('An upgrade is at once if none reads', async () => {
  const lock = fresh();
  for (const way of [(held) => held.tryUpgrade(), (held) => held.upgrade(), (held) => held.upgradeAsync()]) {
    const held = lock.tryLockUpgradeable();
    const writer = await way(held);
    assert.deepEqual([held.ownsLock, writer.ownsLock, writer.isUpgradeable, writer.isShared], [false, true, false, false]);
    assert.equal(lock.tryLockShared(), undefined);
    held[dispose]();  // holds nothing
    assert.equal(lock.tryLockShared(), undefined);
    writer.unlock();
  }
  lock.tryLock().unlock();
});

test('An upgrade waits for the readers, keeps new ones out, and overtakes writers', async () => {
  const lock = fresh();
  const reader = lock.lockShared();
  const held = await lock.lockUpgradeableAsync();
  const other = lock.lockAsync();
  assert.equal(held.tryUpgrade(), undefined);
  assert.equal(held.ownsLock, true);
  const upgrade = held.upgradeAsync();
  assert.equal(lock.tryLockShared(), undefined);
  const late = lock.lockSharedAsync();
  await nextIteration();
  assert.deepEqual(lock.waiters().map(({ operation }) => operation),
    ['futon::SharedLock::upgrade', 'futon::SharedLock::lock', 'futon::SharedLock::lock_shared']);
  reader.unlock();
  const writer = await upgrade;
  assert.equal(await stateOf(other), pending);
  writer.unlock();
  (await other).unlock();
  (await late).unlock();
  lock.tryLock().unlock();
});

test('A worker blocks until its upgrade is done', async () => {
  await withAgents(1, async (agent) => {
    const words = int32(4);
    const lock = new SharedLock(words.buffer);
    const reader = lock.lockShared();
    const written = agent.run((buffer) => {
      const { SharedLock: Lock } = require('../..');
      const held = new Lock(buffer).lockUpgradeable();
      const seen = new Int32Array(buffer)[2];
      const writer = held.upgrade({ timeout: 60_000 });
      const isSame = new Int32Array(buffer)[2] === seen;
      new Int32Array(buffer)[2] = 7;
      const again = writer.downgradeToUpgradeable();
      again.downgrade().unlock();
      return [isSame, held.ownsLock, writer.ownsLock, again.ownsLock];
    }, words.buffer);
    await untilUpgrading(lock);
    const other = lock.executeLocked(() => (words[2] += 1));
    assert.equal(lock.tryLockShared(), undefined);
    reader.unlock();
    assert.deepEqual(await written, [true, false, false, false]);
    assert.equal(await other, 8);
    lock.tryLock().unlock();
  });
});

test('Threads and promises that want it upgradeable wait in the queue', async () => {
  await withAgents(1, async (agent) => {
    const lock = fresh({ strict: true });
    const held = lock.lockUpgradeable();
    const there = agent.run((buffer) => {
      const { SharedLock: Lock } = require('../..');
      const guard = new Lock(buffer).lockUpgradeable();
      guard.unlock();
      return guard.isUpgradeable;
    }, lock.buffer);
    await untilQueued(lock, 1);
    const here = lock.lockUpgradeableAsync();
    await untilQueued(lock, 2);
    held.downgrade().unlock();
    assert.equal(await there, true);
    (await here).unlock();
    lock.tryLock().unlock();
  });
});

test('An upgrade times out or is aborted, and the hold stays upgradeable', async () => {
  const lock = fresh();
  const reader = lock.lockShared();
  const held = lock.lockUpgradeable();
  const late = { name: 'TimeoutError', message: /SharedLockGuard.upgrade(Async)?: others still read when the time-out was over/ };
  for (const timeout of [0, 1]) {
    assert.throws(() => held.upgrade({ timeout }), late);
    await assert.rejects(held.upgradeAsync({ timeout }), late);
    assert.equal(held.ownsLock && held.isUpgradeable, true);
    lock.tryLockShared().unlock();
  }
  await assert.rejects(held.upgradeAsync({ timeout: 1 }), ({ stack }) => stack.includes('shared_lock_upgrade.test.js'));
  const reason = new Error('enough');
  const controller = new AbortController();
  const upgrade = held.upgradeAsync({ signal: controller.signal });
  assert.equal(lock.tryLockShared(), undefined);
  const waiting = lock.lockSharedAsync();
  controller.abort(reason);
  await assert.rejects(upgrade, reason);
  (await waiting).unlock();
  await assert.rejects(held.upgradeAsync({ signal: controller.signal }), reason);
  lock.tryLockShared().unlock();
  reader.unlock();
  held.tryUpgrade().unlock();
  assert.deepEqual(waiters(), []);
});

test('A hold is downgraded to each weaker one, and those that waited enter', async () => {
  const lock = fresh();
  const writer = lock.lock();
  const reading = lock.lockSharedAsync();
  const held = writer.downgradeToUpgradeable();
  assert.deepEqual([writer.ownsLock, held.isUpgradeable], [false, true]);
  (await reading).unlock();
  const next = lock.lockUpgradeableAsync();
  assert.equal(await stateOf(next), pending);
  const reader = held.downgrade();
  assert.deepEqual([held.ownsLock, reader.isShared], [false, true]);
  (await next).unlock();
  assert.equal(lock.tryLock(), undefined);
  reader.unlock();
  lock.tryLock().unlock();
});

test('Misuse is refused, and changes nothing', async () => {
  const lock = fresh();
  const writer = lock.lock();
  const upgradeable = { code: 'EPERM', message: /SharedLockGuard.\w*[uU]pgrade\w*: the guard does not hold the lock upgradeable/ };
  for (const isShared of [false, true]) {
    const guard = isShared ? writer.downgrade() : writer;
    assert.throws(() => guard.tryUpgrade(), upgradeable);
    assert.throws(() => guard.upgrade(), upgradeable);
    await assert.rejects(guard.upgradeAsync(), upgradeable);
    if (!isShared) continue;
    assert.throws(() => guard.downgradeToUpgradeable(), { code: 'EPERM', message: /does not hold the lock exclusively/ });
    guard.unlock();
  }
  const held = lock.lockUpgradeable();
  assert.throws(() => held.downgradeToUpgradeable(), { code: 'EPERM' });
  assert.throws(() => held.upgrade({ signal: AbortSignal.abort() }), { name: 'TypeError', message: /^SharedLockGuard.upgrade: / });
  await assert.rejects(held.upgradeAsync({ timeout: 'soon' }), { name: 'TypeError', message: /^SharedLockGuard.upgradeAsync: / });
  const reader = lock.lockShared();
  const upgrade = held.upgradeAsync();
  const busy = { code: 'EPERM', message: /the guard is being upgraded/ };
  for (const verb of ['tryUpgrade', 'upgrade', 'unlock', 'downgrade']) assert.throws(() => held[verb](), busy);
  await assert.rejects(held.upgradeAsync(), busy);
  assert.equal(held.ownsLock, true);
  reader.unlock();
  (await upgrade).unlock();
  assert.throws(() => held.upgrade(), upgradeable);
  lock.tryLock().unlock();
});

test('What another has released is not upgraded', async () => {
  const words = int32(2);
  const lock = new SharedLock(words.buffer);
  const held = lock.lockUpgradeable();
  words.fill(0);
  const refused = { code: 'EPERM', message: /the lock is not held upgradeable, or another upgrade waits/ };
  assert.throws(() => held.tryUpgrade(), refused);
  assert.throws(() => held.upgrade(), refused);
  await assert.rejects(held.upgradeAsync(), refused);
  assert.throws(() => held.unlock(), { code: 'EPERM', message: /not held so/ });
  lock.tryLock().unlock();
});

test('A guard that goes out of scope while its upgrade waits releases the lock when that is over', async () => {
  for (const end of ['done', 'aborted']) {
    const lock = fresh();
    const reader = lock.lockShared();
    const held = lock.lockUpgradeable();
    const controller = new AbortController();
    const upgrade = held.upgradeAsync({ signal: controller.signal });
    held[dispose]();
    assert.equal(held.ownsLock, false);
    assert.throws(() => held.unlock(), { code: 'EPERM', message: /does not hold the lock/ });
    if (end === 'aborted') controller.abort();
    reader.unlock();
    await assert.rejects(upgrade, end === 'done' ? { code: 'EPERM', message: /was released meanwhile/ } : { name: 'AbortError' });
    lock.tryLock().unlock();
  }
});

test('select waits for it, too', async () => {
  const lock = fresh();
  const held = lock.lockUpgradeable();
  const operations = [lock.lockingUpgradeable(), lock.locking()];
  assert.equal(select(operations, { timeout: 0 }).index, -1);
  const selected = selectAsync([lock.lockingUpgradeable()]);
  assert.equal(await stateOf(selected), pending);
  held.unlock();
  const { value } = await selected;
  assert.equal(value.isUpgradeable, true);
  value.upgrade().unlock();
  const found = select(operations);
  assert.equal(found.value.isUpgradeable, found.index === 0);
  found.value.unlock();
  lock.tryLock().unlock();
});

// What it holds stays held, as of any thread.
const UPGRADES = {
  blocked: (buffer) => {
    const { SharedLock: Lock } = require('../..');
    new Lock(buffer).lockUpgradeable().upgrade();
  },
  'that waits by a promise': async (buffer) => {
    const { SharedLock: Lock } = require('../..');
    globalThis.held = new Lock(buffer).lockUpgradeable();
    await globalThis.held.upgradeAsync();
  },
};
for (const [how, upgrade] of Object.entries(UPGRADES)) {
  test(`Readers go on when a thread is terminated in an upgrade, ${how}`, async () => {
    await withAgents(1, async (agent) => {
      const lock = fresh();
      const reader = lock.lockShared();
      agent.run(upgrade, lock.buffer);
      await untilUpgrading(lock);
      assert.equal(lock.tryLockShared(), undefined);
      const waiting = lock.lockSharedAsync();
      await untilQueued(lock, 2);
      await agent.terminate();
      (await waiting).unlock();
      assert.deepEqual(lock.waiters(), []);
      reader.unlock();
      assert.equal(lock.tryLockUpgradeable(), undefined);
      lock.tryLockShared().unlock();
    });
  });
}
