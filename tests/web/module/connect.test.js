// SPDX-License-Identifier: MIT
import { connect } from '../../../bindings/web/module.js';
import { equal, fails, test } from '../../../bindings/web/test/harness.js';
import { memoryOf } from './memory.js';

/// `early` is the program's object before it has started, which it does when `started` is fulfilled.
export async function testConnect(make, early, started) {
  const tooEarly = await fails(() => connect(early), 'Error').catch((error) => error);

  test('AProgramThatHasNotStartedIsTold', () =>
    fails(() => { throw tooEarly; }, 'Error', /has not started yet.*onRuntimeInitialized/));

  test('WhatIsNoProgramIsNamed', async () => {
    await fails(() => connect(), 'TypeError', /Module must be the object of a program/);
    await fails(() => connect(7), 'TypeError', /Module/);
    await fails(() => connect(make), 'TypeError', /call that, and await/);
    await fails(() => connect(started), 'TypeError', /await that/);
    await fails(() => connect({ calledRun: true }), 'Error', /futon::javascript_module/);
    await fails(() => connect({}), 'Error', /has not started yet.*futon::javascript_module/);
  });

  test('ConnectGivesTheSameNamesEachTime', async () => {
    const Module = await started;
    const names = connect(Module);
    equal(connect(Module), names);
    equal(Object.keys(names).join(), 'wait,waitAsync,notify,pause,AsyncLock,canBlock,setCanBlock,waiters');
    for (const [name, length] of [['wait', 4], ['waitAsync', 4], ['notify', 3], ['pause', 0], ['waiters', 0]]) {
      equal(names[name].name, name);
      equal(names[name].length, length, name);
      await fails(() => Reflect.construct(names[name], []), 'TypeError');
    }
  });

  test('AnyViewOfTheMemoryIsTaken', async () => {
    const Module = await started;
    const { waitAsync, notify, AsyncLock } = connect(Module);
    const { makeWords } = memoryOf(Module);
    const old = makeWords();
    const size = Module._test_grow();
    const grown = makeWords(4 << 20);  // does not fit into what there was
    equal(Module.HEAP32.buffer.byteLength >= size && old.buffer.byteLength < size, true, 'the memory has grown');
    equal(grown.byteOffset + grown.byteLength > old.buffer.byteLength, true, 'beyond the old end');

    for (const [waiting, notifying] of [[old.buffer, grown.buffer], [grown.buffer, old.buffer], [structuredClone(old.buffer), old.buffer]]) {
      const { value } = waitAsync(new Int32Array(waiting, old.byteOffset, 4), 1, 0);
      equal(notify(new Int32Array(notifying, old.byteOffset + 4), 0), 1);
      equal(await value, 'ok');
    }
    const last = grown.length - 1;
    const { value } = waitAsync(grown, last, 0);
    equal(notify(grown, last), 1);
    equal(await value, 'ok');

    const lock = new AsyncLock(old.buffer, old.byteOffset);
    equal(lock.buffer, old.buffer);
    equal(new AsyncLock(grown.buffer, old.byteOffset).tryLock() !== undefined, true);
    equal(lock.tryLock(), undefined);
    lock.unlock();
  });

  test('OtherMemoryIsRefused', async () => {
    const Module = await started;
    const { wait, waitAsync, notify, AsyncLock, waiters } = connect(Module);
    for (const bytes of [64, Module.HEAP32.buffer.byteLength]) {
      const other = new SharedArrayBuffer(bytes);
      const words = new Int32Array(other);
      for (const call of [wait, waitAsync, notify, waiters])
        await fails(() => call(words, 0, 0), 'TypeError', /typedArray.buffer must be of the memory of the program.*futon-web itself/);
      await fails(() => new AsyncLock(other), 'TypeError', /buffer must be of the memory/);
    }
    await fails(() => waitAsync(new Int32Array(4), 0, 0), 'TypeError', /SharedArrayBuffer/);
    equal(notify(new Int32Array(4), 0), 0);
  });

  test('TheBeginningOfTheMemoryIsNoPlaceOfAWordOrALock', async () => {
    const Module = await started;
    const { wait, waitAsync, notify, AsyncLock, waiters } = connect(Module);
    const words = new Int32Array(Module.HEAP32.buffer);
    for (const call of [waitAsync, notify, waiters]) await fails(() => call(words, 0, 0), 'RangeError', /address zero/);
    await fails(() => new AsyncLock(words.buffer), 'RangeError', /byteOffset must be the address of the lock/);
    equal(words[0], 0);
  });

  return 0;
}
