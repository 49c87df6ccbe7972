// SPDX-License-Identifier: MIT
// Waiting without blocking where the engine has no Atomics.waitAsync: a sleeper, a worker, blocks in the wait queue instead.

import { compareExchange, engineNotify, load, now } from './engine.js';
import { bufferOf } from './describe.js';

// The state of a sleeper's wait, which both sides change by compare-exchange.
const STARTING = 0;
const SLEEPING = 1;
const WOKEN = 2;   // by a notify of this thread, before it has slept

// Sleepers of one thread go to sleep in the order of their calls: the first element of `order` is the ticket whose turn it is.
const source = `onmessage = ({ data: { words, index, value, timeout, state, order, ticket } }) => {
  for (let turn; (turn = Atomics.load(order, 0)) !== ticket;) Atomics.wait(order, 0, turn);
  const starts = Atomics.compareExchange(state, 0, ${STARTING}, ${SLEEPING}) === ${STARTING};
  Atomics.store(order, 0, ticket + 1 | 0);
  Atomics.notify(order, 0);
  postMessage(starts ? Atomics.wait(words, index, value, timeout) : 'ok');
};
postMessage('started');`;

const LONGEST_SPIN = 2;  // milliseconds

const order = new Int32Array(new SharedArrayBuffer(4));
let tickets = 0;
const idle = [];
const starting = new Set();  // the waits that may not sleep yet, in their order
let url;

function makeSleeper() {
  url ??= URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const worker = new Worker(url);
  worker.unref?.();
  const sleeper = { worker, wait: undefined, isStarted: false };
  worker.onmessage = ({ data }) => {
    if (data === 'started') return void (sleeper.isStarted = true);
    const { wait } = sleeper;
    sleeper.wait = undefined;
    idle.push(sleeper);
    starting.delete(wait);
    wait.resolve(data);
  };
  worker.onerror = () => {
    if (sleeper.wait === undefined) return void idle.splice(idle.indexOf(sleeper), 1);
    starting.delete(sleeper.wait);
    sleeper.wait.reject(new Error('futon-web: this engine has no Atomics.waitAsync, and the worker that stands in for it ' +
      'cannot start. If the page has a Content-Security-Policy, it must allow worker-src blob:'));
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
  const wait = { buffer: bufferOf(words), at: words.byteOffset + index * words.BYTES_PER_ELEMENT, resolve: undefined, reject: undefined,
    state: new Int32Array(new SharedArrayBuffer(4)) };
  const promise = new Promise((resolve, reject) => {
    wait.resolve = resolve;
    wait.reject = reject;
  });
  sleeper.wait = wait;
  starting.add(wait);
  sleeper.worker.postMessage({ words, index, value, timeout, state: wait.state, order, ticket: tickets });
  tickets = tickets + 1 | 0;
  // Until it sleeps, other threads do not see it in the queue. One that has been started needs some microseconds for that.
  for (const until = now() + LONGEST_SPIN; sleeper.isStarted && load(wait.state, 0) === STARTING && now() < until;);
  prepareSleeper();
  return { async: true, value: promise };
}

/// As Atomics.notify. Waits of this thread whose sleepers do not sleep yet are the last of the queue.
export function notifySleepers(words, index, count) {
  let woken = engineNotify(words, index, count);
  const at = words.byteOffset + index * words.BYTES_PER_ELEMENT;
  for (const wait of starting) {
    if (woken >= count) break;
    if (load(wait.state, 0) === SLEEPING) {
      starting.delete(wait);
    } else if (wait.at === at && wait.buffer === bufferOf(words)
      && compareExchange(wait.state, 0, STARTING, WOKEN) === STARTING) {
      starting.delete(wait);
      wait.resolve('ok');
      ++woken;
    }
  }
  return woken;
}
