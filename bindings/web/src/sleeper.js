// SPDX-License-Identifier: MIT
// Waiting without blocking where the engine has no Atomics.waitAsync: a sleeper, a worker, blocks in the wait queue instead.

import { mayBlock } from './agent.js';
import { LONGEST_BLOCK, LONGEST_SPIN, OVER, SLEEPING, STARTING } from './constants.js';
import { compareExchange, engineNotify, engineWait, load, now, store } from './engine.js';

// Sleepers of one thread go to sleep in the order of their calls: each waits for the start of the one before. What a sleeper gets:
// the words, the index, the value, the time-out, the states of this wait and of the one before, if there was one.
const source = `onmessage=({data:[w,i,v,t,s,p]})=>{
p&&Atomics.wait(p,0,0)
let r='ok'
if(!Atomics.compareExchange(s,0,0,1)){
Atomics.notify(s,0)
r=Atomics.wait(w,i,v,t)
Atomics.store(s,0,r=='not-equal'?2:3)
}
postMessage(r)
}
postMessage('')`;

const addressOf = (words, index) => words.byteOffset + index * words.BYTES_PER_ELEMENT;
const isAt = (sleeper, words, index) =>
  sleeper.words.buffer === words.buffer && addressOf(sleeper.words, sleeper.index) === addressOf(words, index);

const idle = [];
// Those of the waits of this thread that have not settled, in their order. Each has `words`, `index`, `timeout`, `state` and `resolve` of its
// wait. Firefox collects a worker to which nothing refers, and the wait would not settle.
const sleepers = new Set();
let previous;
let url;

/// Settles the wait of the sleeper. It can have overtaken the one before it, if the system took the processor from that at the last
/// moment. So a wake-up goes to the first of this thread's waits there, and each of the others moves up to the next sleeper. One
/// that times out belongs to its own wait.
function settle(sleeper, result) {
  if (!sleepers.has(sleeper)) return;
  let resolve = sleeper.resolve;
  if (result === 'ok' && sleeper.timeout === Infinity) {
    let last;
    for (const each of sleepers) {
      if (each.timeout !== Infinity || !isAt(each, sleeper.words, sleeper.index)) continue;
      if (last) last.resolve = each.resolve;
      else resolve = each.resolve;
      if (each === sleeper) break;
      last = each;
    }
  }
  sleepers.delete(sleeper);
  store(sleeper.state, 0, OVER);
  engineNotify(sleeper.state, 0);  // the sleeper that comes after it may go on
  resolve(result);
}

function makeSleeper() {
  const sleeper = new Worker(url ??= URL.createObjectURL(new Blob([source])));
  sleeper.unref?.();
  sleeper.onmessage = ({ data }) => {
    sleeper.isStarted = true;
    if (data !== '') {
      idle.push(sleeper);
      settle(sleeper, data);
    }
  };
  sleeper.onerror = () => {
    idle.length = 0;
    const reject = (_, fail) => fail(new Error('futon-web: without Atomics.waitAsync the Content-Security-Policy needs worker-src blob:'));
    settle(sleeper, { then: reject });  // a rejected promise would be reported where no wait is left to reject
  };
  return sleeper;
}

/// Starts a sleeper if there is none, for the next wait. If that cannot be, the wait says why.
export function prepareSleeper() {
  try {
    idle[0] ??= makeSleeper();
  } catch {
    // A policy forbids it, or there are no workers here.
  }
}

/// As Atomics.waitAsync, except that the promise may give 'not-equal': the word has changed before the sleeper slept.
export function waitBySleeper(words, index, value, timeout) {
  const isEqual = load(words, index) === value;
  if (!isEqual || timeout <= 0) return { async: false, value: isEqual ? 'timed-out' : 'not-equal' };
  const sleeper = idle.pop() ?? makeSleeper();
  const state = new Int32Array(new SharedArrayBuffer(4));
  const promise = new Promise((resolve) => {
    sleepers.add(Object.assign(sleeper, { words, index, timeout, state, resolve }));
  });
  sleeper.postMessage([words, index, value, timeout, state, previous]);
  // Until it sleeps, other threads do not see it in the queue. It does so soon if it has been started, and the one before it.
  if (sleeper.isStarted && !(previous && load(previous, 0) === STARTING)) {
    if (mayBlock) engineWait(state, 0, STARTING, LONGEST_BLOCK);
    else for (const until = now() + LONGEST_SPIN; load(state, 0) === STARTING && now() < until;);
  }
  previous = state;
  prepareSleeper();
  return { async: true, value: promise };
}

/// As Atomics.notify. It finds each wait of this thread: one whose sleeper does not sleep yet is woken here, as the last of the
/// queue; and one that is about to sleep is notified until it does.
export function notifySleepers(words, index, count) {
  let woken = engineNotify(words, index, count);
  const until = now() + LONGEST_BLOCK;
  for (const sleeper of sleepers) {
    if (!isAt(sleeper, words, index)) continue;
    for (let seen; woken < count && (seen = load(sleeper.state, 0)) !== OVER;) {
      if (seen === SLEEPING) {
        if (now() >= until) break;
        woken += engineNotify(words, index, 1);
      } else if (compareExchange(sleeper.state, 0, seen, OVER) === seen) {
        settle(sleeper, 'ok');
        ++woken;
      }
    }
  }
  return woken;
}
