// SPDX-License-Identifier: MIT
// One queue for threads of C++, for threads of JavaScript and for promises.

import { connect } from '../../../bindings/web/module.js';
import { equal, fails, nextTask, test } from '../../../bindings/web/test/harness.js';
import { startActor, withActors } from './actors.js';
import { memoryOf } from './memory.js';

export function testQueue(Module) {
  const { waitAsync, notify, AsyncLock, waiters } = connect(Module);
  const { makeWords, makeWideWords, makeList } = memoryOf(Module);

  /// A waiter is queued when `waiters` shows it.
  async function untilWaiting(words, count) {
    while (waiters(words, 0).length !== count) await nextTask();
  }

  test('ThreadsAndPromisesLeaveOneQueueInOrder', () => withActors(Module, 1, async (actor) => {
    const words = makeWords();
    const list = makeList();
    const address = words.byteOffset;
    const abortion = new AbortController();
    const reason = new Error('enough');

    Module._test_wait(address, 0, Infinity, list.address, 1);
    await untilWaiting(words, 1);
    const second = waitAsync(words, 0, 0).value.then(() => list.append(2));
    const aborted = waitAsync(words, 0, 0, { signal: abortion.signal }).value.catch((error) => error);
    Module._test_wait(address, 0, Infinity, list.address, 4);
    await untilWaiting(words, 4);
    const fifth = waitAsync(words, 0, 0).value.then(() => list.append(5));
    const blocked = actor.run('wait', address, 0).then(() => list.append(6));
    await untilWaiting(words, 6);

    equal(waiters(words, 0).map(({ kind }) => kind).join(), 'native,waitAsync,waitAsync,native,waitAsync,wait');
    abortion.abort(reason);
    equal(waiters(words, 0).length, 5, 'it has left at once');
    equal(await aborted, reason);
    for (let i = 1; i <= 5; ++i) {
      equal(notify(words, 0, 1), 1);
      await list.until(i, waitAsync);
    }
    equal(notify(words, 0), 0);
    equal(list.read().join(), '1,2,4,5,6');
    await Promise.all([second, fifth, blocked]);
  }));

  test('NotifyCountsWhatIsQueued', async () => {
    const words = makeWords();
    const list = makeList();
    for (let i = 1; i <= 3; ++i) {
      Module._test_wait(words.byteOffset, 0, Infinity, list.address, i);
      await untilWaiting(words, i);
    }
    const waits = [0, 1, 2, 3].map(() => waitAsync(words, 0, 0).value);
    equal(notify(words, 0, 0), 0);
    equal(notify(words, 0, -1), 0);
    equal(notify(words, 0, 5), 5);
    equal(waiters(words, 0).length, 2);
    equal(notify(words, 0), 2);
    equal(notify(words, 0), 0);
    for (const result of await Promise.all(waits)) equal(result, 'ok');
    equal((await list.until(3, waitAsync)).sort().join(), '1,2,3');
  });

  test('AThreadOfCppWakesPromises', async () => {
    const words = makeWords();
    const list = makeList();
    const waits = [0, 1, 2].map(() => waitAsync(words, 0, 0).value);
    Module._test_notify(words.byteOffset, 3, list.address, 7);
    for (const result of await Promise.all(waits)) equal(result, 'ok');
    equal((await list.until(1, waitAsync)).join(), '7');
  });

  test('AThreadOfCppTimesOutAndIsNotCounted', async () => {
    const words = makeWords();
    const list = makeList();
    Module._test_wait(words.byteOffset, 0, 1, list.address, 1);
    Module._test_wait(words.byteOffset, 5, Infinity, list.address, 2);  // not equal
    equal((await list.until(2, waitAsync)).sort().join(), '-1,-2');
    equal(notify(words, 0), 0);
  });

  test('AThreadOfJavaScriptHasPromisesToo', () => withActors(Module, 2, async (first, second) => {
    const words = makeWords();
    const waits = [first.run('waitAsync', words.byteOffset, 0), second.run('wait', words.byteOffset, 0)];
    await untilWaiting(words, 2);
    equal(waiters(words, 0).map(({ kind }) => kind).sort().join(), 'wait,waitAsync');
    equal(await first.run('notify', words.byteOffset), 2);
    equal((await Promise.all(waits)).join(), 'ok,ok');
  }));

  test('WaitersShowsTheQueueInItsOrder', () => withActors(Module, 1, async (actor) => {
    const words = makeWords();
    const list = makeList();
    const { value } = waitAsync(words, 0, 0);
    Module._test_wait(words.byteOffset, 0, Infinity, list.address, 1);
    await untilWaiting(words, 2);
    const blocked = actor.run('wait', words.byteOffset, 0);
    await untilWaiting(words, 3);

    const address = words.byteOffset;
    const seen = waiters(words, 0);
    const operation = 'futon::wait';
    const shown = (waiter) => JSON.stringify(waiter);
    equal(shown(seen[0]), shown({ address, kind: 'waitAsync', isBlocked: false, threadId: 0, operation, holder: undefined }));
    equal(shown(seen[1]), shown({ address, kind: 'native', isBlocked: true, threadId: undefined, operation, holder: undefined }));
    equal(seen[2].kind, 'wait');
    equal(seen[2].isBlocked, true);
    equal(seen[2].threadId > 0, true);
    equal(waiters(words, 1).length, 0);
    equal(waiters(words).length, 3, 'the first element');
    equal(waiters().filter((waiter) => waiter.address === address).length, 3, 'of all words');

    equal(notify(words, 0), 3);
    await Promise.all([value, blocked]);
    await list.until(1, waitAsync);
    await fails(() => waiters({}, 0), 'TypeError', /typedArray/);
    await fails(() => waiters(words, 16), 'RangeError', /index/);
  }));

  test('WaitersTellsWhoHoldsALock', () => withActors(Module, 1, async (actor) => {
    const words = makeWords();
    const list = makeList();
    const lock = new AsyncLock(words.buffer, words.byteOffset);
    lock.tryLock();
    const attempt = lock.lockAsync();
    Module._test_lock(words.byteOffset, list.address, 1);
    await untilWaiting(words, 2);
    const blocked = actor.run('lockAndUnlock', words.byteOffset);
    await untilWaiting(words, 3);
    equal(waiters(words, 0).map(({ kind, holder, operation }) => `${kind} ${holder} ${operation}`).join(),
      ['lockAsync', 'native', 'lock'].map((kind) => `${kind} 0 futon::AsyncLock::lock`).join());
    lock.unlock();
    (await attempt).unlock();
    await blocked;
    await list.until(1, waitAsync);

    const until = makeWords();
    Module._test_hold(words.byteOffset, list.address, 2, until.byteOffset);
    await list.until(2, waitAsync);
    const next = lock.lockAsync();
    equal(waiters(words, 0)[0].holder, undefined, 'C++ holds it');
    Atomics.store(until, 0, 1);
    notify(until, 0);
    (await next).unlock();
  }));

  test('ManyWaitersOfManyWords', async () => {
    const words = makeWords(32);
    const waits = [];
    for (let i = 0; i < 2000; ++i) waits.push(waitAsync(words, i % 20, 0).value);
    equal(waiters().length >= 2000, true);
    let woken = 0;
    for (let i = 0; i < 20; ++i) woken += notify(words, i);
    equal(woken, 2000);
    for (const result of await Promise.all(waits)) equal(result, 'ok');
  });

  test('WordsOfEightBytes', () => withActors(Module, 1, async (actor) => {
    const words = makeWideWords();
    const value = -(2n ** 40n) - 3n;
    words[1] = value;
    equal(waitAsync(words, 1, value + 2n ** 32n).value, 'not-equal');
    equal(waitAsync(words, 1, value + 1n).value, 'not-equal');
    const wait = waitAsync(words, 1, value + 2n ** 64n);
    const blocked = actor.run('waitWide', words.byteOffset + 8, value);
    while (waiters(words, 1).length !== 2) await nextTask();
    equal(notify(words, 1), 2);
    equal(await wait.value, 'ok');
    equal(await blocked, 'ok');
    equal(await actor.run('waitWide', words.byteOffset, 1n), 'not-equal');
  }));

  test('APromiseRejectsIfItsLoopHasEnded', async () => {
    const words = makeWords();
    const lock = new AsyncLock(words.buffer, words.byteOffset + 4);
    lock.tryLock();
    Module._test_begin_loop();
    const wait = waitAsync(words, 0, 0).value;
    const attempt = lock.lockAsync();
    const outlives = fails(() => wait, 'Error', /waitAsync: the event loop has ended/);
    const refused = fails(() => attempt, 'Error', /AsyncLock.lockAsync: the event loop has ended/);
    await nextTask();
    equal(waiters(words, 1).length, 1);
    Module._test_end_loop();
    equal(waiters(words, 0).length, 0);
    equal(waiters(words, 1).length, 0);
    equal(notify(words, 0), 0);
    await outlives;
    await refused;
    lock.unlock();

    const { value } = waitAsync(words, 0, 0);
    equal(notify(words, 0), 1);
    equal(await value, 'ok', 'the loop of connect is there');
  });

  test('AClosedLoopBeginsNoWait', async () => {
    const words = makeWords();
    Module._test_begin_loop();
    Module._test_close_loop();
    const { async: isPending, value } = waitAsync(words, 0, 0);
    equal(isPending, true);
    await fails(() => value, 'Error', /waitAsync: .*closed/);
    equal(waitAsync(words, 0, 1).value, 'not-equal');
    Module._test_end_loop();
  });

  test('AThreadThatEndsRejectsItsPromises', async () => {
    const words = makeWords();
    const ended = new BroadcastChannel('ended');
    const told = new Promise((resolve) => { ended.onmessage = ({ data: { value } }) => resolve(value); });
    const actor = await startActor(Module);
    equal(await actor.run('endThread', words.byteOffset), 1);
    equal(/event loop has ended/.test(await told), true);
    equal(waiters(words, 0).length, 0);
    ended.close();
  });
}
