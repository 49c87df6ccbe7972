// SPDX-License-Identifier: MIT
// Which of several operations is done first: one of them, and no other, has happened then.
//
// An arm is an operation that a select waits for. It takes what it waits for only while code of its own thread runs, and that code ends the
// select before any other arm can be done. A lock alone is taken some microtasks before that; if another arm was faster, it is released.

import { requireCanBlock } from './agent.js';
import { toElement, toIndex } from './coerce.js';
import { load } from './engine.js';
import { fail, requireKind } from './failure.js';
import { Operation } from './operation.js';
import { readWaitOptions } from './option_bag.js';
import { pending } from './pending.js';
import { enqueue, wake } from './queue.js';
import { blockAtAll } from './select_block.js';

/** Waiting for an element, as an operation of `select`; its value is what `wait` returns. */
export const waiting = (typedArray, index, value) => {
  const at = toIndex(typedArray, index, 'waiting', false);
  return new Operation({ words: typedArray, index: at, expected: toElement(typedArray, value, 'waiting') });
};

function requireOperations(operations, name) {
  requireKind(name, 'operations', operations, 'an array', Array.isArray(operations));
  if (!operations.length) fail(name, 'operations must have one at least');
  for (let i = 0; i < operations.length; ++i)
    requireKind(name, `operations[${i}]`, operations[i], 'an operation such as lock.locking()', operations[i] instanceof Operation);
}

/// Each of several that are ready is equally likely to be the first.
const shuffled = (list) => list.map((one) => [Math.random(), one]).sort(([a], [b]) => a - b).map(([, one]) => one);

const answer = (arms, chosen) => ({ __proto__: null, index: arms.indexOf(chosen), value: chosen ? chosen.finish() : 'timed-out' });

// An arm of a promise has `attempt`, which returns whether it is done without waiting; `join`, after which it waits and calls
// `serve` once it is done, and `refuse` if it cannot wait any more; `quit`, which gives it up; and `finish`, which gives the
// value.

function armAtPlace({ at, begin }) {
  const waiter = begin(at.words);
  return {
    attempt: () => at.attempt(waiter),
    join: at.join(waiter),
    quit: at.quit(waiter),
    finish: waiter.finish ?? (() => 'ok'),
  };
}

function armAtLock({ at, begin }, name) {
  const controller = new AbortController();
  const { signal } = controller;
  let tag;
  return {
    attempt: () => (tag = at.take()) !== 0,
    join(serve, refuse) {
      at.acquire({ timeout: Infinity, signal, ref: false }, name).then((taken) => {
        if (signal.aborted) return void at.release(taken);
        tag = taken;
        serve();
      }, (error) => signal.aborted || refuse(error));
    },
    quit: () => controller.abort(),
    finish: () => begin(tag),
  };
}

function armAtWord({ at: { words, index, expected } }) {
  let isOver = false;
  let result = 'not-equal';
  return {
    attempt: () => load(words, index) !== expected,
    join(serve, refuse) {
      const { async, value } = enqueue(words, index, expected, Infinity);
      if (!async) return void serve();
      value.then((how) => {
        // Its place in the queue has stayed: the wake-up goes to the next waiter.
        if (isOver) return how === 'ok' && wake(words, index, 1);
        result = how;
        return serve();
      }, (error) => isOver || refuse(error));
    },
    quit() { isOver = true; },
    finish: () => result,
  };
}

const armOf = ({ at }) => (at.acquire ? armAtLock : at.join ? armAtPlace : armAtWord);

/** A promise of which operation was done first, and what it gave. */
export async function selectAsync(operations, options = undefined) {
  const name = 'selectAsync';
  requireOperations(operations, name);
  const read = readWaitOptions(options, name, false);
  read.signal?.throwIfAborted();

  const arms = operations.map((operation) => armOf(operation)(operation, name));
  const inOrder = shuffled(arms);
  let chosen;
  const quit = () => { for (const arm of inOrder.splice(0)) if (arm !== chosen) arm.quit(); };
  try {
    chosen = inOrder.find((arm) => arm.attempt());
    if (!chosen && read.timeout > 0) {
      await pending(read, (serve, refuse, isOver) => {
        try {
          for (const arm of [...inOrder]) {
            if (isOver()) break;
            arm.join(() => {
              chosen = arm;
              serve();
              quit();
            }, refuse);
          }
        } catch (error) {
          refuse(error);
        }
      }, quit);
    }
  } finally {
    quit();
  }
  return answer(arms, chosen);
}

/** Blocks until one of the operations is done. */
export function select(operations, options = undefined) {
  const name = 'select';
  requireOperations(operations, name);
  requireCanBlock(name);
  const { timeout } = readWaitOptions(options, name, true);
  const { arms, chosen } = blockAtAll(operations, timeout, shuffled);
  return answer(arms, chosen);
}
