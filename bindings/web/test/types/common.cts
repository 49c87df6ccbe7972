// SPDX-License-Identifier: MIT
// As a CommonJS module.

import web = require('futon-web');
import module = require('futon-web/module');

declare const program: object;
const { AsyncLock } = module.connect(program);
const lock: web.AsyncLock = new AsyncLock(new SharedArrayBuffer(4), 0, { strict: true });
export = lock.executeLocked(() => 1, { timeout: 1 });
