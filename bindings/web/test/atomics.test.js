// SPDX-License-Identifier: MIT
import { canBlock, notify, pause, setCanBlock, wait, waitAsync } from '../index.js';
import { equal, fails, isNode, nextTask, test, withActors } from './harness.js';

const makeWords = () => new Int32Array(new SharedArrayBuffer(64));
const isPage = typeof window === 'object';

/// Wakes that many waiters: a sleeper that has not begun to sleep in another thread cannot be seen.
function notifyExactly(words, count) {
  for (let woken = 0; woken < count;) woken += notify(words, 0, count - woken);
}

test('AThreadMayBlockUnlessItIsThatOfAPage', async () => {
  equal(canBlock(), !isPage);
  await withActors(1, async (actor) => equal(await actor.run('canBlock'), true));
});

test('WaitComparesAndTimesOut', async () => {
  const words = makeWords();
  if (isPage) return void await fails(() => wait(words, 0, 0, 0), 'TypeError', /waitAsync/);
  equal(wait(words, 0, 1), 'not-equal');
  equal(wait(words, 0, 0, 0), 'timed-out');
  equal(wait(words, 0, 0, { timeout: 1 }), 'timed-out');
  equal(wait(words, 0, 0, 1, {}), 'timed-out');
});

test('SetCanBlockForbidsBlocking', async () => {
  if (isPage) return void await fails(() => setCanBlock(true), 'TypeError', /engine/);
  setCanBlock(false);
  try {
    await fails(() => wait(makeWords(), 0, 0), 'TypeError', /waitAsync/);
    await fails(() => wait(makeWords(), 99, 0), 'RangeError', /index/);
  } finally {
    setCanBlock(true);
  }
  await fails(() => setCanBlock(1), 'TypeError', /boolean/);
});

test('WaitAsyncAnswersAtOnceOrByAPromise', async () => {
  const words = makeWords();
  equal(waitAsync(words, 0, 1).value, 'not-equal');
  equal(waitAsync(words, 0, 0, 0).value, 'timed-out');
  const timed = waitAsync(words, 0, 0, 1);
  equal(timed.async, true);
  equal(await timed.value, 'timed-out');
});

test('NotifyWakesTheLongestWaitsAndCountsThem', async () => {
  const words = makeWords();
  const woken = [];
  const waits = [0, 1, 2].map((i) => waitAsync(words, 0, 0).value.then(() => woken.push(i)));
  equal(notify(words, 0, 2), 2);
  await Promise.all(waits.slice(0, 2));
  equal(String(woken.sort()), '0,1');
  equal(notify(words, 0), 1);
  await waits[2];
  equal(notify(words, 0), 0);
});

// Firefox collected sleepers of workers, to which nothing referred while they slept.
test('EachAnswerArrivesThoughTheCollectorRuns', async () => {
  const words = makeWords();
  let garbage;
  for (let round = 0; round < 25; ++round) {
    const waits = [0, 1, 2].map(() => waitAsync(words, 0, 0).value);
    for (let turn = 0; turn < 30; ++turn) {
      garbage = Array.from({ length: 10000 }, (_, i) => ({ i, garbage: [i] }));
      await nextTask();
    }
    notifyExactly(words, 3);
    equal((await Promise.all(waits)).join(), 'ok,ok,ok');
  }
  equal(garbage.length, 10000);
});

test('AWaitIsWokenBeforeALaterOneWhoseSleeperWasQuicker', async () => {
  const words = makeWords();
  await Promise.all([0, 1].map(() => waitAsync(words, 0, 0, 1).value));  // two sleepers have started
  words[15] = 1;  // in Node the first sleeper stops before it sleeps: see remove_wait_async.js
  const woken = [];
  const waits = [0, 1].map((i) => waitAsync(words, 0, 0).value.then(() => woken.push(i)));
  equal(notify(words, 0, 1), 1);
  await Promise.race(waits);
  equal(String(woken), '0');
  Atomics.store(words, 14, 1);
  Atomics.notify(words, 14);
  equal(notify(words, 0), 1);
  await waits[1];
  equal(notify(words, 0), 0);
});

test('ANotifyRightAfterAWaitOfItsThreadFindsIt', async () => {
  const words = makeWords();
  for (let i = 0; i < 100; ++i) {
    const waits = [waitAsync(words, 0, i), waitAsync(words, 0, i)];
    Atomics.store(words, 0, i + 1);  // a wait that has begun does not compare again
    if (i % 2 === 0) {
      equal(notify(words, 0, 1), 1, `the first of ${i}`);
      equal(notify(words, 0), 1, `the others of ${i}`);
    } else {
      equal(notify(words, 0), 2, `all of ${i}`);
    }
    equal(notify(words, 0), 0, `none left of ${i}`);
    for (const { value } of waits) equal(await value, 'ok');
    if (i % 10 === 0) await nextTask();
  }
});

