// SPDX-License-Identifier: MIT
// The primitives among several workers and this thread, which only waits by promises.

import { AutoResetEvent, Barrier, Semaphore, SharedLock, toShared } from '../index.js';
import { equal, fresh, nextTask, test, withActors } from './harness.js';

const both = [false, true];
const ROUNDS = 100;

test('PermitsAreConserved', () => withActors(3, async (...actors) => {
  for (const strict of both) {
    const most = 2;
    const semaphore = new Semaphore(new SharedArrayBuffer(64), 0, { permits: most, maximum: most, strict });
    const users = new Int32Array(semaphore.buffer, 32, 2);
    const ends = actors.map((actor) => actor.run('contendForPermits', toShared(semaphore), ROUNDS, 32, most));
    for (let i = 0; i < ROUNDS; ++i) {
      const count = 1 + i % 2;
      const permits = await semaphore.acquireAsync(count);
      if (Atomics.add(users, 0, count) + count > most) Atomics.add(users, 1, 1);
      if (i % 10 === 0) await nextTask();
      Atomics.sub(users, 0, count);
      permits.release();
    }
    await Promise.all(ends);
    equal(users[1], 0, 'too many users');
    equal(semaphore.available, most);
  }
}));

test('ReadersAndWritersExclude', () => withActors(3, async (...actors) => {
  for (const strict of both) {
    const lock = new SharedLock(new SharedArrayBuffer(64), 0, { strict });
    const table = new Int32Array(lock.buffer, 32, 3);
    const ends = actors.map((actor) => actor.run('contendForTable', toShared(lock), ROUNDS, 32));
    let written = 0;
    for (let i = 0; i < ROUNDS; ++i) {
      if (i % 3 === 0) {
        ++written;
        await lock.executeLocked(async () => {
          table[0] += 1;
          if (i % 10 === 0) await nextTask();
          table[1] += 1;
        });
      } else {
        await lock.executeLockedShared(() => { if (table[0] !== table[1]) Atomics.add(table, 2, 1); });
      }
    }
    for (const end of ends) written += await end;
    equal(table[2], 0, 'a reader saw half of a change');
    equal(table.subarray(0, 2).join(), `${written},${written}`);
    (await lock.lockAsync()).unlock();
  }
}));

test('APromiseWritesAmongWorkersThatRead', () => withActors(2, async (...actors) => {
  const lock = new SharedLock(new SharedArrayBuffer(64));
  const readers = actors.map((actor) => actor.run('readUntil', toShared(lock), 32));
  await Promise.all(actors.map((actor) => actor.told('reads')));
  for (let i = 0; i < 10; ++i) (await lock.lockAsync()).unlock();
  Atomics.store(new Int32Array(lock.buffer), 8, 1);
  await Promise.all(readers);
}));

test('NoSignalIsLost', () => withActors(2, async (...actors) => {
  const asked = fresh(AutoResetEvent);
  const answered = fresh(AutoResetEvent);
  const rounds = 2 * ROUNDS;
  const ends = actors.map((actor, i) => actor.run('answer', toShared(asked), toShared(answered), rounds / 2, i === 0));
  for (let i = 0; i < rounds; ++i) {
    asked.set();
    equal(await answered.waitAsync(), 'ok');
  }
  await Promise.all(ends);
  equal(asked.isSet, false);
}));

test('ParticipantsOfABarrierKeepStep', () => withActors(3, async (...actors) => {
  const barrier = new Barrier(new SharedArrayBuffer(64), 0, { participants: 4 });
  const counts = new Int32Array(barrier.buffer, 32, 4);
  const ends = actors.map((actor, i) => actor.run('keepStep', toShared(barrier), ROUNDS, 32, i, 4, i < 2));
  for (let phase = 1; phase <= ROUNDS; ++phase) {
    Atomics.add(counts, 3, 1);
    equal(await barrier.arriveAndWaitAsync(), 'ok');
    for (const count of counts) equal(count >= phase && count <= phase + 1, true, `${counts} in phase ${phase}`);
  }
  equal((await Promise.all(ends)).join(), '0,0,0');
  equal(counts.join(), Array(4).fill(ROUNDS).join());
}));
