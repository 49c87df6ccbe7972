// SPDX-License-Identifier: MIT
// How a thread blocks for several operations. The engine blocks it at one word only, and tells no other thread that it waits. So a thread has a
// helper, a worker, which waits in the queues without blocking, and the thread blocks at its bell, a word that the helper rings. What can be
// taken the thread takes itself, whenever it is woken: so it is taken once, and none is taken by a thread that has ended.

import { engineMayBlock } from './agent.js';
import { compareExchange, engineWait, engineWaitAsync, load, now, store } from './engine.js';
import { fail } from './failure.js';
import { hasProcess } from './pending.js';
import { wake, wakeAll } from './queue.js';

// The state of a wait that has to know how it ends: of a lock, whose wake-up is for one waiter, or of a word.
const IDLE = 0;      // not in the queue yet
const QUEUED = 1;    // or the helper is about to queue it
const OK = 2;
const TIMED_OUT = 4;
const GIVEN_UP = 5;  // while it was queued
const RESULTS = [undefined, undefined, 'ok', 'not-equal', 'timed-out'];

const makeWords = (count) => new Int32Array(new SharedArrayBuffer(4 * count));

// The words of the bell: how often it was rung, and whether the helper has started.
const STARTED = 1;
let bell;
let helper;
let started;
// Milliseconds that a blocked thread waits for its helper to start. In browsers that needs the thread's event loop.
const LONGEST_START = hasProcess ? 60_000 : 1000;

// What the helper gets: the bell, and for each wait the words, the index, the value and the time-out; then its state, and whether its wake-up goes to
// the next waiter if it was given up; or instead the number of a place, whose waits are all one wait, for all of them are woken together.
// A lock's wait that was given up before it was queued is woken again, with all others of the lock.
const source = `let A=Atomics,P={},f=([b,l])=>{
A.store(b,1,1)
A.notify(b,1)
for(let[w,i,v,t,s,k]of l){
if(s?A.load(s,0)!=1:P[k])continue
let d=x=>{
if(!s)delete P[k]
else if(A.compareExchange(s,0,1,x=='ok'?2:x<'t'?3:4)!=1){
if(k&&x=='ok')A.notify(w,i,1)
return
}
A.add(b,0,1)
A.notify(b,0)
},r=A.waitAsync(w,i,v,t)
if(r.async){
if(!s)P[k]=1
r.value.then(d)
if(s&&!k&&A.load(s,0)==5)A.notify(w,i)
}else d(r.value)
}
}
`;

function startHelper() {
  bell = makeWords(2);
  const { Worker: Thread } = globalThis.process?.getBuiltinModule?.('node:worker_threads') ?? {};
  if (Thread) {
    helper = new Thread(`${source}require('node:worker_threads').parentPort.on('message',f)`, { eval: true, execArgv: [] });
    helper.unref();
    started = true;
    return;
  }
  if (!globalThis.Worker) fail('select', 'no worker can be started here, which must wait for this thread; use selectAsync', Error);
  helper = new Worker(URL.createObjectURL(new Blob([`${source}onmessage=({data})=>{f(data);data[1].length||postMessage('')}`])));
  // Only when a message has been answered, do others come to it while this thread blocks: what is sent before its script has run waits in this
  // thread, until its event loop is told of that.
  helper.postMessage([bell, []]);
  started = new Promise((resolve) => {
    helper.onmessage = () => resolve(true);
    helper.onerror = () => resolve(false);
  });
}

/** Starts the helper by which `select` blocks in this thread; a promise of whether it can. */
export const whenSelectable = async () => {
  if (!engineMayBlock || !engineWaitAsync) return false;
  try {
    if (!helper) startHelper();
  } catch {
    return false;
  }
  return started;
};

