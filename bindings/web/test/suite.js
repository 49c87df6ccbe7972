// SPDX-License-Identifier: MIT
import './atomics.test.js';
import './async_lock.test.js';
import './family.test.js';
import './family_locks.test.js';
import './family_upgrades.test.js';
import './condition.test.js';
import './channel.test.js';
import './select.test.js';
import './family_contention.test.js';
import './ended_wakers.test.js';

export { runAll } from './harness.js';
