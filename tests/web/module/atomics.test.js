// SPDX-License-Identifier: MIT
// What the functions take, and what they say, as those of futon-web: bindings/web/test/atomics.test.js.

import { connect } from '../../../bindings/web/module.js';
import { equal, fails, test } from '../../../bindings/web/test/harness.js';
import { withActors } from './actors.js';
import { memoryOf } from './memory.js';

export function testAtomics(Module) {
  const { wait, waitAsync, notify, pause, AsyncLock, canBlock, setCanBlock, waiters } = connect(Module);
  const { makeWords, makeWideWords } = memoryOf(Module);

  test('TheMainThreadMayNotBlock', async () => {
    const words = makeWords();
    equal(canBlock(), false);
    await fails(() => wait(words, 0, 0, 0), 'TypeError', /this thread may not block; use waitAsync/);
    await fails(() => wait(words, 99, 0), 'RangeError', /index/);
    await fails(() => new AsyncLock(words.buffer, words.byteOffset).lock(), 'TypeError', /use AsyncLock.lockAsync/);
    equal(words[0], 0);
    await fails(() => setCanBlock(true), 'TypeError', /may not block/);
    await fails(() => setCanBlock(1), 'TypeError', /boolean/);
    setCanBlock(false);
    equal(canBlock(), false);
  });

  test('AThreadMayBlockUnlessItForbidsItself', () => withActors(Module, 1, async (actor) => {
    const words = makeWords();
    equal(await actor.run('canBlock'), true);
    equal(await actor.run('wait', words.byteOffset, 1), 'not-equal');
    equal(await actor.run('wait', words.byteOffset, 0, 0), 'timed-out');
    equal(await actor.run('wait', words.byteOffset, 0, 1), 'timed-out');
    const [waited, locked, whileForbidden, afterwards] = await actor.run('forbid', words.byteOffset);
    equal(/^TypeError.*waitAsync/.test(waited), true, waited);
    equal(/^TypeError.*lockAsync/.test(locked), true, locked);
    equal(whileForbidden, false);
    equal(afterwards, true);
  }));

  test('WaitAsyncAnswersAtOnceOrByAPromise', async () => {
    const words = makeWords();
    equal(waitAsync(words, 0, 1).value, 'not-equal');
    equal(waitAsync(words, 0, 0, 0).value, 'timed-out');
    equal(waitAsync(words, 0, 0, -5).value, 'timed-out');
    const timed = waitAsync(words, 0, 0, 1);
    equal(timed.async, true);
    equal(await timed.value, 'timed-out');
    equal(await waitAsync(words, 0, 0, { timeout: 1 }).value, 'timed-out');
    equal(waiters(words, 0).length, 0);
    equal(Object.keys(waitAsync(words, 0, 1)).join(), 'async,value');
  });

  test('NotifyWakesTheLongestWaits', async () => {
    const words = makeWords();
    const woken = [];
    const waits = [0, 1, 2].map((i) => waitAsync(words, 0, 0).value.then(() => woken.push(i)));
    equal(notify(words, 0, 2), 2);
    await Promise.all(waits.slice(0, 2));
    equal(woken.join(), '0,1');
    equal(notify(words, 0), 1);
    await waits[2];
    equal(notify(words, 0), 0);
  });

  test('AnAbortLeavesNoPlace', async () => {
    const words = makeWords();
    const abortion = new AbortController();
    const aborted = waitAsync(words, 0, 0, { signal: abortion.signal });
    const next = waitAsync(words, 0, 0);
    const reason = new Error('enough');
    abortion.abort(reason);
    equal(await aborted.value.catch((error) => error), reason);
    equal(waiters(words, 0).length, 1);
    equal(notify(words, 0), 1);
    equal(await next.value, 'ok');
    const late = waitAsync(words, 0, 0, 100, { signal: abortion.signal });
    equal(await late.value.catch((error) => error), reason);
    equal(waiters(words, 0).length, 0);
  });

  test('AnAbortAfterTheNotifyChangesNothing', async () => {
    const words = makeWords();
    const abortion = new AbortController();
    const { value } = waitAsync(words, 0, 0, { signal: abortion.signal });
    equal(notify(words, 0), 1);
    abortion.abort();
    equal(await value, 'ok');
    const timed = waitAsync(words, 0, 0, { timeout: 1, signal: new AbortController().signal });
    equal(await timed.value, 'timed-out');
  });

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
    await fails(() => waitAsync(words, 0, 1n), 'TypeError', /value/);
    await fails(() => waitAsync(makeWideWords(), 0, 1), 'TypeError', /value/);
    await fails(() => waitAsync(makeWideWords(), 0, 'abc'), 'SyntaxError');
    await fails(() => waitAsync(words, 0, 0, 1n), 'TypeError', /timeout/);
    await fails(() => notify(words, 0, Symbol('s')), 'TypeError', /count/);
    await fails(() => pause(1.5), 'TypeError');
  });

  test('AnArrayThatLiesAboutItselfIsSeenThrough', async () => {
    class Liar extends Int32Array {
      get byteOffset() { return 8; }
      get buffer() { return new SharedArrayBuffer(64); }
      get length() { return 2 ** 31; }
    }
    const words = makeWords();
    const liar = new Liar(Module.HEAP32.buffer, words.byteOffset, 4);
    const { value } = waitAsync(words, 1, 0);
    equal(notify(liar, 1), 1);
    equal(await value, 'ok');
    await fails(() => waitAsync(liar, 4, 0), 'RangeError', /index/);
  });

  test('ConversionsRunOnceAndInOrder', async () => {
    const words = makeWords();
    const order = [];
    const noted = (name, value) => ({ valueOf: () => (order.push(name), value) });
    equal(waitAsync(words, noted('index', 0), noted('value', 1), noted('timeout', 5)).value, 'not-equal');
    equal(order.join(), 'index,value,timeout');
    equal(notify(words, '0', noted('count', -1)), 0);
  });

  test('OptionsAreNamedThatCannotBeTaken', async () => {
    const words = makeWords();
    await fails(() => waitAsync(words, 0, 0, { timeOut: 1 }), 'TypeError', /timeOut/);
    await fails(() => waitAsync(words, 0, 0, { timeout: '1' }), 'TypeError', /options.timeout/);
    await fails(() => waitAsync(words, 0, 0, { signal: {} }), 'TypeError', /AbortSignal/);
    await fails(() => waitAsync(words, 0, 0, { ref: 1 }), 'TypeError', /boolean/);
    await fails(() => waitAsync(words, 0, 0, 1, { timeout: 1 }), 'TypeError', /twice/);
    await fails(() => waitAsync(words, 0, 0, undefined, 1), 'TypeError', /object/);
    await fails(() => wait(words, 0, 0, { signal: new AbortController().signal }), 'TypeError', /useless/);
    equal(waiters(words, 0).length, 0);
  });

  test('AHandleTellsWhetherItKeepsTheProgramRunning', async () => {
    const words = makeWords();
    const handle = waitAsync(words, 0, 0, { ref: false });
    equal(handle.hasRef(), false);
    equal(handle.ref().hasRef(), true);
    equal(handle.unref().unref().ref(), handle);
    notify(words, 0);
    equal(await handle.value, 'ok');
    equal(handle.hasRef(), false);
    equal(handle.ref().hasRef(), false);
    equal(waitAsync(words, 0, 1, undefined, {}).hasRef(), false);
    equal(waitAsync(words, 0, 0, { timeout: 1 }).hasRef(), true);
  });
}
