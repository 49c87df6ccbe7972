// SPDX-License-Identifier: MIT
'use strict';

// The main file of an Agent's thread: runs the calls in the order of their arrival; a blocking call delays the next.

const { parentPort } = require('node:worker_threads');
const { waiting, engine, isNative } = require('./implementation');

Object.assign(globalThis, { waiting, engine, isNative, require });

parentPort.on('message', async ({ id, source, args }) => {
  try {
    const body = (0, eval)(`(${source})`);
    parentPort.postMessage({ id, value: await body(...args) });
  } catch (error) {
    parentPort.postMessage({ id, error });
  }
});
