// SPDX-License-Identifier: MIT
'use strict';

// `node in_worker.js FILE` runs a file of tests in a worker thread; the exit code is the worker's.

const path = require('node:path');
const { Worker } = require('node:worker_threads');

const worker = new Worker(path.resolve(process.argv[2]));
worker.on('error', (error) => {
  console.error(error);
  process.exitCode = 1;
});
worker.on('exit', (code) => {
  process.exitCode ||= code;
});
