// SPDX-License-Identifier: MIT
// Whether a pending wait keeps a program running that exits when nothing is left: exit.js PROGRAM.

import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { connect } from '../../../bindings/web/module.js';

const Module = createRequire(import.meta.url)(resolve(process.argv[2]));
Module.onRuntimeInitialized = () => {
  const { waitAsync, AsyncLock } = connect(Module);
  const words = new Int32Array(Module.HEAP32.buffer, Module._test_words(), 2);
  const kept = waitAsync(words, 0, 0, { timeout: 50 });
  kept.value.then((result) => console.log(`kept: ${result}`));
  for (const wait of [waitAsync(words, 0, 0, { ref: false }), waitAsync(words, 0, 0, { timeout: 60_000 }).unref()])
    wait.value.then(() => console.log('left'));
  const lock = new AsyncLock(words.buffer, words.byteOffset + 4);
  lock.tryLock();
  lock.lockAsync({ ref: false }).then(() => console.log('locked'));
};
