// SPDX-License-Identifier: MIT
'use strict';

// What an Agent's thread runs: calls in the order of their arrival, a blocking one holding up the next.

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
