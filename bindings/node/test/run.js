// SPDX-License-Identifier: MIT
'use strict';

// Runs the tests of the package against the implementation that FUTON_IMPLEMENTATION names:
//
//     node test/run.js [--verbose] [PART-OF-A-NAME ...]
//
// Each file of conformance/ runs twice, in a main thread and in a worker, each *.test.js once; each in a process of
// its own. Against `native`, only files that can run there do. Ends with 1 if any test fails.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { endOf } = require('./support/child');
const { buildExample } = require('./support/example');

const limit = 300_000;
const inWorker = path.join(__dirname, 'support', 'in_worker.js');
const options = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const filters = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const verbose = options.includes('--verbose');
const implementation = process.env.FUTON_IMPLEMENTATION || 'polyfill';

if (options.some((option) => option !== '--verbose')) {
  console.error('usage: node test/run.js [--verbose] [PART-OF-A-NAME ...]');
  process.exit(2);
}

/// The comment at the top of a file that needs features which the engine's own functions lack.
const futonOnlyMark = '// Futon only.';

function runs() {
  const list = [];
  for (const name of filesBelow(path.join(__dirname, 'conformance'), '.js')) {
    list.push({ title: `${name} (main thread)`, args: [name] });
    list.push({ title: `${name} (worker)`, args: [inWorker, name] });
  }
  for (const name of filesBelow(__dirname, '.test.js')) list.push({ title: name, args: [name] });

  return list.filter(({ title, args }) => {
    const isWanted = filters.length === 0 || filters.some((filter) => title.includes(filter));
    return isWanted && (implementation !== 'native' || !isFutonOnly(path.join(__dirname, args.at(-1))));
  });
}

/// The files below a folder whose names end so, relative to this one, sorted.
function filesBelow(folder, ending) {
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const full = path.join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(full, ending);
      return entry.name.endsWith(ending) ? [path.relative(__dirname, full)] : [];
    })
    .sort();
}

function isFutonOnly(file) {
  return fs.readFileSync(file, 'utf8').split('\n', 10).includes(futonOnlyMark);
}

function usesExample({ args }) {
  return fs.readFileSync(path.join(__dirname, args.at(-1)), 'utf8').includes("require('./support/example')");
}

/// Runs one file; settles with its counts and what it printed.
async function run({ title, args }) {
  const child = spawn(process.execPath, ['--test-reporter=tap', ...args], {
    cwd: __dirname,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));

  const { code, ending } = await endOf(child, limit);
  const ok = code === 0 && /^# fail 0$/m.test(output) && /^# cancelled 0$/m.test(output);
  return { title, output, ending, ...counts(output), ok };
}

/// Sums up the results, which have a line each; those of a file that did not end are counted as far as it came.
function counts(output) {
  const results = [...output.matchAll(/^(not )?ok \d+.*?( # SKIP.*)?$/gm)];
  const count = (is) => results.filter(is).length;
  return {
    pass: count(([, not, skip]) => !not && !skip),
    fail: count(([, not]) => not),
    skipped: count(([, not, skip]) => !not && skip),
  };
}

function print({ title, output, ending, pass, fail, skipped, ok }) {
  const failures = ok ? '' : `, ${fail} failed, ${ending}`;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${title}: ${pass} passed${skipped ? `, ${skipped} skipped` : ''}${failures}`);
  if (verbose || !ok) console.log(output.replace(/^/gm, '     '));
}

async function main() {
  const queue = runs();
  if (queue.length === 0) {
    console.error(`no test file is called ${filters.join(' or ')}`);
    return 2;
  }

  let isExampleBroken = false;
  try {
    if (queue.some(usesExample)) buildExample();
  } catch (error) {
    isExampleBroken = true;
    console.log(`FAIL the example addon does not build: ${error.message}`);
  }

  const results = [];
  const next = async () => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const result = await run(job);
      results.push(result);
      print(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, os.availableParallelism()) }, next));

  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  const failed = results.filter((result) => !result.ok);
  console.log(
    `\n${implementation}: ${sum('pass')} passed, ${sum('fail')} failed, ${sum('skipped')} skipped; ${results.length} runs`,
  );
  for (const { title, ending } of failed) console.log(`FAIL ${title}: ${ending}`);
  if (isExampleBroken) console.log('FAIL the example addon does not build');
  return failed.length === 0 && !isExampleBroken ? 0 : 1;
}

main().then((code) => (process.exitCode = code));
