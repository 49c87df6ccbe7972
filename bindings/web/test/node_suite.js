// SPDX-License-Identifier: MIT
// Runs the suite in this thread or in a worker of Node: node_suite.js [worker] [sleeper] [NAME].

import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { removeWaitAsync } from './remove_wait_async.js';

const args = isMainThread ? process.argv.slice(2) : workerData;
const isGiven = (name) => args.includes(name);

if (isMainThread && isGiven('worker')) {
  const worker = new Worker(new URL(import.meta.url), { workerData: args });
  worker.on('message', (failures) => { process.exitCode = failures === 0 ? 0 : 1; });
} else {
  if (isGiven('sleeper')) await removeWaitAsync();
  const { runAll } = await import('./suite.js');
  const failures = await runAll(console.log, args.find((name) => name !== 'worker' && name !== 'sleeper'));
  if (isMainThread) process.exitCode = failures === 0 ? 0 : 1;
  else parentPort.postMessage(failures);
}
