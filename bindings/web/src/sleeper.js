// SPDX-License-Identifier: MIT
// Waiting without blocking where the engine has no Atomics.waitAsync: a sleeper, a worker, blocks in the wait queue instead.

import { canBlock } from './agent.js';
import { compareExchange, engineNotify, engineWait, load, now, store } from './engine.js';
import { bufferOf } from './describe.js';

// The state of a sleeper's wait, which both sides change.
const STARTING = 0;
const SLEEPING = 1;  // or about to sleep
const MISSED = 2;    // the word had changed before it slept
const OVER = 3;

// Sleepers of one thread go to sleep in the order of their calls: each waits for the start of the one before.
const source = `onmessage=({data:[words,index,value,timeout,state,previous]})=>{
const {compareExchange,notify,store,wait}=Atomics
wait(previous,0,${STARTING})
let result='ok'
if(!compareExchange(state,0,${STARTING},${SLEEPING})){
notify(state,0)
result=wait(words,index,value,timeout)
store(state,0,result=='not-equal'?${MISSED}:${OVER})
}
postMessage(result)
}
postMessage('')`;

// Milliseconds that a call waits at most for a sleeper to go to sleep, which takes some microseconds on a machine that is not busy.
const LONGEST_SPIN = 2;     // in a thread that must not block, for the sake of other threads alone
const LONGEST_BLOCK = 100;  // in one that may; and in any if a wake-up would be lost else

const makeState = (value) => new Int32Array(new SharedArrayBuffer(4)).fill(value);
const addressOf = (words, index) => words.byteOffset + index * words.BYTES_PER_ELEMENT;

const idle = [];
const waits = new Set();  // those of this thread that have not settled, in their order
let previous = makeState(OVER);
let url;

/// The wait needs no wake-up any more. The sleeper that comes after it may go on.
function end(wait) {
  waits.delete(wait);
  store(wait.state, 0, OVER);
  engineNotify(wait.state, 0);
}

function makeSleeper() {
  url ??= URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const worker = new Worker(url);
  worker.unref?.();
  const sleeper = { worker, wait: undefined, isStarted: false };
  worker.onmessage = ({ data }) => {
    if (data === '') return void (sleeper.isStarted = true);
    const { wait } = sleeper;
    sleeper.wait = undefined;
    idle.push(sleeper);
    waits.delete(wait);
    wait.resolve(data);
  };
  worker.onerror = () => {
    const { wait } = sleeper;
    if (wait === undefined) return void idle.splice(idle.indexOf(sleeper), 1);
    end(wait);
    wait.reject(new Error('futon-web: this engine has no Atomics.waitAsync, and the worker that stands in for it cannot start. ' +
      'If the page has a Content-Security-Policy, it must allow worker-src blob:'));
  };
  return sleeper;
}

/// Starts a sleeper if there is none, for the next wait. If that cannot be, the wait says why.
export function prepareSleeper() {
  try {
    if (idle.length === 0) idle.push(makeSleeper());
  } catch {
    // A policy forbids it, or there are no workers here.
  }
}

/// As Atomics.waitAsync, except that the promise may give 'not-equal': the word has changed before the sleeper slept.
export function waitBySleeper(words, index, value, timeout) {
  if (load(words, index) !== value) return { async: false, value: 'not-equal' };
  if (timeout <= 0) return { async: false, value: 'timed-out' };
  const sleeper = idle.pop() ?? makeSleeper();
  const state = makeState(STARTING);
  const wait = sleeper.wait = { buffer: bufferOf(words), address: addressOf(words, index), state };
  const promise = new Promise((resolve, reject) => Object.assign(wait, { resolve, reject }));
  waits.add(wait);
  sleeper.worker.postMessage([words, index, value, timeout, state, previous]);
  previous = state;
  // Until it sleeps, other threads do not see it in the queue. One that has been started needs some microseconds for that.
  if (sleeper.isStarted) {
    if (canBlock()) engineWait(state, 0, STARTING, LONGEST_BLOCK);
    else for (const until = now() + LONGEST_SPIN; load(state, 0) === STARTING && now() < until;);
  }
  prepareSleeper();
  return { async: true, value: promise };
}

/// As Atomics.notify. It finds each wait of this thread: one whose sleeper does not sleep yet is woken here, as the last of the
/// queue; and one that is about to sleep is notified until it does.
export function notifySleepers(words, index, count) {
  let woken = engineNotify(words, index, count);
  const until = now() + LONGEST_BLOCK;
  const address = addressOf(words, index);
  for (const wait of waits) {
    if (wait.address !== address || wait.buffer !== bufferOf(words)) continue;
    while (woken < count) {
      const state = load(wait.state, 0);
      if (state === SLEEPING) {
        if (now() >= until) break;
        woken += engineNotify(words, index, 1);
      } else {
        if (state === OVER) break;
        if (compareExchange(wait.state, 0, state, OVER) !== state) continue;
        end(wait);
        wait.resolve('ok');
        ++woken;
      }
    }
  }
  return woken;
}
