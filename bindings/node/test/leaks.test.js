// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Many operations of each primitive, in each way, leave no memory behind: neither in the heap, nor outside of it.
//
// FUTON_LEAK_OPERATIONS says how many of each primitive there are in each way. With 8000, these are a million in all.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');
const { waiters } = require('..');
const { test } = require('./support/test');
const { nextIteration } = require('./support/wait_queue');
const { kinds } = require('./support/family_kinds');

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');

const OPERATIONS = Number(process.env.FUTON_LEAK_OPERATIONS ?? 1000);
const AT_ONCE = 100;
const LIMIT = 6;  // bytes for each operation: less than a reference

// What malloc has given; `./dev node` builds it for the benchmarks.
const counter = path.join(__dirname, '..', 'build', 'bench_malloc.node');
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

async function memory() {
  for (let i = 0; i < 2; ++i) {
    collect();
    await nextIteration();  // for what the registries and the signals of the engine do about what was collected
  }
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
    for (let i = 0; i < count; ) i += (await step()) || 1;
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

for (const [name, make] of Object.entries(kinds)) {
  const limit = { timeout: 120_000 + 100 * OPERATIONS };
  test(`Nothing leaks in ${OPERATIONS} operations of ${name}, in each way`, limit, async () => {
    const kind = make();
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
      if (grown < 16e6 + 8 * count) return;
    }
    assert.fail(`${grown} bytes more are resident after ${count} operations`);
  });
}
