// SPDX-License-Identifier: MIT
'use strict';

// Runs tests in the format of test262, each in a process of its own, against the implementation that
// FUTON_IMPLEMENTATION names:
//
//     node test/run_test262.js [--verbose] PATH ...
//
// A path is a checkout (then everything below its test/ runs), or a folder or a file in it. Ends with 1 if a test fails.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { endOf } = require('./support/child');
const { parseFrontmatter } = require('./agents/frontmatter');

const limit = 120_000;
const host = path.join(__dirname, 'agents', 'host.js');
const implementation = process.env.FUTON_IMPLEMENTATION || 'polyfill';

class UsageError extends Error {}

/// The folder harness/ of the checkout that a path lies in.
function harnessOf(start) {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const harness = path.join(folder, 'harness');
    if (fs.existsSync(path.join(harness, 'assert.js'))) return harness;
    if (folder === path.dirname(folder))
      throw new UsageError(`${start} is in no checkout: no folder above has harness/assert.js`);
  }
}

function* testFiles(name) {
  if (!fs.statSync(name).isDirectory()) {
    yield name;
    return;
  }
  for (const entry of fs.readdirSync(name, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const full = path.join(name, entry.name);
    if (entry.isDirectory()) yield* testFiles(full);
    else if (entry.name.endsWith('.js') && !entry.name.includes('_FIXTURE')) yield full;
  }
}

/// The one or two ways in which a file runs: as sloppy code, as strict code.
function* variants(file, harness) {
  const { flags, negative } = parseFrontmatter(fs.readFileSync(file, 'utf8'));
  const is = (flag) => flags.includes(flag);
  const isModule = is('module');
  const job = { file, harness, isModule, isAsync: is('async'), negative };

  if (!is('onlyStrict')) yield { ...job, strict: false, title: isModule ? `${file} (module)` : file };
  if (!is('noStrict') && !is('raw') && !isModule) yield { ...job, strict: true, title: `${file} (strict)` };
}

/// Runs one variant; settles with its outcome as the host tells it, or null if the host did not say.
async function run(job) {
  const flags = job.isModule ? ['--experimental-vm-modules', '--no-warnings'] : [];
  const child = spawn(process.execPath, [...flags, host, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const output = ['', '', '', ''];
  for (const fd of [1, 2, 3]) child.stdio[fd].setEncoding('utf8').on('data', (text) => (output[fd] += text));

  const { ending } = await endOf(child, limit);
  const result = output[3] === '' ? null : JSON.parse(output[3]);
  return { ...verdict(job, result, ending), output: output[1] + output[2] };
}

/// { verdict: "pass" | "fail" | "skip", reason } for the result of a test.
function verdict({ negative, isAsync }, result, ending) {
  const fail = (reason) => ({ verdict: 'fail', reason });
  if (result === null) return fail(`${ending} without ${isAsync ? 'a call of $DONE' : 'completing'}`);
  if (result.outcome === 'unsupported') return { verdict: 'skip', reason: `needs ${result.message}` };
  if (negative === null) return result.outcome === 'completed' ? { verdict: 'pass' } : fail(result.message);

  const expected = `${negative.type} (${negative.phase})`;
  if (result.outcome === 'completed') return fail(`expected a ${expected}, but it completed`);
  const isPhase = result.phase === (negative.phase === 'early' ? 'parse' : negative.phase);
  const isExpected = isPhase && result.type === negative.type;
  return isExpected
    ? { verdict: 'pass' }
    : fail(`expected a ${expected}, got a ${result.type} (${result.phase}): ${result.message}`);
}

async function main() {
  const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
  const paths = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
  if (paths.length === 0 || options.some((option) => option !== '--verbose')) {
    throw new UsageError('usage: node test/run_test262.js [--verbose] PATH ...');
  }

  const queue = [];
  for (const start of paths.map((name) => path.resolve(name))) {
    if (!fs.existsSync(start)) throw new UsageError(`there is no ${start}`);
    const harness = harnessOf(start);
    const isCheckout = path.dirname(harness) === start;
    for (const file of testFiles(isCheckout ? path.join(start, 'test') : start)) queue.push(...variants(file, harness));
  }

  const counts = { pass: 0, fail: 0, skip: 0 };
  const next = async () => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const { verdict, reason, output } = await run(job);
      counts[verdict]++;
      const title = path.relative(path.dirname(job.harness), job.title);
      if (verdict === 'fail' || options.includes('--verbose'))
        console.log(`${verdict} ${title}${reason ? `: ${reason}` : ''}`);
      if (verdict === 'fail' && output.trim() !== '') console.log(output.trim().replace(/^/gm, '     '));
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, os.availableParallelism()) }, next));

  console.log(`${implementation}: ${counts.pass} passed, ${counts.fail} failed, ${counts.skip} skipped`);
  return counts.fail === 0 ? 0 : 1;
}

main().then(
  (code) => (process.exitCode = code),
  (error) => {
    console.error(error instanceof UsageError ? error.message : error);
    process.exitCode = 2;
  },
);
