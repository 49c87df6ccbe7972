// SPDX-License-Identifier: MIT
// The tests of futon-web/module. The main thread of a page and of Node may not block; threads of the program may.

import { runAll as runTests } from '../../../bindings/web/test/harness.js';
import { testAtomics } from './atomics.test.js';
import { testConnect } from './connect.test.js';
import { testLock } from './lock.test.js';
import { testQueue } from './queue.test.js';

/// `make` is the factory of the program, as Emscripten has made it.
export async function runAll(make, log, only = '') {
  const early = {};
  const started = make(early);
  const failures = await testConnect(make, early, started);
  const Module = await started;
  testQueue(Module);
  testAtomics(Module);
  testLock(Module);
  return failures + await runTests(log, only);
}
