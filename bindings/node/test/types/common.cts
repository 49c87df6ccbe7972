// SPDX-License-Identifier: MIT
// As a CommonJS module.

import futon = require('futon');

const lock: futon.AsyncLock = new futon.AsyncLock(new SharedArrayBuffer(4), 0, { strict: true });
export = lock.executeLocked(() => 1, { timeout: 1 });
