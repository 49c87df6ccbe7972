// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// The addon that sees who waits: what it reports, what it does not, and which threads have it.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawn } = require('node:child_process');
const { endOf } = require('./support/child');
const { test } = require('./support/test');

const root = path.join(__dirname, '..');
const limit = 50_000;

/// Runs Node with the diagnostics, or with other variables of the environment.
async function node(args, variables = { FUTON_DIAGNOSTICS: '1' }) {
  const env = { ...process.env };
  for (const name of Object.keys(env)) if (name.startsWith('FUTON_DIAGNOSTICS')) delete env[name];
  const child = spawn(process.execPath, args, { cwd: __dirname, env: { ...env, ...variables }, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) child[stream].setEncoding('utf8').on('data', (text) => (texts[stream] += text));
  return { ...await endOf(child, limit), ...texts };
}

const program = path.join(__dirname, 'support', 'diagnosed.js');
const run = (args, variables) => node([program, ...args], variables);
const aborting = { FUTON_DIAGNOSTICS: '1', FUTON_DIAGNOSTICS_RESPONSE: 'abort' };

/// The line of the program that has this text.
const lineOf = (text) => 1 + fs.readFileSync(program, 'utf8').split('\n').findIndex((line) => line.includes(text));
const at = (text) => `diagnosed.js:${lineOf(text)}`;

/// What a program reports that aborts then.
async function reportOf(args) {
  const { stderr, ending } = await run(args, aborting);
  assert.equal(ending, 'ended by SIGABRT', stderr);
  assert.equal(stderr.match(/^futon: /gm)?.length, 1, stderr);
  return stderr;
}

async function assertReportsNothing(args, { flags = [], output = 'done\n' } = {}) {
  const { stdout, stderr, ending } = await node([...flags, program, ...args], aborting);
  assert.equal(ending, 'ended with exit code 0', stderr);
  assert.equal(stderr, '');
  assert.equal(stdout, output);
}

function makeFolder(context) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'futon-diagnostics-'));
  context.after(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

test('Without FUTON_DIAGNOSTICS=1 the diagnostics are off, and do nothing', async () => {
  for (const variables of [{}, { FUTON_DIAGNOSTICS: '0' }, { FUTON_DIAGNOSTICS: '' }]) {
    const { stdout, stderr } = await run(['off'], variables);
    assert.equal(stdout, '[false,"",{},""]\n', stderr);
    assert.equal(stderr, '');
  }
});

test('They check their arguments, on or off', async () => {
  const source = `const { diagnostics, AsyncLock } = require(${JSON.stringify(root)});
    const words = new Int32Array(new SharedArrayBuffer(8));
    for (const call of [() => diagnostics.name(new AsyncLock(words.buffer)), () => diagnostics.name({}, 'x'), () => diagnostics.name(words, 'x'),
      () => diagnostics.name(words, 9, 'x'), () => diagnostics.name(new Int32Array(4), 0, 'x'), () => diagnostics.trace(-1),
      () => diagnostics.trace('1'), () => diagnostics.watch(), () => diagnostics.watch({ hold: -1 }), () => diagnostics.watch({ held: 1 }),
      () => diagnostics.writeTrace(), () => diagnostics.onReport('toString')])
      try { call(); console.log('nothing'); } catch (error) { console.log(error.name); }`;
  const names = ['TypeError', 'TypeError', 'TypeError', 'RangeError', 'TypeError', 'RangeError', 'TypeError', 'TypeError', 'RangeError', 'TypeError',
    'TypeError', 'TypeError'];
  for (const variables of [{}, { FUTON_DIAGNOSTICS: '1' }])
    assert.deepEqual((await node(['-e', source], variables)).stdout.trim().split('\n'), names);
});

test('A dump has the names, holders, waiters and lines, as text and as an object; traces are written', async (context) => {
  const folder = makeFolder(context);
  const { stdout, stderr, code } = await run(['dump', folder]);
  assert.equal(code, 0, stderr);
  const { text, json, metrics } = JSON.parse(stdout);
  const pending = at('const pending = ');
  assert.match(text, new RegExp(`AsyncLock "accounts"[^\\n]*\\n  held by thread \\d+ \\(LWP \\d+, main thread\\), for [^\\n]*${at('const own = a.lock();')}`));
  assert.match(text, new RegExp(`SharedLock "cache"[^\\n]*\\n  held by thread[^\\n]*${at('c.lockSharedAsync()')}`));
  assert.match(text, new RegExp(`AsyncLock "log"[^\\n]*\\n  held by thread[^\\n]*${pending}[^\\n]*\\n` +
    `  waited for by a promise or a callback of the loop of thread[^\\n]*${pending}`));
  assert.match(text, new RegExp(`"a word"[^\\n]*\\n  waited for by a promise[^\\n]*${at('waitAsync(words, 60, 0)')}`));
  const log = json.objects.find(({ name }) => name === 'log');
  assert.equal(log.kind, 'AsyncLock');
  assert.equal(log.holders[0].where, pending);
  assert.equal(log.waiters[0].where, pending);
  assert.match(metrics, /accounts/);
  assert.match(fs.readFileSync(path.join(folder, 'trace.json'), 'utf8'), /"cat":"held","name":"accounts"/);
  JSON.parse(fs.readFileSync(path.join(folder, 'trace.json'), 'utf8'));
  assert.match(fs.readFileSync(path.join(folder, 'timeline.html'), 'utf8'), /<html[^]*accounts/);
});

test('Two workers that lock crosswise: a report, with owners, names and lines', async () => {
  const report = await reportOf(['threads']);
  assert.match(report, /a deadlock of 2 callers/);
  const wait = at('other.lock().unlock();');
  const hold = at('own.lock();');
  for (const [one, other, lock] of [[1, 2, 'log'], [2, 1, 'accounts']])
    assert.match(report, new RegExp(`thread \\d+ \\(LWP \\d+, worker ${one}\\) waits in futon::AsyncLock::lock for AsyncLock "${lock}" .*` +
      `called at ${wait}, for .*\\n    held by thread \\d+ \\(LWP \\d+, worker ${other}\\), for .*, acquired at ${hold}`));
});

test("With onReport('throw') the lock that closes the circle throws, and the program goes on", async () => {
  const { stdout, stderr, code } = await run(['threads', 'throw']);
  assert.equal(code, 0, stderr);
  assert.equal(stdout.match(/EDEADLK/g).length, 1, stdout);
  assert.match(stdout, /EDEADLK: .*a deadlock of 2 callers/);
  assert.equal(stderr, '');
});

test('A worker that blocks, and a promise of the main thread: a report', async () => {
  const report = await reportOf(['promise']);
  assert.match(report, /a deadlock of 2 callers/);
  assert.match(report, new RegExp('a promise of the loop of thread \\d+ \\(LWP \\d+, main thread\\) waits in futon::AsyncLock::lock for ' +
    `AsyncLock "log" .*called at ${at('const other = b.lockAsync();')}, for .*\\n    held by thread \\d+ \\(LWP \\d+, worker 1\\)`));
  assert.match(report, new RegExp('thread \\d+ \\(LWP \\d+, worker 1\\) waits .* for AsyncLock "accounts" .*\\n' +
    `    held by thread \\d+ \\(LWP \\d+, main thread\\), for .*, acquired at ${at('const guard = a.tryLock();')}`));
});

test('Two functions of one loop that lock crosswise: a report', async () => {
  const report = await reportOf(['functions']);
  assert.match(report, /a promise of the loop of thread \d+ \(LWP \d+, main thread\) waits .* for AsyncLock "(accounts|log)"/);
});

// The first turn of a loop is the one before a poll that registers what libuv watches. Whether the engine has something to do then, and so
// wakes the loop for a second turn, depends on sizes such as that of a path.
test('The same wherever the package lies', async (context) => {
  const folder = makeFolder(context);
  for (let length = 1; length <= 12; ++length) {
    const copy = path.join(folder, 'p'.repeat(length));
    for (const part of ['lib', 'index.js', 'package.json', path.join('test', 'support')])
      fs.cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
    for (const part of ['build', 'node_modules', 'prebuilds'])
      if (fs.existsSync(path.join(root, part))) fs.symlinkSync(path.join(root, part), path.join(copy, part));
    const { stderr, ending } = await node([path.join(copy, 'test', 'support', 'diagnosed.js'), 'functions'], aborting);
    assert.equal(ending, 'ended by SIGABRT', stderr);
  }
});

test('A deadlock that a promise closes once a worker has released its lock: a report', async () => {
  assert.match(await reportOf(['settled']), /a promise of the loop of thread \d+ \(LWP \d+, main thread\) waits .* for AsyncLock "accounts"/);
});

test('None if a timer or a time-out goes on with it', async () => {
  for (const name of ['timer', 'patient']) await assertReportsNothing([name]);
});

test('Two orders of locking: a report, once, before anything hangs', async () => {
  const { stderr, code } = await run(['orders']);
  assert.equal(code, 0);
  assert.equal(stderr.match(/orders of locking that may deadlock/g)?.length, 1, stderr);
  assert.match(stderr, /worker 2\) locked AsyncLock "accounts" at .*diagnosed\.js:\d+\n    while it held AsyncLock "log" at .*, locked at diagnosed\.js:\d+/);
});

