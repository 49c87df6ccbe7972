// SPDX-License-Identifier: MIT
// An engine without Atomics.waitAsync, to be made before the package is loaded. Node also gets the globals of a browser that the
// package needs then.

import { isNode } from './harness.js';

export async function removeWaitAsync() {
  delete Atomics.waitAsync;
  if (!isNode) return;
  const threads = await import('node:worker_threads');
  globalThis.Blob = class {
    constructor([source]) {
      this.source = source;
    }
  };
  URL.createObjectURL = ({ source }) => source;
  globalThis.Worker = class extends threads.Worker {
    constructor(source) {
      super(`const { parentPort } = require('node:worker_threads');
        const { wait } = Atomics;
        // As if the system took the processor from a sleeper that is about to sleep: the first where the last of 16 words is 1,
        // until the one before it is 1.
        Atomics.wait = (words, ...args) => {
          if (words.length === 16 && Atomics.compareExchange(words, 15, 1, 0) === 1) wait(words, 14, 0);
          return wait(words, ...args);
        };
        const postMessage = (data) => parentPort.postMessage(data);
        let onmessage;
        parentPort.on('message', (data) => onmessage({ data }));
        ${source}`, { eval: true });
      this.on('message', (data) => this.onmessage({ data }));
      this.on('error', (error) => this.onerror(error));
    }
  };
}
