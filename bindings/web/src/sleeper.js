// SPDX-License-Identifier: MIT
// Waiting without blocking where the engine has no Atomics.waitAsync: a sleeper, a worker, blocks in the wait queue instead.

import { canBlock } from './agent.js';
import { compareExchange, engineNotify, engineWait, load, now, store } from './engine.js';
import { bufferOf } from './describe.js';

// The state of a sleeper's wait, which both sides change.
const STARTING = 0;
const SLEEPING = 1;  // or about to sleep
const OVER = 3;      // 2: the word had changed before it slept

// Sleepers of one thread go to sleep in the order of their calls: each waits for the start of the one before. What a sleeper gets:
// the words, the index, the value, the time-out, the states of this wait and of the one before.
const source = `onmessage=({data:[w,i,v,t,s,p]})=>{
const{compareExchange,notify,store,wait}=Atomics
let r='ok'
wait(p,0,0)
if(!compareExchange(s,0,0,1)){
notify(s,0)
r=wait(w,i,v,t)
store(s,0,r=='not-equal'?2:3)
}
postMessage(r)
}
postMessage('')`;

// Milliseconds that a call waits at most for a sleeper to go to sleep, which takes some microseconds on a machine that is not busy.
const LONGEST_SPIN = 2;     // in a thread that must not block, for the sake of other threads alone
const LONGEST_BLOCK = 100;  // in one that may; and in any if a wake-up would be lost else

const makeState = () => new Int32Array(new SharedArrayBuffer(4));
const addressOf = (words, index) => words.byteOffset + index * words.BYTES_PER_ELEMENT;

const idle = [];
const waits = new Set();  // those of this thread that have not settled, in their order
let previous = makeState();
let url;
store(previous, 0, OVER);

/// The wait needs no wake-up any more. The sleeper that comes after it may go on.
function end(wait) {
  waits.delete(wait);
  store(wait.state, 0, OVER);
  engineNotify(wait.state, 0);
}

function makeSleeper() {
  const sleeper = new Worker(url ??= URL.createObjectURL(new Blob([source])));
  sleeper.unref?.();
  sleeper.onmessage = () => { sleeper.isStarted = true; };
  sleeper.onerror = () => { idle.splice(idle.indexOf(sleeper), 1); };
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
  const state = makeState();
  const promise = new Promise((resolve, reject) => {
    const wait = { buffer: bufferOf(words), address: addressOf(words, index), state, resolve };
    waits.add(wait);
    sleeper.onmessage = ({ data }) => {
      sleeper.isStarted = true;
      if (data === '') return;
      idle.push(sleeper);
      waits.delete(wait);
      resolve(data);
    };
    sleeper.onerror = () => {
      end(wait);
      reject(new Error('futon-web: this engine has no Atomics.waitAsync, and the worker that stands in for it cannot start. ' +
        'If the page has a Content-Security-Policy, it must allow worker-src blob:'));
    };
  });
  sleeper.postMessage([words, index, value, timeout, state, previous]);
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
  for (const wait of waits) {
    const { state } = wait;
    if (wait.address !== addressOf(words, index) || wait.buffer !== bufferOf(words)) continue;
    for (let seen; woken < count && (seen = load(state, 0)) !== OVER;) {
      if (seen === SLEEPING) {
        if (now() >= until) break;
        woken += engineNotify(words, index, 1);
      } else if (compareExchange(state, 0, seen, OVER) === seen) {
        end(wait);
        wait.resolve('ok');
        ++woken;
      }
    }
  }
  return woken;
}
