// SPDX-License-Identifier: MIT
// Workers that are terminated at random while they use each primitive, in Node and in pages; the page uses it meanwhile, and is
// served. What must hold when a thread has ended is in terminate_checks.js.
//
// FUTON_STRESS_SECONDS says how long that is done with each primitive; without it a few workers end. SEED repeats what is
// drawn, but not when the threads run.

import { equal, isNode, nextTask, runAll as runTests, test } from './harness.js';
import { checks } from './terminate_checks.js';
import {
  ASKED, BYTES, GENERATION, HAS, makeRandom, makeTable, makeTake, MOVES, notesIn, notesOf, PAGE, primitivesIn, WAY,
  WHAT_WENT_WRONG, WORKERS, WRONG,
} from './terminate_places.js';

const query = isNode ? undefined : new URLSearchParams(location.search);
const given = (name, variable) => Number((isNode ? process.env[variable] : query.get(name)) ?? 0);
const seconds = given('seconds', 'FUTON_STRESS_SECONDS');
const seed = given('seed', 'SEED') || 1 + Math.floor(Math.random() * 1e9);
const random = makeRandom(seed);

const LIMIT = 30_000;  // milliseconds after which a thread is stuck
const SLOTS = 64;      // for notes of workers, which are used again
const ROUNDS = 2;      // without FUTON_STRESS_SECONDS
const TIMES = 6;       // that workers of a round end and others begin, once without FUTON_STRESS_SECONDS

let log;

const until = async (isSo, what) => {
  for (const began = performance.now(); !isSo(); await nextTask())
    if (performance.now() - began > LIMIT) throw new Error(`never: ${what}`);
};

const inTime = (promise, what) => {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`never: ${what}`)), LIMIT); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

let started = 0;

// In pages one file, which run.js makes: of many files a worker is some seconds in starting.
const url = new URL(isNode ? './terminate_worker.js' : '../build/terminate_worker.js', import.meta.url);

/// A worker that uses the primitive; it `isReady` when it begins.
async function start(body, context) {
  const { memory, notes, alive } = context;
  const id = ++started;
  const slot = id % SLOTS;
  const lifeline = isNode ? undefined : `futon-web terminated ${performance.timeOrigin} ${id}`;
  const isSender = [...alive].filter((one) => one.isSender).length < WORKERS / 2;
  // In Chromium that ends two seconds after the call, but then at any instruction.
  const isStubborn = seconds > 0 && random(4) === 0;
  notes.fill(0, notesOf(slot), notesOf(slot) + 4);
  const one = { id, slot, isSender, isStubborn, isReady: false, note: (at) => Atomics.load(notes, notesOf(slot) + at) };
  alive.add(one);
  one.worker = isNode ? new (await import('node:worker_threads')).Worker(url) : new Worker(url, { type: 'module' });
  const receive = ({ number, error }) => {
    if (error === undefined) Object.assign(one, { number, isReady: true });
    else context.error ??= new Error(`in a worker: ${error}`);
  };
  const fail = ({ message }) => receive({ error: message });
  if (isNode) one.worker.on('message', receive).on('error', fail);
  else Object.assign(one.worker, { onmessage: ({ data }) => receive(data), onerror: fail });
  one.end = async () => {
    const gone = one.worker.terminate();
    await (isNode ? gone : navigator.locks.request(lifeline, () => {}));
  };
  const generation = notes[GENERATION];
  one.worker.postMessage({ name: body, memory, slot, seed: random(1e9), isStubborn, isSender, lifeline, generation });
  return one;
}

function requireNothingWrong({ error, notes }) {
  if (error) throw error;
  const wrong = Atomics.load(notes, WRONG);
  if (wrong !== 0) throw new Error(`${WHAT_WENT_WRONG[Math.floor(wrong / 1000)]}, sees ${wrong % 1000}`);
}

/// All workers that live go on.
async function moved(check, context) {
  const { alive, memory, notes } = context;
  const since = new Map([...alive].map((one) => [one, one.note(MOVES)]));
  const isStuck = (one) => alive.has(one) && one.note(MOVES) === since.get(one);
  const began = performance.now();
  while ([...since.keys()].some(isStuck)) {
    requireNothingWrong(context);
    await check.feed?.(context);
    await nextTask();
    if (performance.now() - began < LIMIT) continue;
    const states = [...alive].map((one) => `${one.slot}${one.isStubborn ? ', which blocks' : ''}: ` +
      `${[MOVES, ASKED, HAS, WAY].map(one.note).join()}`);
    const words = [[0, 18], [1024, 8]].map(([at, count]) => new Int32Array(memory, at, count).join());
    throw new Error(`stuck: ${[...since.keys()].filter(isStuck).map(({ slot }) => slot).join()}; all: ${states.join('; ')}; ` +
      `words ${words.join('; ')}; notes ${notes.subarray(0, 16).join()}`);
  }
  context.slowest = Math.max(context.slowest, performance.now() - began);
}