/// Queues waits, and blocks until the bell is rung which was `seen` before, or the time is over.
function sleep(waits, seen, milliseconds) {
  if (!helper) startHelper();
  for (const [, , , , state] of waits) if (state) store(state, 0, QUEUED);
  if (waits.length) helper.postMessage([bell, waits]);
  if (engineWait(bell, STARTED, 0, Math.min(milliseconds, LONGEST_START)) === 'timed-out' && milliseconds > LONGEST_START)
    fail('select', 'the worker that waits for this thread could not start while it blocks; await whenSelectable() before', Error);
  engineWait(bell, 0, seen, milliseconds);
}

/// An arm has `look`, which returns undefined if it is done; else the wait to queue, none if it is queued already, and for how many milliseconds
/// to sleep at most. And it has `quit` and `finish`.

let places = 0;
const numbers = new WeakMap();

function armAtPlace({ at, begin }) {
  const waiter = begin(at.words);
  if (!numbers.has(at)) numbers.set(at, ++places);
  return {
    look() {
      const step = waiter.look();
      return step && [[at.words, 0, step[0], Infinity, undefined, numbers.get(at)], step[1]];
    },
    quit: () => waiter.leave?.(),
    finish: waiter.finish ?? (() => 'ok'),
  };
}

function armAtLock({ at, begin }) {
  if (!at.makeWaiter) fail('select', 'a lock of a program of WebAssembly is for selectAsync only', Error);
  const next = at.makeWaiter(Infinity);
  let state;
  let tag;
  return {
    look() {
      if (state && load(state, 0) === QUEUED) return [undefined, Infinity];
      const step = next(state && RESULTS[load(state, 0)]);
      if (step.length) return [[at.words, 0, ...step, state = makeWords(1), false], Infinity];
      tag = step;
      return undefined;
    },
    /// Leaves no wait in the queue: a wake-up of that would be lost for the others.
    quit() {
      const how = state ? compareExchange(state, 0, QUEUED, GIVEN_UP) : IDLE;
      if (how === QUEUED) wakeAll(at.words);
      if (how !== QUEUED && how !== OK) return;
      const taken = next('ok');
      if (!taken.length) at.release(taken);
    },
    finish: () => begin(tag),
  };
}

function armAtWord({ at: { words, index, expected } }) {
  let state;
  let result = 'not-equal';
  return {
    look() {
      const how = state ? load(state, 0) : TIMED_OUT;
      if (how === QUEUED) return [undefined, Infinity];
      if (how === TIMED_OUT && load(words, index) === expected) return [[words, index, expected, Infinity, state = makeWords(1), true], Infinity];
      result = how === OK ? 'ok' : 'not-equal';
      return undefined;
    },
    quit() {
      if (state && compareExchange(state, 0, QUEUED, GIVEN_UP) === OK) wake(words, index, 1);
    },
    finish: () => result,
  };
}

const armOf = ({ at }) => (at.acquire ? armAtLock : at.join ? armAtPlace : armAtWord);

/// Blocks until one arm is done; `chosen` is undefined if none was in time.
export function blockAtAll(operations, timeout, shuffled) {
  const until = now() + timeout;
  const arms = operations.map((operation) => armOf(operation)(operation));
  let chosen;
  try {
    while (true) {
      const seen = bell && load(bell, 0);
      const waits = [];
      let limit = Infinity;
      chosen = shuffled(arms).find((arm) => {
        const step = arm.look();
        if (!step) return true;
        if (step[0]) waits.push(step[0]);
        limit = Math.min(limit, step[1]);
        return false;
      });
      const left = until - now();
      if (chosen || left <= 0) return { arms, chosen };
      limit = Math.min(limit, left);
      if (arms.length === 1) {
        // Without a helper.
        const [words, index, value, most, state] = waits[0];
        const result = engineWait(words, index, value, Math.min(limit, most));
        if (state) store(state, 0, RESULTS.indexOf(result));
      } else if (engineWaitAsync) {
        sleep(waits, seen ?? 0, limit);
      } else {
        fail('select', 'to block for several operations, the engine must have Atomics.waitAsync; use selectAsync', Error);
      }
    }
  } finally {
    for (const arm of arms) if (arm !== chosen) arm.quit();
  }
}
