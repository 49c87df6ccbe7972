// SPDX-License-Identifier: MIT
// Who gets a lock when, beside pages that compute, in simulated time: pace.js [NAME]. The figures are those of docs/decisions/0063.

import { equal, runAll, test } from './harness.js';
import { Simulation, startPage, startWorker, Thread } from './simulation.js';

const LEARNT = 1000;  // milliseconds: by then the pages have been seen
const SPAN = 3000;
const HOLDS = [0.1, 5, 20];
const both = [false, true];

const always = (length) => (random) => length * (0.95 + 0.1 * random());
const longestOf = (length) => 1.05 * length;
const uniform = (least, most) => (random) => least + (most - least) * random();
const sometimes = (one, other, probability) => (random) => (random() < probability ? other : one);
function alternating(one, other) {
  let isOther = true;
  return () => ((isOther = !isOther) ? other : one);
}

const alone = new Map();

/// What workers and pages have, after the first second; the longest wait of a page is that of all the time.
async function play({ strict, workers: count, hold, pages: lengths = [], span = SPAN, prepare = () => {} }) {
  const simulation = new Simulation({ strict });
  const workers = Array.from({ length: count }, () => startWorker(simulation, hold));
  const pages = lengths.map((length) => startPage(simulation, length));
  const sum = () => workers.reduce((all, { acquisitions }) => all + acquisitions, 0);
  await simulation.runUntil(LEARNT);
  await prepare(simulation, pages);
  const before = sum();
  for (const worker of workers) worker.longest = 0;
  simulation.overtaken = { thread: 0, promise: 0 };
  await simulation.runUntil(LEARNT + span);
  for (const page of pages) if (page.askedAt !== undefined) page.longest = Math.max(page.longest, simulation.time - page.askedAt);
  const longest = Math.max(...workers.map((worker) => worker.longest));
  const result = { acquisitions: sum() - before, overtaken: simulation.overtaken, pages, longest };
  const key = `${strict} ${count} ${hold} ${span}`;
  if (lengths.length === 0) return result;
  if (!alone.has(key)) alone.set(key, await play({ strict, workers: count, hold, span }));
  result.share = result.acquisitions / alone.get(key).acquisitions;
  result.longestAlone = alone.get(key).longest;
  const text = pages.map((page) => `${page.acquisitions} of ${page.turns} turns, ${page.longest.toFixed(1)} ms`).join('; ');
  result.text = `${strict ? 'strict' : 'bounded'}, ${count} workers that hold ${hold} ms: workers ${result.share.toFixed(3)}, ` +
    `longest ${longest.toFixed(1)} ms; pages ${text}; overtaken: threads ${result.overtaken.thread}, ` +
    `promises ${result.overtaken.promise}`;
  return result;
}

function expect(isRight, what, { text }) {
  if (!isRight) throw new Error(`${what}: ${text}`);
}

test('ABusyPageIsServedAndWorkersKeepWhatTheyHave', async () => {
  for (const strict of both)
    for (const turn of [0, 2, 5, 16, 40, 100])
      for (const hold of HOLDS)
        for (const workers of [1, 4]) {
          const scene = await play({ strict, workers, hold, pages: [always(turn)] });
          console.log(`turns of ${turn} ms: ${scene.text}`);
          const bound = strict ? 3 * longestOf(turn) + workers * hold + 2 : 4 * longestOf(turn) + workers * hold + 21;
          expect(scene.pages[0].longest <= bound, `a wait longer than ${bound}`, scene);
          if (!strict) expect(scene.share >= 0.9, 'workers have less than 0.9', scene);
          if (strict) expect(scene.overtaken.promise === 0, 'a promise was overtaken', scene);
          expect(scene.longest <= scene.longestAlone + 2 * longestOf(turn) + workers * hold + 10, 'a worker starves', scene);
        }
});

