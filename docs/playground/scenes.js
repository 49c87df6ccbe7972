// SPDX-License-Identifier: MIT
// The two corner cases, and the one queue, step by step. Each step is done by a real worker, or by the page.

import { AsyncLock } from './futon-web/index.js';

const SETTLE = 60;   // milliseconds until a step that blocks is shown as blocked; no result depends on it

/// A step: the actor, what it does, and why it matters. `owner` is the actor that has the lock.
export const SCENES = {
  late: [
    ['T1', 'take', 'T1 has the lock.'],
    ['T2', 'take', 'T2 finds it held, and is about to wait.'],
    ['T1', 'free', 'But T1 unlocks before T2 is asleep …'],
    ['T1', 'notify', '… and its notify finds no waiter.'],
    ['T2', 'wait',
      'wait compares the word before it sleeps, and no change can come in between. ' +
      'It is not 1 any more: no sleep. If wait did not compare, T2 would sleep for ever.'],
    ['T2', 'take', 'So T2 asks again, and has the lock.'],
    ['T2', 'free', 'T2 unlocks.'],
  ],
  barge: [
    ['T1', 'take', 'T1 has the lock.'],
    ['T2', 'take', 'T2 finds it held …'],
    ['T2', 'wait', '… and sleeps.'],
    ['T1', 'free', 'T1 unlocks.'],
    ['T3', 'take', 'T3 comes and takes the lock past the queue. This is called barging.'],
    ['T1', 'notify', 'Only now T1 wakes T2, the first in the queue.'],
    ['T2', 'take', 'T2 is awake, but has no lock. So a waiter must ask in a loop; each time it waits anew, it does so at the end of the queue.'],
    ['T3', 'free', 'T3 unlocks.'],
    ['T2', 'take', 'This time T2 comes first. Nothing promised that it would.'],
  ],
  queue: [
    ['T1', 'lock', 'T1 has the lock, a strict one of futon.'],
    ['page', 'lockAsync', 'The page is enqueued by a promise, and goes on drawing.'],
    ['T2', 'lockAsync', 'T2, a worker, is enqueued by a promise, too.'],
    ['T3', 'lock', 'T3 sleeps. It is in the same queue.'],
    ['owner', 'unlock', 'The lock is handed to the first in the queue. It is not free in between: no other can take it.'],
    ['owner', 'unlock', 'And on to the next.'],
    ['owner', 'unlock', 'And on to the last. Threads and promises are served alike.'],
    ['owner', 'unlock', 'The queue is empty: the lock is free.'],
  ],
};

const delay = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

/// The page's part in a scene: the same steps as a worker's.
class PageActor {
  constructor(buffer) {
    this.lock = new AsyncLock(buffer, 4, { strict: true });
  }

  do(step, onUnderWay, onResult) {
    if (step === 'unlock') {
      this.guard.unlock();
      onResult('unlocked');
    } else {
      this.lock.lockAsync().then((guard) => {
        this.guard = guard;
        onResult('has the lock');
      });
      onUnderWay();
    }
  }

  end() {}
}

class WorkerActor {
  #calls = new Map();
  #id = 0;

  constructor(buffer, name) {
    this.worker = new Worker(new URL('step_worker.js', import.meta.url), { type: 'module', name });
    this.isReady = new Promise((resolve, reject) => {
      this.worker.onerror = ({ message }) => reject(new Error(`${name}: ${message ?? 'it could not be loaded'}`));
      this.worker.onmessage = ({ data: { isReady, id, isUnderWay, result } }) => {
        if (isReady) resolve();
        else if (isUnderWay) this.#calls.get(id).onUnderWay();
        else this.#calls.get(id).onResult(result);
      };
    });
    this.worker.postMessage({ buffer });
  }

