// SPDX-License-Identifier: MIT
'use strict';
// The measurements of case.js, each as a ratio: futon beside the engine's own Atomics. The figures are the best of several
// rounds (or the median, where several threads contend) that alternate, each in a process of its own, so that neither profits from what the other has warmed up.

const { spawnSync } = require('node:child_process');
const { join } = require('node:path');

const least = (figures) => Math.min(...figures);
const median = (figures) => [...figures].sort((a, b) => a - b)[figures.length >> 1];

const CASES = [
  { name: 'notify', text: '`notify`, no waiter', unit: 'ns', goal: 1.3 },
  { name: 'ping-pong', text: 'ping-pong of two blocking threads on one core, a round trip', unit: 'ns', goal: 1.0, oneCore: true },
  { name: 'same-thread', text: '`waitAsync` + `notify` + `await` in one thread', unit: 'ns', goal: 1 / 3 },
  { name: 'across', text: 'the same, ping-pong of two threads on one core, a round trip', unit: 'ns', goal: 1.0, oneCore: true },
  { name: 'mutex', text: 'a mutex of two states on `Atomics`, the polyfill beside the engine', unit: 'ms', goal: 1.0, of: median },
  { name: 'register', text: 'enqueueing one of 100,000 pending waits on one word', unit: 'ns', goal: 1 / 2 },
  { name: 'register-words', text: 'the same, each on a word of its own', unit: 'ns', goal: 2 / 3 },
  { name: 'memory', text: 'memory of one of 100,000 pending waits on one word', unit: 'bytes', goal: 4 / 5 },
  { name: 'memory-words', text: 'the same, each on a word of its own', unit: 'bytes', goal: 4 / 5 },
];

/// On one core where two threads alternate: else where the system puts them changes the figure several times over.
function measureOnce(node, { name, oneCore = false }, kind) {
  const command = [...(oneCore ? ['taskset', '-c', '0'] : []), node, '--expose-gc', join(__dirname, 'case.js'), name, kind];
  const { stdout, status } = spawnSync(command[0], command.slice(1),
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) throw new Error(`case.js ${name} by ${kind} ended with ${status} on ${node}`);
  return Number(stdout);
}

/// What a case takes on that Node, by the engine and by futon.
function measure(node, one, rounds) {
  const engine = [];
  const futon = [];
  for (let i = 0; i < rounds; ++i) {
    engine.push(measureOnce(node, one, 'engine'));
    futon.push(measureOnce(node, one, 'futon'));
  }
  const { of = least } = one;
  const figures = { engine: of(engine), futon: of(futon) };
  return { ...figures, ratio: figures.futon / figures.engine };
}

module.exports = { CASES, measure };
