// SPDX-License-Identifier: MIT
'use strict';
// The server of examples/http with three ways to lock, beside each other in one run. Its threads hold the lock for some
// 5 to 50 ms. Each figure is the median of several rounds that alternate, each in a process of its own.
//
//     node bench/http.js [--rounds 5] [--seconds 3] [futon] [barging] [engine] [messages]

const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { installFromNpm } = require('../test/support/from_npm.js');
const { ways } = require('./http_ways.js');

const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
  allowPositionals: true,
});

function measure(name) {
  const { stdout, status } = spawnSync(process.execPath, [path.join(__dirname, 'http_case.js'), name, values.seconds],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) process.exit(1);
  return JSON.parse(stdout);
}

function isInstalled(name) {
  if (name !== 'messages' || installFromNpm('async-mutex') !== undefined) return true;
  console.log(`${name}: not measured, for npm cannot reach its registry, so async-mutex cannot be installed`);
  return false;
}

const names = (positionals.length > 0 ? positionals : Object.keys(ways)).filter(isInstalled);
const rounds = new Map(names.map((name) => [name, []]));
for (let i = 0; i < Number(values.rounds); ++i)
  for (const name of names) rounds.get(name).push(measure(name));

function median(name, key) {
  const sorted = rounds.get(name).map((result) => result[key]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const each = `the median of ${values.rounds} rounds of ${values.seconds} s`;
console.log(`\nNode ${process.version}; the example server; ${each}.`);
console.log('| way to lock | loop delay p99 | requests | request has the lock after, p50, p99 | worker has it after, ' +
  'p50, p99 | held by workers, p5, p95 |\n|---|---|---|---|---|---|');
for (const name of names) {
  const of = (key) => median(name, key).toFixed(median(name, key) < 10 ? 1 : 0);
  console.log(`| ${ways[name].text} | ${of('loopDelay99')} ms | ${of('requests')} /s | ${of('request50')}, ` +
    `${of('request99')} ms | ${of('worker50')}, ${of('worker99')} ms | ${of('held5')}, ${of('held95')} ms, ` +
    `${of('passes')} times a second |`);
}
