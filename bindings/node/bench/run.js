// SPDX-License-Identifier: MIT
'use strict';
// futon beside the engine's own Atomics, in one run: `npm run bench`. Each figure is the best of several rounds that
// alternate, each in a process of its own, so that neither profits from what the other has warmed up.
//
//     npm run bench -- [--rounds 5] [NAME ...]
//
// `http` is the name of bench/http.js, which has a server with three ways to lock.

const { spawnSync } = require('node:child_process');
const { join } = require('node:path');

const CASES = [
  { name: 'notify', text: 'notify, no waiter', unit: 'ns', goal: 1.3 },
  { name: 'ping-pong', text: 'ping-pong, two threads blocking', unit: 'ns', goal: 1.0 },
  { name: 'same-thread', text: 'waitAsync + notify + await, one thread', unit: 'ns', goal: 1 / 5 },
  { name: 'across', text: 'waitAsync + notify + await, ping-pong between two threads', unit: 'ns', goal: 1.0 },
  { name: 'register', text: '100,000 pending waits on one word: to enqueue one', unit: 'ns', goal: 1 / 2 },
  { name: 'register-words', text: '100,000 pending waits on as many words: to enqueue one', unit: 'ns', goal: 1 / 2 },
  { name: 'memory', text: '100,000 pending waits on one word: memory of one', unit: 'bytes', goal: 1 / 2 },
  { name: 'memory-words', text: '100,000 pending waits on as many words: memory of one', unit: 'bytes', goal: 1 / 2 },
];

function measure(name, kind) {
  const { stdout, status } = spawnSync(process.execPath, ['--expose-gc', join(__dirname, 'case.js'), name, kind],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) process.exit(1);
  return Number(stdout);
}

let rounds = 5;
const names = process.argv.slice(2);
const option = names.indexOf('--rounds');
if (option >= 0) rounds = Number(names.splice(option, 2)[1]);

console.log(`Node ${process.version}; the best of ${rounds} rounds. Ratio: futon / engine, less is better.`);
for (const { name, text, unit, goal } of CASES) {
  if (names.length > 0 && !names.includes(name)) continue;
  const engine = [];
  const futon = [];
  for (let i = 0; i < rounds; ++i) {
    engine.push(measure(name, 'engine'));
    futon.push(measure(name, 'futon'));
  }
  const [a, b] = [Math.min(...engine), Math.min(...futon)];
  console.log(`${text}\n    engine ${a.toFixed(0)} ${unit}, futon ${b.toFixed(0)} ${unit}: ` +
    `ratio ${(b / a).toFixed(2)} (goal ${goal.toFixed(2)}) ${b / a <= goal ? 'reached' : 'MISSED'}`);
}

// What a program gains, or loses, by all of this. It has more figures than one.
if (names.length === 0 || names.includes('http')) {
  const { status } = spawnSync(process.execPath, [join(__dirname, 'http.js'), '--rounds', String(rounds)],
    { stdio: 'inherit' });
  process.exitCode = status;
}