test('AWaitWhoseWordChangesAtOnceIsOver', () => withActors(1, async (actor) => {
  const words = makeWords();
  for (let i = 0; i < 20; ++i) {
    const end = actor.run('change', words.buffer, i);
    const { value } = waitAsync(words, 0, i);
    await end;
    // With an engine's function the worker finds it or it does not begin; a sleeper may come after the change.
    equal(['ok', 'not-equal'].includes(await value), true, String(i));
  }
}));

test('BigIntElementsAreWaitedOn', async () => {
  const words = new BigInt64Array(new SharedArrayBuffer(16));
  equal(waitAsync(words, 1, 1n).value, 'not-equal');
  const { value } = waitAsync(words, 1, 2n ** 64n);
  equal(notify(words, 1), 1);
  equal(await value, 'ok');
});

test('NotifyWakesABlockedWorker', () => withActors(1, async (actor) => {
  const words = makeWords();
  const result = actor.run('wait', words.buffer, 0);
  while (notify(words, 0) === 0) await nextTask();
  equal(await result, 'ok');
}));

test('AWorkerWakesAPromise', () => withActors(1, async (actor) => {
  const words = makeWords();
  const { value } = waitAsync(words, 0, 0);
  await actor.run('notify', words.buffer, 1);
  equal(await value, 'ok');
}));

test('AnAbortRejectsAtOnceAndItsPlaceSwallowsNoNotify', async () => {
  const words = makeWords();
  const abortion = new AbortController();
  const aborted = waitAsync(words, 0, 0, { signal: abortion.signal });
  const next = waitAsync(words, 0, 0);
  const reason = new Error('enough');
  abortion.abort(reason);
  equal(await aborted.value.catch((error) => error), reason);
  equal(notify(words, 0, 1), 1);
  equal(await next.value, 'ok');
  const late = waitAsync(words, 0, 0, 100, { signal: abortion.signal });
  equal(await late.value.catch((error) => error), reason);
});

test('AnAbortBetweenItsNotifyAndItsTurnPassesTheNotifyOn', async () => {
  const words = makeWords();
  const abortion = new AbortController();
  const reason = new Error('enough');
  const aborted = waitAsync(words, 0, 0, { signal: abortion.signal });
  const next = waitAsync(words, 0, 0);
  equal(notify(words, 0, 1), 1);
  abortion.abort(reason);
  equal(await aborted.value.catch((error) => error), reason);
  equal(await next.value, 'ok');
});

test('AnAbortAfterTheWaitHasSettledWakesNoWaiter', async () => {
  const words = makeWords();
  const abortion = new AbortController();
  const first = waitAsync(words, 0, 0, { signal: abortion.signal });
  equal(notify(words, 0, 1), 1);
  equal(await first.value, 'ok');
  const next = waitAsync(words, 0, 0, 10);
  abortion.abort();
  equal(await next.value, 'timed-out');
});

test('ManyAbortedPlacesPassOneNotifyOnToTheFirstThatWaits', async () => {
  const words = makeWords();
  const aborted = [1, 2, 3].map(() => {
    const abortion = new AbortController();
    const { value } = waitAsync(words, 0, 0, { signal: abortion.signal });
    abortion.abort();
    return value.catch((error) => error.name);
  });
  const first = waitAsync(words, 0, 0);
  const second = waitAsync(words, 0, 0);
  equal(notify(words, 0, 1), 1);
  for (const name of await Promise.all(aborted)) equal(name, 'AbortError');
  equal(await first.value, 'ok');
  equal(notify(words, 0), 1, 'the second is still queued');
  equal(await second.value, 'ok');
});

test('AnAbortedPlaceWhoseTimeIsOverWakesNoWaiter', async () => {
  const words = makeWords();
  const abortion = new AbortController();
  const aborted = waitAsync(words, 0, 0, { timeout: 1, signal: abortion.signal });
  abortion.abort();
  const next = waitAsync(words, 0, 0, 30);
  equal(await aborted.value.catch((error) => error.name), 'AbortError');
  equal(await next.value, 'timed-out');
});

test('ANotifyOfAnotherThreadThatMeetsAnAbortedPlaceReachesTheNext', () => withActors(1, async (actor) => {
  const words = makeWords();
  const abortion = new AbortController();
  const aborted = waitAsync(words, 0, 0, { signal: abortion.signal });
  const next = waitAsync(words, 0, 0);
  abortion.abort();
  equal(await aborted.value.catch((error) => error.name), 'AbortError');
  await actor.run('notify', words.buffer, 1);
  equal(await next.value, 'ok');
}));

test('ManyPromisesAndBlockedWorkersShareTheQueue', () => withActors(2, async (first, second) => {
  const words = makeWords();
  const waits = [first.run('wait', words.buffer, 0), second.run('wait', words.buffer, 0)];
  for (let i = 0; i < 20; ++i) waits.push(waitAsync(words, 0, 0).value);
  let left = 22;
  while (left > 0) {
    left -= notify(words, 0, left);
    await nextTask();
  }
  for (const result of await Promise.all(waits)) equal(result, 'ok');
}));

