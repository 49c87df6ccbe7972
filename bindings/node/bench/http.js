// SPDX-License-Identifier: MIT
'use strict';
// The server of examples/http with several ways to lock, beside each other in one run. Its threads hold the lock for some
// 5 to 50 ms. The ways take turns of half a second. Each figure is the median of several processes.
//
//     node bench/http.js [--rounds 5] [--seconds 24] [--one-core] [WAY ...]
//
// Requests are set in relation to those of the engine's way that heeds as much, with the standard error: the requests of one turn
// differ from those of the next by some 40 %, so a difference of 10 % takes hundreds of turns to be told from chance.

const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { installFromNpm } = require('../test/support/from_npm.js');
const { ways } = require('./http_ways.js');

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '24' }, 'one-core': { type: 'boolean' },
  },
  allowPositionals: true,
});
const place = values['one-core'] ? ['taskset', '-c', '0'] : [];

function measure(names) {
  const [command, ...args] = [...place, process.execPath, path.join(__dirname, 'http_case.js'), values.seconds, ...names];
  const { stdout, status } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) process.exit(1);
  return JSON.parse(stdout);
}

function isInstalled(name) {
  if (name !== 'messages' || installFromNpm('async-mutex') !== undefined) return true;
  console.log(`${name}: not measured, for npm cannot reach its registry, so async-mutex cannot be installed`);
  return false;
}

const names = (positionals.length > 0 ? positionals : Object.keys(ways)).filter(isInstalled);
const rounds = Array.from({ length: Number(values.rounds) }, () => new Map(measure(names).map((result, i) => [names[i], result])));

/// Of the turns of all processes: a turn of one way, and that of the other next to it, which had the same passes.
function ratioOf(name, other) {
  const pairs = rounds.flatMap((round) => {
    const others = round.get(other).perTurn;
    return round.get(name).perTurn.slice(0, others.length).map((requests, i) => [requests, others[i]]);
  });
  const sum = (of) => pairs.reduce((total, pair) => total + of(pair), 0);
  const ofOther = sum(([, b]) => b);
  const ratio = sum(([a]) => a) / ofOther;
  const squares = sum(([a, b]) => (a - ratio * b) ** 2);
  const error = Math.sqrt(squares * pairs.length / (pairs.length - 1)) / ofOther;
  return `${ratio.toFixed(2)} ± ${error.toFixed(2)}`;
}

const middle = (figures) => figures.sort((a, b) => a - b)[Math.floor(figures.length / 2)];
const median = (name, key) => middle(rounds.map((round) => round.get(name)[key]));

const each = `the median of ${values.rounds} processes of ${values.seconds} s`;
console.log(`\nNode ${process.version}; the example server${values['one-core'] ? ' on one core' : ''}; ${each}.`);
console.log('| way to lock | loop delay p99 | requests | ÷ engine | request has the lock after, p50, p99 | worker has it after, ' +
  'p50, p99 | held by workers, p5, p95 |\n|---|---|---|---|---|---|---|');
for (const name of names) {
  const of = (key) => median(name, key).toFixed(median(name, key) < 10 ? 1 : 0);
  const engine = name.endsWith('-bare') || name === 'messages' ? 'engine-bare' : 'engine';
  const ratio = name === engine ? '1.00' : names.includes(engine) ? ratioOf(name, engine) : '–';
  console.log(`| ${ways[name].text} | ${of('loopDelay99')} ms | ${of('requests')} /s | ${ratio} | ${of('request50')}, ` +
    `${of('request99')} ms | ${of('worker50')}, ${of('worker99')} ms | ${of('held5')}, ${of('held95')} ms, ` +
    `${of('passes')} times a second |`);
}
