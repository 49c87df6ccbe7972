// SPDX-License-Identifier: MIT
'use strict';

// `$262.agent` of the thread that starts agents. As the tests expect, its functions block this thread, whose loop does
// not run meanwhile. They use the engine's own functions.

const path = require('node:path');
const { MessageChannel, Worker, receiveMessageOnPort } = require('node:worker_threads');
const { engine } = require('../support/implementation');
const { monotonicNow, sleep } = require('./clock');
const { Signals } = require('./signals');

const limit = 30_000;
const tickets = new Int32Array(new SharedArrayBuffer(4));
const agents = [];
const reports = new Map();
let nextReport = 0;

/// Starts an agent that runs `source` as a script; returns when it runs.
function start(source) {
  const signals = new Int32Array(new SharedArrayBuffer(Signals.count * 4));
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(path.join(__dirname, 'agent_child.js'), {
    workerData: { source: String(source), signals, tickets, reports: port2 },
    transferList: [port2],
  });
  agents.push({ worker, signals, reports: port1 });
  untilSignal(signals, Signals.running, 1, 'start');
}

/// Sends a buffer, and perhaps a number, to all agents that have not called `leaving`; returns when all have received
/// them.
function broadcast(buffer, id) {
  const present = agents.filter(({ signals }) => Atomics.load(signals, Signals.left) === 0);
  for (const agent of present) {
    agent.expected = Atomics.load(agent.signals, Signals.received) + 1;
    agent.worker.postMessage({ buffer, id });
  }
  for (const { signals, expected } of present) untilSignal(signals, Signals.received, expected, 'receive a broadcast');
}

/// The next report, in the order in which agents made them, or null if there is none yet.
function getReport() {
  for (const agent of agents) {
    for (let got = receiveMessageOnPort(agent.reports); got !== undefined; got = receiveMessageOnPort(agent.reports)) {
      reports.set(got.message.ticket, got.message.text);
    }
  }
  if (!reports.has(nextReport)) return null;

  const text = reports.get(nextReport);
  reports.delete(nextReport++);
  return text;
}

function untilSignal(signals, index, value, what) {
  const deadline = monotonicNow() + limit;
  for (;;) {
    const now = Atomics.load(signals, index);
    if (now >= value || Atomics.load(signals, Signals.left) !== 0) return;
    if (monotonicNow() > deadline) throw new Error(`an agent did not ${what} within ${limit / 1000} s`);
    engine.wait(signals, index, now, 1000);
  }
}

module.exports = { start, broadcast, getReport, sleep, monotonicNow };