test('APageWithIrregularTurnsIsServed', async () => {
  const turns = {
    '2 or 40': sometimes(2, 40, 0.1), 'alternately 2 and 40': alternating(2, 40), 'alternately 16 and 32': alternating(16, 32),
    '2 to 38': uniform(2, 38), '0 to 100': uniform(0, 100),
  };
  for (const strict of both)
    for (const [what, turn] of Object.entries(turns))
      for (const hold of HOLDS) {
        const scene = await play({ strict, workers: 4, hold, pages: [turn] });
        console.log(`turns of ${what} ms: ${scene.text}`);
        expect(scene.pages[0].longest <= (strict ? 200 : 400) + 4 * hold, 'a long wait', scene);
        if (!strict) expect(scene.share >= 0.85, 'workers have less than 0.85', scene);
      }
});

test('BusyPagesShareALock', async () => {
  for (const strict of both)
    for (const lengths of [[16, 40], [40, 40], [0, 40], [16, 16, 16, 16]])
      for (const hold of HOLDS) {
        const scene = await play({ strict, workers: 4, hold, pages: lengths.map(always) });
        console.log(`turns of ${lengths} ms: ${scene.text}`);
        for (const page of scene.pages) expect(page.longest <= 500, 'a long wait', scene);
        if (!strict) expect(scene.share >= 0.85, 'workers have less than 0.85', scene);
      }
});

test('APageThatDoesNotRunAnyMoreCostsOneOfferAndLittleMore', async () => {
  for (const strict of both)
    for (const turn of [0, 16, 40])
      for (const hold of HOLDS)
        for (const count of [1, 100]) {
          const scene = await play({
            strict, workers: 4, hold, pages: [always(turn)], span: 2000,
            async prepare(simulation, [page]) {
              while (page.askedAt === undefined) await simulation.runUntil(simulation.time + 0.1);
              for (let i = 1; i < count; ++i) page.thread.lock.acquire({ timeout: Infinity }, 'page');
              page.thread.isDead = true;
            },
          });
          console.log(`a dead page, turns of ${turn} ms, ${count} promises: ${scene.text}`);
          expect(scene.share >= (count === 1 ? 0.95 : 0.93), 'workers have less', scene);
          // In a lock that is not strict, others take it between two offers to the dead, sixteen of which are woken at once.
          const limit = scene.longestAlone + (count === 1 ? 100 + hold : 110 + (strict ? 1 : 100 / 16) * hold);
          expect(scene.longest <= limit, 'a worker waits long', scene);
        }
});

test('PromisesOfABusyPageThatWereLateAreServedInTheirOrder', async () => {
  for (const strict of both) {
    const simulation = new Simulation({ strict });
    for (let i = 0; i < 4; ++i) startWorker(simulation, 5);
    const thread = new Thread(simulation);
    const served = [];
    thread.post(10, () => {
      for (let i = 0; i < 8; ++i) {
        thread.lock.acquire({ timeout: Infinity }, 'page').then((tag) => {
          served.push(i);
          thread.lock.release(tag);
        });
      }
    });
    const turn = () => {
      thread.compute(40);
      thread.post(simulation.time + 40, turn);
    };
    thread.post(10, turn);
    await simulation.runUntil(3000);
    equal(served.join(), '0,1,2,3,4,5,6,7');
  }
});

test('ALatePromiseThatIsGivenUpLetsTheOthersGoOn', async () => {
  for (const strict of both) {
    const simulation = new Simulation({ strict });
    const workers = [1, 2].map(() => startWorker(simulation, 5));
    const thread = new Thread(simulation);
    let refused = 0;
    const turn = () => {
      const abortion = new AbortController();
      const end = () => ++refused;
      thread.lock.acquire({ timeout: Infinity, signal: abortion.signal }, 'page').then((tag) => thread.lock.release(tag), end);
      thread.compute(40);
      thread.post(simulation.time + 40, () => {
        abortion.abort();
        thread.compute(40);
        thread.post(simulation.time + 40, turn);
      });
    };
    thread.post(10, turn);
    await simulation.runUntil(2000);
    equal(refused > 0, true);
    if (!strict) equal(workers[0].acquisitions + workers[1].acquisitions >= 340, true, 'workers have their share');
    equal(Math.max(workers[0].longest, workers[1].longest) <= 100, true, 'workers wait for 100 ms at most');
  }
});

process.exitCode = await runAll(console.log, process.argv[2]) === 0 ? 0 : 1;
