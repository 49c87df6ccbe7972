// SPDX-License-Identifier: MIT
'use strict';
// A program that does many operations of one kind of primitive, in each way, and fails if they leave memory behind:
//
//     node leaks.js KIND OPERATIONS
//
// FUTON_PACKAGE is the path of another package that has the same primitives.
//
// It is a process of its own, so that nothing else counts.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');
const { setImmediate: nextIteration } = require('node:timers/promises');
const { kinds, waiters } = require('./family_kinds');

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');

const name = process.argv[2];
const OPERATIONS = Number(process.argv[3]);
const AT_ONCE = 100;
const LIMIT = 6;  // bytes for each operation: less than a reference

// Operations between two collections. Weak tables of the engine, of each DOMException for one, grow until the next one, and never
// shrink again.
const BETWEEN = 1000;

// What malloc has given; `./dev node` builds it for the benchmarks.
const counter = path.join(__dirname, '..', '..', 'build', 'bench_malloc.node');
const bytesOfMalloc = fs.existsSync(counter) ? require(counter).bytesInUse : () => 0;

const lasting = new AbortController().signal;

/// A promise whose rejection is part of the way.
const inVain = (promise) => promise.then(() => {}, () => {});

async function abortOne(kind) {
  const controller = new AbortController();
  const aborted = inVain(kind.wait({ signal: controller.signal }));
  await null;  // an iterator of changes waits a little later
  controller.abort();
  await aborted;
}

/// Each does one operation, or `AT_ONCE` of them.
const ways = {
  attempt: (kind) => kind.finish(kind.attempt()),
  block: (kind) => kind.finish(kind.block()),
  'block with options': (kind) => kind.finish(kind.block({ timeout: 1e6 })),
  'block too long': (kind) => {
    kind.occupy();
    try {
      kind.block({ timeout: 0 });
    } catch (error) {
      assert.equal(error.name, 'TimeoutError');
    }
    kind.free();
  },
  'wait for nothing': async (kind) => kind.finish(await kind.wait()),
  'wait for nothing, with options': async (kind) => kind.finish(await kind.wait({ signal: lasting, ref: false })),
  wait: async (kind) => {
    kind.occupy();
    const waits = kind.wait();
    kind.free();
    kind.finish(await waits);
  },
  'wait with options': async (kind) => {
    kind.occupy();
    const waits = kind.wait({ signal: lasting, ref: true });
    kind.free();
    kind.finish(await waits);
  },
  'wait and be aborted': async (kind) => {
    kind.occupy();
    await abortOne(kind);
    kind.free();
  },
  'wait too long': async (kind) => {
    const count = Math.min(AT_ONCE, kind.most ?? AT_ONCE);
    kind.occupy();
    const waits = [];
    for (let i = 0; i < count; ++i) waits.push(inVain(kind.wait({ timeout: 0.01 })));
    await Promise.all(waits);
    kind.free();
    return count;
  },
};

/// Whether a kind is used in this way.
function applies(kind, way) {
  if (way === 'attempt') return kind.attempt !== undefined;
  if (way.startsWith('block')) return kind.block !== undefined && !(way === 'block too long' && kind.isPatient);
  return way !== 'wait too long' || kind.most !== 0;
}

async function tidyUp() {
  collect();
  await nextIteration();  // for what the registries and the signals of the engine do about what was collected
}

async function memory() {
  for (let i = 0; i < 2; ++i) await tidyUp();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return { heap: heapUsed, external, arrayBuffers, malloc: bytesOfMalloc() };
}

/// What is resident besides the heap. It grows in steps, so only many operations show what leaks here alone.
function resident() {
  const { heapTotal, rss } = process.memoryUsage();
  return rss - heapTotal;
}

/// By how many bytes each operation lets the memory grow. What leaks grows whenever there are twice as many operations as
/// before, also if it is kept in a list that grows in steps. What the engine compiles, learns and keeps for later does not. So
/// where memory has grown, there is another chance.
async function growthOf(step) {
  const run = async (count) => {
    for (let i = 0, last = 0; i < count; i += (await step()) || 1) {
      if (i - last < BETWEEN) continue;
      await tidyUp();
      last = i;
    }
    return memory();
  };
  const growth = {};  // of each kind of memory in the first run in which it has hardly grown, or the last one
  let before = await run(OPERATIONS / 3);
  for (let count = OPERATIONS * 2 / 3, chances = 9; chances > 0; count *= 2, --chances) {
    const now = await run(count);
    for (const key in now)
      if (!(growth[key] < LIMIT)) growth[key] = (now[key] - before[key]) / count;
    if (Object.values(growth).every((bytes) => bytes < LIMIT)) break;
    before = now;
  }
  return growth;
}

async function main() {
  const kind = kinds[name]();
  let grown;
  let count;
  // What the engine keeps of the first operations comes once, a leak each time: so this has other chances, too.
  for (let chances = 3; chances > 0; --chances) {
    const before = resident();
    count = 0;
    for (const [way, operate] of Object.entries(ways)) {
      if (!applies(kind, way)) continue;
      const growth = await growthOf(() => operate(kind));
      for (const [key, bytes] of Object.entries(growth))
        assert.ok(bytes < LIMIT, `${way}: ${bytes} bytes of ${key} for each operation, ${JSON.stringify(growth)}`);
      assert.deepEqual(waiters(), [], way);
      count += OPERATIONS;
    }
    grown = resident() - before;
    if (grown < 16e6 + 8 * count) return count;
  }
  return assert.fail(`${grown} bytes more are resident after ${count} operations`);
}

process.exitCode = 1;  // unless it comes to an end
main().then((count) => {
  process.exitCode = 0;
  console.log(`${name}: ${count} operations`);
});
