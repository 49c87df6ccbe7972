// SPDX-License-Identifier: MIT
'use strict';
// A loop that is busy all the time, and asks for a lock in each of its jobs, beside threads that hold the lock nearly all the time:
// how long the loop waits, and what the threads keep of what they have while it does not ask. Each case in a process of its own.
//
//     node bench/busy_loop.js [--rounds 1] [--seconds 2] [--jobs immediate,timer,socket,http] [--turns 0,2,5,16,40,100]
//                             [--holds 0.1,5,20] [--threads 1,4] [--strict]

const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { parseArgs } = require('node:util');

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '2' },
    jobs: { type: 'string', default: 'immediate,timer,socket,http' },
    turns: { type: 'string', default: '0,2,5,16,40,100' },
    holds: { type: 'string', default: '0.1,5,20' },
    threads: { type: 'string', default: '1,4' },
    strict: { type: 'boolean', default: false },
  },
});
const listOf = (name) => values[name].split(',');

function measure(job, turn, hold, threads) {
  const order = values.strict ? 'strict' : 'bounded';
  const { stdout, status } = spawnSync(process.execPath,
    [join(__dirname, 'busy_loop_case.js'), job, turn, hold, threads, values.seconds, order],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) process.exit(1);
  return JSON.parse(stdout);
}

const median = (figures) => figures.sort((a, b) => a - b)[figures.length >> 1];

const JOBS_OF_A_TURN = { http: 4 };  // requests that come at once

console.log(`Node ${process.version}; the median of ${values.rounds} rounds of ${values.seconds} s; a wait beside its bound, ` +
  'four turns, the holds of all threads and 20 ms.');
console.log('| jobs | each | threads | hold | longest wait | bound | acquisitions a job | threads keep |\n|---|---|---|---|---|---|---|---|');
for (const job of listOf('jobs'))
  for (const turn of listOf('turns'))
    for (const threads of listOf('threads'))
      for (const hold of listOf('holds')) {
        const results = Array.from({ length: Number(values.rounds) }, () => measure(job, turn, hold, threads));
        const of = (key) => median(results.map((result) => result[key]));
        const bound = 4 * turn * (JOBS_OF_A_TURN[job] ?? 1) + threads * hold + 20;
        console.log(`| ${job} | ${turn} ms | ${threads} | ${hold} ms | ${of('longest').toFixed(1)} ms | ${bound.toFixed(1)} ms | ` +
          `${of('met').toFixed(2)} | ${of('share').toFixed(2)} |${of('longest') > bound || of('share') < 0.9 ? ' !' : ''}`);
      }
