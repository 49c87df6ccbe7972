// SPDX-License-Identifier: MIT
'use strict';
// futon beside the engine's own Atomics, in one run: `npm run bench`.
//
//     npm run bench -- [--rounds 5] [NAME ...]
//
// `http` is the name of bench/http.js, which has a server with several ways to lock, and `family` of bench/family.js. bench/busy_loop.js is run by itself.

const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { CASES, measure } = require('./measure');

let rounds = 5;
const names = process.argv.slice(2);
const option = names.indexOf('--rounds');
if (option >= 0) rounds = Number(names.splice(option, 2)[1]);

console.log(`Node ${process.version}; the best of ${rounds} rounds. Ratio: futon / engine, less is better.`);
for (const one of CASES) {
  if (names.length > 0 && !names.includes(one.name)) continue;
  const { engine, futon, ratio } = measure(process.execPath, one, rounds);
  console.log(`${one.text}\n    engine ${engine.toFixed(0)} ${one.unit}, futon ${futon.toFixed(0)} ${one.unit}: ` +
    `ratio ${ratio.toFixed(2)} (goal ${one.goal.toFixed(2)}) ${ratio <= one.goal ? 'reached' : 'MISSED'}`);
}

// The family beside packages of others, which are installed for it.
if (names.includes('family')) {
  const { status } = spawnSync(process.execPath, [join(__dirname, 'family.js'), '--rounds', String(rounds)], { stdio: 'inherit' });
  process.exitCode = status;
}

// What a program gains, or loses, by all of this. It has more figures than one.
if (names.length === 0 || names.includes('http')) {
  const { status } = spawnSync(process.execPath, [join(__dirname, 'http.js'), '--rounds', String(rounds)],
    { stdio: 'inherit' });
  process.exitCode = status;
}