test('ArgumentsAreNamedThatCannotBeTaken', async () => {
  const words = makeWords();
  for (const call of [waitAsync, notify]) {
    for (const wrong of [undefined, null, 1, {}, [], new Uint8Array(4), new Float64Array(1), new Uint32Array(words.buffer)])
      await fails(() => call(wrong, 0, 0), 'TypeError', /typedArray/);
    for (const index of [-1, 16, Infinity, 2 ** 53]) await fails(() => call(words, index, 0), 'RangeError', /index/);
    await fails(() => call(words, Symbol('s'), 0), 'TypeError', /index/);
    await fails(() => call(words, 0n, 0), 'TypeError', /index/);
    const detached = new Int32Array(4);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    await fails(() => call(detached, 0, 0), 'TypeError', /detached/);
  }
  await fails(() => waitAsync(new Int32Array(1), 0, 0), 'TypeError', /SharedArrayBuffer/);
  equal(notify(new Int32Array(1), 0), 0);
  await fails(() => waitAsync(words, 0, 1n), 'TypeError', /value/);
  await fails(() => waitAsync(new BigInt64Array(words.buffer), 0, 1), 'TypeError', /value/);
  await fails(() => waitAsync(new BigInt64Array(words.buffer), 0, 'abc'), 'SyntaxError');
  await fails(() => waitAsync(words, 0, 0, 1n), 'TypeError', /timeout/);
  await fails(() => notify(words, 0, Symbol('s')), 'TypeError', /count/);
});

test('ConversionsRunOnceAndInOrder', async () => {
  const words = makeWords();
  const order = [];
  const noted = (name, value) => ({ valueOf: () => (order.push(name), value) });
  waitAsync(words, noted('index', 0), noted('value', 1), noted('timeout', 5));
  equal(order.join(), 'index,value,timeout');
  equal(notify(words, '0', noted('count', -1)), 0);
});

test('TheFunctionsHaveTheNamesAndLengthsOfTheSpecification', async () => {
  for (const [call, name, length] of [[wait, 'wait', 4], [waitAsync, 'waitAsync', 4], [notify, 'notify', 3], [pause, 'pause', 0]]) {
    equal(call.name, name);
    equal(call.length, length, name);
    equal('prototype' in call, false, name);
    await fails(() => Reflect.construct(call, []), 'TypeError');
  }
});

test('OptionsAreNamedThatCannotBeTaken', async () => {
  const words = makeWords();
  await fails(() => waitAsync(words, 0, 0, { timeOut: 1 }), 'TypeError', /timeOut/);
  await fails(() => waitAsync(words, 0, 0, { timeout: '1' }), 'TypeError', /options.timeout/);
  await fails(() => waitAsync(words, 0, 0, { timeout: NaN }), 'TypeError', /NaN/);
  await fails(() => waitAsync(words, 0, 0, { signal: {} }), 'TypeError', /AbortSignal/);
  await fails(() => waitAsync(words, 0, 0, { ref: 1 }), 'TypeError', /boolean/);
  await fails(() => waitAsync(words, 0, 0, new AbortController().signal), 'TypeError', /signal/);
  await fails(() => waitAsync(words, 0, 0, 1, { timeout: 1 }), 'TypeError', /twice/);
  await fails(() => waitAsync(words, 0, 0, { timeout: 1 }, {}), 'TypeError', /twice/);
  await fails(() => waitAsync(words, 0, 0, undefined, 1), 'TypeError', /object/);
  await fails(() => wait(words, 0, 0, { signal: new AbortController().signal }), 'TypeError', /useless/);
  await fails(() => wait(words, 0, 0, { ref: true }), 'TypeError', /useless/);
  const handle = waitAsync(words, 0, 0, { timeout: 1, ref: false });
  equal(handle.hasRef(), false);
  equal(handle.unref().ref() === handle, true);
  equal(await handle.value, 'timed-out');
  equal(handle.hasRef(), false);
});

test('AnAbortThatNoCodeHandlesIsReported', async () => {
  if (!isNode) return;
  const reasons = [];
  const report = (reason) => reasons.push(reason);
  process.on('unhandledRejection', report);
  try {
    const words = makeWords();
    const controllers = Array.from({ length: 3 }, () => new AbortController());
    const [first, second, handled] = controllers.map(({ signal }, i) => waitAsync(words, i, 0, { signal, ref: i > 0 }));
    handled.value.catch(() => {});
    controllers.forEach((controller, i) => controller.abort(i));
    for (let i = 0; i < 5; ++i) await nextTask();
    equal(reasons.join(), '0,1');
    equal(first.hasRef() || second.hasRef() || handled.hasRef(), false);
  } finally {
    process.removeListener('unhandledRejection', report);
  }
});

test('OnlySharedMemoryOfTheSameBytesIsTheSameQueue', async () => {
  const words = makeWords();
  const { value } = waitAsync(words, 2, 0);
  equal(notify(words, 1), 0);
  equal(notify(new Int32Array(words.buffer, 8), 0), 1);
  equal(await value, 'ok');
  notifyExactly(words, 0);
});

test('PauseIsAHint', async () => {
  equal(pause(), undefined);
  equal(pause(3), undefined);
  await fails(() => pause(1.5), 'TypeError');
});
