// SPDX-License-Identifier: MIT
'use strict';

// The main file of an agent's thread: runs its script, as global code, with `$262.agent` of an agent.

const vm = require('node:vm');
const { parentPort, workerData } = require('node:worker_threads');
const { engine } = require('../support/implementation');
const { monotonicNow, sleep } = require('./clock');
const { Signals } = require('./signals');

const { source, signals, tickets, reports } = workerData;
const broadcasts = [];
const receivers = [];

function signal(index) {
  Atomics.add(signals, index, 1);
  engine.notify(signals, index);
}

/// Passes each broadcast to one receiver, once both are there.
function deliver() {
  while (broadcasts.length > 0 && receivers.length > 0) {
    const { buffer, id } = broadcasts.shift();
    const receive = receivers.shift();
    signal(Signals.received);
    receive(buffer, id);
  }
}

const agent = {
  receiveBroadcast(receive) {
    receivers.push(receive);
    deliver();
  },
  report(message) {
    const text = String(message);
    reports.postMessage({ ticket: Atomics.add(tickets, 0, 1), text });
  },
  leaving() {
    signal(Signals.left);
    parentPort.unref();
  },
  sleep,
  monotonicNow,
};

// The listener keeps this thread alive until it calls `leaving`.
parentPort.on('message', (broadcast) => {
  broadcasts.push(broadcast);
  deliver();
});

Object.defineProperty(globalThis, '$262', { value: { agent }, writable: true, enumerable: false, configurable: true });
signal(Signals.running);
vm.runInThisContext(source, { filename: 'agent.js' });
