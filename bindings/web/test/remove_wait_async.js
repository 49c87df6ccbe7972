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
        const postMessage = (data) => parentPort.postMessage(data);
        let onmessage;
        parentPort.on('message', (data) => onmessage({ data }));
        ${source}`, { eval: true });
      this.on('message', (data) => this.onmessage({ data }));
      this.on('error', (error) => this.onerror(error));
    }
  };
}
