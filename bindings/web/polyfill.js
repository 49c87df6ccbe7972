// SPDX-License-Identifier: MIT
// Gives this thread an Atomics.waitAsync if its engine has none. Then Atomics.notify is replaced too, for a promise of this
// thread whose sleeper has not begun to sleep is known to this thread only.

import { waitAsync, notify, pause } from './src/atomics.js';
import { engineWaitAsync } from './src/engine.js';

function install(name, value) {
  Object.defineProperty(Atomics, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
}

if (engineWaitAsync === undefined) {
  install('waitAsync', waitAsync);
  install('notify', notify);
}
if (Atomics.pause === undefined) install('pause', pause);
