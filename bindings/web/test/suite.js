// SPDX-License-Identifier: MIT
import './atomics.test.js';
import './async_lock.test.js';

export { runAll } from './harness.js';