  do(step, onUnderWay, onResult) {
    this.#calls.set(++this.#id, { onUnderWay, onResult });
    this.worker.postMessage({ step, id: this.#id });
  }

  end() {
    this.worker.terminate();
  }
}

/// Plays one scene. `show(step, text, who)` gets each answer, also the late one of a step that blocked; `order` is who took the lock.
export class Scene {
  at = 0;
  order = [];
  owner;
  first;               // in the queue, before the latest step
  #queue = [];
  actors = new Map();

  constructor(steps, show) {
    this.steps = steps;
    this.show = show;
    this.hasPage = steps.some(([who]) => who === 'page');
    this.buffer = new SharedArrayBuffer(8);
    this.word = new Int32Array(this.buffer, 0, 1);
    this.answers = [];
  }

  /// The workers are started by the first step: a reader may never come to it.
  #begin() {
    const names = [...new Set(this.steps.map(([who]) => who).filter((who) => who !== 'owner'))];
    this.actors = new Map(names.map((who) => [who, who === 'page' ? new PageActor(this.buffer) : new WorkerActor(this.buffer, who)]));
  }

  get isOver() {
    return this.at === this.steps.length;
  }

  /// Where everything stands after the last step: the word, or who has the lock of the last scene; and who sleeps or waits for it.
  get state() {
    const waysOf = (name) => (this.answers.findLast(({ who }) => who === name).what === 'lockAsync' ? 'waits by a promise' : 'sleeps');
    const waiting = this.#queue.map((name) => `${name} ${waysOf(name)}`).join(', ');
    const held = this.owner === undefined ? 'free' : `held by ${this.owner}`;
    const lock = this.hasPage ? `The lock is ${held}.` : `The word is ${Atomics.load(this.word, 0)}: ${held}.`;
    return `${lock} Queue: ${waiting === '' ? 'empty' : waiting}.`;
  }

  /// Why the latest step matters. A promise that was handed the lock and did not come in time keeps its place.
  get why() {
    const [, what, text] = this.steps[this.at - 1];
    if (what !== 'unlock' || this.first === undefined || this.owner === this.first) return text;
    return `${this.first} was the first in the queue, but did not come in time. So the lock went on to ${this.owner}; ` +
      `${this.first} keeps its place, and is next.`;
  }

  /// Does the next step. Ends when there is its answer, or when it waits; `unlock` ends when the next one has the lock.
  async step() {
    if (this.at === 0) this.#begin();
    const index = this.at++;
    const [role, what] = this.steps[index];
    const who = role === 'owner' ? this.order.at(-1) : role;
    const actor = this.actors.get(who);
    await actor.isReady;
    const waiting = this.answers.filter(({ isPending }) => isPending);
    [this.first] = this.#queue;
    const answer = this.answers[index] = { isPending: true, who, what };
    await new Promise((resolve) => {
      answer.settled = new Promise((settle) => {
        actor.do(what, () => {
          if (what === 'lockAsync') resolve();
          else delay(SETTLE).then(resolve);
        }, (result) => {
          answer.isPending = false;
          if (what === 'free' || what === 'unlock' && this.owner === who) this.owner = undefined;
          if (result === 'has the lock' || what === 'take' && result.startsWith('was free')) {
            this.owner = who;
            this.order.push(who);
          }
          this.#queue = this.#queue.filter((name) => name !== who);
          this.show(index, result, who);
          settle();
          resolve();
        });
      });
    });
    if (what === 'notify') await this.#untilWoken();
    if (what === 'unlock' && waiting.length > 0) await Promise.race(waiting.map(({ settled }) => settled));
    if (!answer.isPending) return;
    this.#queue.push(who);
    this.show(index, 'waits', who);
  }

  /// A worker may have been slower than SETTLE to fall asleep, on a busy machine: then it has to be woken once more.
  async #untilWoken() {
    for (const answer of this.answers.filter(({ isPending }) => isPending)) {
      while (answer.isPending) {
        await Promise.race([answer.settled, delay(SETTLE)]);
        if (answer.isPending) Atomics.notify(this.word, 0, 1);
      }
    }
  }

  end() {
    for (const actor of this.actors.values()) actor.end();
  }
}