test('No order is seen of what promises of one loop lock, nor of other locks that were at the same address', async () => {
  await assertReportsNothing(['strangers']);
  await assertReportsNothing(['again'], { flags: ['--expose-gc'] });
});

test('A watch reports what lasts too long', async () => {
  assert.match(await reportOf(['holding']), /AsyncLock "accounts" at .* has been held for .* by thread \d+ \(LWP \d+, main thread\)\n  acquired at diagnosed/);
  assert.match(await reportOf(['waiting']), /main thread\) has waited for AsyncLock "accounts" .* for .*, in futon::AsyncLock::lock; held by thread/);
  assert.match(await reportOf(['busy']), /the loop of thread \d+ \(LWP \d+, main thread\) was busy for [\d.]+ m?s in one turn/);
});

test('All threads of a process have the same addon', async () => {
  assert.equal((await run(['inherit'])).stdout, 'true\n');
  assert.match((await run(['ask'], {})).stdout, /^ERR_FUTON_NO_DIAGNOSTICS: .*thread 1.*another thread .* without them .*futon\.node/);
});

test('A package without the second binary says what is missing, and how to build it', async (context) => {
  const folder = makeFolder(context);
  for (const part of ['lib', 'scripts', 'index.js', 'package.json', 'node_modules'])
    fs.cpSync(path.join(root, part), path.join(folder, part), { recursive: true });
  const { stderr, code } = await node(['-e', `require(${JSON.stringify(folder)})`]);
  assert.notEqual(code, 0);
  assert.match(stderr, /FUTON_DIAGNOSTICS=1 asks for .*there is none here.*futon_diagnostics\.node.*Build it here.*build\.js/);
  assert.match(stderr, /ERR_FUTON_NO_DIAGNOSTICS/);
  assert.doesNotMatch(stderr, /FUTON_FALLBACK/);
});

test('Another value of FUTON_DIAGNOSTICS is refused', async () => {
  assert.match((await run(['off'], { FUTON_DIAGNOSTICS: 'yes' })).stderr, /FUTON_DIAGNOSTICS is 'yes', and may be 0 or 1/);
});

for (const name of ['async_lock.test.js', 'family.test.js']) {
  test(`${name} passes with diagnostics, and nothing is reported`, async () => {
    const { stdout, stderr, code } = await node(['--test-reporter=tap', name]);
    assert.equal(code, 0, stdout + stderr);
    assert.doesNotMatch(stdout + stderr, /futon: |deadlock of|may deadlock/);
  });
}