/// Terminates some of the workers, and has others begin if wanted. Returns whether those that are left can go on.
async function endSome(check, context, count, isReplaced) {
  const { alive } = context;
  await until(() => [...alive].every((one) => one.isReady) || context.error, 'the workers begin');
  requireNothingWrong(context);
  const isIdle = random(2) === 0;
  const use = async () => {
    const began = performance.now();
    if (!isIdle) await inTime(check.use(context), 'the page is served');
    context.longest = Math.max(context.longest, performance.now() - began);
    await nextTask();
  };
  for (let turns = random(12); turns > 0; --turns) await use();
  const letIn = check.hold && context.mayHold === 0 && random(3) === 0 ? await check.hold(context) : undefined;
  const victims = [];
  for (const pool = [...alive]; victims.length < count;) victims.push(...pool.splice(random(pool.length), 1));
  for (const one of victims) {
    alive.delete(one);
    one.isDying = true;
  }
  let goesOn;
  const dying = Promise.all(victims.map((one) => one.end())).then(async () => {
    for (const one of victims) one.isDying = false;
    goesOn = await check.afterDeath(victims, context, letIn !== undefined);
  });
  let isOver = false;
  const over = dying.finally(() => { isOver = true; });
  over.catch(() => {});
  if (isReplaced) for (let i = 0; i < count; ++i) await start(check.body, context);
  while (!isOver && !letIn) await use();
  await inTime(over, 'a worker ends');
  context.deaths += count;
  letIn?.();
  requireNothingWrong(context);
  if (goesOn) await moved(check, context);
  return goesOn;
}

/// Workers end and others begin, then all end; in memory that other rounds have used.
async function round(check, memory, totals, times) {
  new Uint8Array(memory).fill(0);
  const notes = notesIn(memory);
  const table = makeTable(notes, PAGE);
  const take = makeTake(random, false, true);
  const context = {
    memory, notes, table, take, random, until, inTime, alive: new Set(),
    all: primitivesIn(memory, { channel: { capacity: 64 }, ...check.options }),
    mayHold: 0, holds: 0, deaths: 0, sent: 0, longest: 0, slowest: 0,
  };
  const { alive } = context;
  try {
    while (alive.size < WORKERS) await start(check.body, context);
    await moved(check, context);
    let goesOn = true;
    for (let i = 0; i < times && goesOn; ++i) goesOn = await endSome(check, context, 1 + random(2), true);
    while (alive.size > 0) {
      const count = goesOn ? 1 + random(alive.size) : alive.size;
      goesOn = await endSome(check, context, count, false) && goesOn;
    }
    await check.finish(context);
    requireNothingWrong(context);
  } finally {
    for (const one of alive) one.worker.terminate();
    totals.rounds += 1;
    totals.deaths += context.deaths;
    totals.longest = Math.max(totals.longest, context.longest);
    totals.slowest = Math.max(totals.slowest, context.slowest);
  }
}

for (const [name, check] of Object.entries(checks)) {
  test(`WorkersThatAreTerminatedAmid ${name}`, async () => {
    const memory = new SharedArrayBuffer(BYTES);
    const totals = { rounds: 0, deaths: 0, longest: 0, slowest: 0 };
    const end = performance.now() + seconds * 1000;
    const isWanted = () => (seconds > 0 ? performance.now() < end : totals.rounds < ROUNDS);
    try {
      while (isWanted()) await round(check, memory, totals, seconds > 0 ? TIMES : 1);
    } finally {
      const { rounds, deaths, longest, slowest } = totals;
      log(`${deaths} workers ended in ${rounds} rounds; the page waited for ${Math.round(longest)} ms at most, ` +
        `and the workers went on within ${Math.round(slowest)} ms`);
    }
    equal(totals.deaths > 0, true);
  });
}

export function runAll(print, only) {
  log = print;
  print(`seed ${seed}`);
  return runTests(print, only);
}

if (isNode) process.exitCode = await runAll(console.log, process.argv[2] ?? '') === 0 ? 0 : 1;
