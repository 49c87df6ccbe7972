// SPDX-License-Identifier: MIT
'use strict';
// futon beside the engine on several versions of Node, as a table in Markdown: versions.js [--rounds 5] NODE ...
// The programs NODE run the binary that the package brings, as its users do.

const { spawnSync } = require('node:child_process');
const { CASES, measure } = require('./measure');

process.env.PREBUILDS_ONLY = '1';  // read by node-gyp-build

let rounds = 5;
const nodes = process.argv.slice(2);
const option = nodes.indexOf('--rounds');
if (option >= 0) rounds = Number(nodes.splice(option, 2)[1]);

function format(value, unit) {
  return unit === 'ns' && value >= 1000 ? `${(value / 1000).toPrecision(3)} µs` : `${value.toPrecision(3)} ${unit}`;
}

const versions = nodes.map((node) => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1));
console.log(`| engine → futon, ratio | ${versions.map((version) => `Node ${version}`).join(' | ')} |`);
console.log(`|---|${'---|'.repeat(nodes.length)}`);
for (const one of CASES) {
  const cells = nodes.map((node) => {
    const { engine, futon, ratio } = measure(node, one, rounds);
    return `${format(engine, one.unit)} → ${format(futon, one.unit)}, **${ratio.toFixed(2)}**`;
  });
  console.log(`| ${one.text} | ${cells.join(' | ')} |`);
}
