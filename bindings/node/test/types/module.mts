// SPDX-License-Identifier: MIT
// As a module of ECMAScript.

import futon, { AsyncLock, type LockOptions } from 'futon';

const options: LockOptions = { timeout: 1 };
const lock: AsyncLock = new futon.AsyncLock(new SharedArrayBuffer(4), 0, { strict: true });
const guard = await lock.lockAsync(options);
guard.unlock();
