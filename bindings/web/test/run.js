// SPDX-License-Identifier: MIT
// Runs the suite in all engines: run.js [node] [chromium] [firefox] [NAME]. In each: in the main thread, in a worker, and both
// with an engine that has no Atomics.waitAsync; and workers are terminated at random, with each primitive for FUTON_STRESS_SECONDS.
// With Node, also the lock in simulated time, schedules of the family, and what memory operations leave behind.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundle } from '../scripts/minify.js';
import { BROWSERS, openPage } from './browser.js';

const engines = ['node', ...Object.keys(BROWSERS)];
const args = process.argv.slice(2);
const wanted = args.filter((name) => engines.includes(name));
const only = args.find((name) => !engines.includes(name)) ?? '';
const ways = [[], ['worker'], ['sleeper'], ['worker', 'sleeper']];
const { FUTON_STRESS_SECONDS: stress = '0', SEED: seed = '0' } = process.env;
const failed = [];

function runNode(file, given, minutes = 10) {
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...given], {
    stdio: 'inherit', timeout: minutes * 60_000, killSignal: 'SIGKILL',
  });
  return status === 0 ? '0' : `status ${status}`;
}

async function runIn(engine, way) {
  if (engine === 'node') return runNode('node_suite.js', only === '' ? way : [...way, only]);
  // It takes half a minute, and as many more as other work on the machine takes from it.
  return openPage(engine, `test/page.html?run=suite.js${way.map((name) => `&${name}`).join('')}&only=${only}`, { seconds: 300 });
}

/// Workers that are terminated at random, for so long with each primitive.
async function terminate(engine) {
  const primitives = 15;
  const seconds = 120 + stress * primitives * 2;
  if (engine === 'node') return runNode('terminate_suite.js', [only], seconds / 60);
  const outfile = 'build/terminate_worker.js';
  bundle({ entryPoints: ['test/terminate_worker.js'], outfile, write: true, external: ['node:*'] });
  const query = `run=terminate_suite.js&seconds=${stress}&seed=${seed}&only=${encodeURIComponent(only)}`;
  return openPage(engine, `test/page.html?${query}`, { seconds });
}

async function step(label, run) {
  console.log(`\n${label}`);
  const result = await run().catch((error) => error.message);
  if (result !== '0') {
    failed.push(`${label}: ${result}`);
    console.log(`FAILED  ${result}`);
  }
}

for (const engine of wanted.length > 0 ? wanted : engines)
  for (const way of ways) await step([engine, ...way].join(' '), () => runIn(engine, way));
for (const engine of wanted.length > 0 ? wanted : engines)
  if (engine !== 'node') await step(`${engine}, threads that end`, () => openPage(engine, `test/page.html?run=ends_suite.js&only=${only}`));
for (const engine of wanted.length > 0 ? wanted : engines)
  await step(`${engine}, workers that are terminated at random`, () => terminate(engine));
if (wanted.length === 0 || wanted.includes('node'))
  for (const [label, file] of [['simulated time', 'pace.js'], ['interleavings', 'interleavings.js'], ['leaks', 'leaks.js']])
    await step(label, async () => runNode(file, only === '' ? [] : [only]));
if (wanted.length === 0) await step('playground', async () => runNode('playground.js', only === '' ? [] : [only], 30));
if (wanted.length === 0) await step('hooks', async () => runNode('hooks.js', only === '' ? [] : [only]));
if (wanted.length === 0) await step('types', async () => runNode('types.js', only === '' ? [] : [only]));
if (wanted.length === 0 && only === '') await step('package', async () => runNode('package.js', []));

console.log(failed.length === 0 ? '\nAll passed' : `\n${failed.length} failed:\n${failed.join('\n')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
