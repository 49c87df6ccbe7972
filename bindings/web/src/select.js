// SPDX-License-Identifier: MIT
// Which of several operations is done first: one of them, and no other, has happened then.
//
// An arm is an operation that a select waits for. It takes what it waits for only while code of its own thread runs, and that code ends the
// select before any other arm can be done. A lock alone is taken some microtasks before that; if another arm was faster, it is released.

import { requireCanBlock } from './agent.js';
import { toElement, toIndex } from './coerce.js';
import { engineWaitAsync, load } from './engine.js';
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

// Places in the engine's queue that no select waits at any more, of each element. Nothing but a notify takes them out, so the next select
// of this thread has one again. Not that of a sleeper, which may be out of the queue before this thread knows.
const left = new WeakMap();
let marker;

const addressOf = ({ byteOffset, BYTES_PER_ELEMENT }, index) => byteOffset + index * BYTES_PER_ELEMENT;

function leave(place, words, index) {
  const { buffer } = words;
  const address = addressOf(words, index);
  if (!left.has(buffer)) left.set(buffer, new Map());
  const places = left.get(buffer).get(address) ?? new Set();
  left.get(buffer).set(address, places.add(place));
}

/// Takes back the place that was left first, if there is one; or this one.
function takeLeft(words, index, place) {
  const all = left.get(words.buffer);
  const address = addressOf(words, index);
  const places = all?.get(address);
  if (!places) return undefined;
  const [taken] = place ? [place] : places;
  places.delete(taken);
  if (places.size === 0) all.delete(address);
  return taken;
}

/// A function that tells whether the wake-ups of this thread until now have been delivered. Engines deliver them in their order.
function wakesUntilNow() {
  let areDelivered = false;
  marker ??= new Int32Array(new SharedArrayBuffer(4));
  enqueue(marker, 0, 0, Infinity).value.then(() => { areDelivered = true; });
  wake(marker, 0, 1);
  return () => areDelivered;
}

/// A place in the queue, whose `end` is called when a notify has reached it.
function enter(words, index, expected, refuse) {
  const { async, value } = enqueue(words, index, expected, Infinity);
  if (!async) return undefined;
  const place = {};
  value.then((how) => place.end(how), refuse);
  return place;
}

function armAtWord({ at: { words, index, expected } }) {
  let place;
  let result = 'not-equal';

  const wait = (serve, refuse) => {
    place = enter(words, index, expected, refuse);
    if (!place) return void serve();
    place.end = (how) => {
      place = undefined;
      result = how;
      serve();
    };
  };

  return {
    attempt: () => load(words, index) !== expected,
    join(serve, refuse) {
      place = takeLeft(words, index);
      if (!place) return void wait(serve, refuse);
      const areDelivered = wakesUntilNow();
      place.end = (how) => {
        place = undefined;
        if (areDelivered()) {
          result = how;
          return void serve();
        }
        wait(serve, refuse);
        wake(words, index, 1);  // a notify before this select: it goes to the next waiter
      };
    },
    quit() {
      const mine = place;
      if (!mine) return;
      if (engineWaitAsync) leave(mine, words, index);
      mine.end = (how) => {
        if (engineWaitAsync) takeLeft(words, index, mine);
        if (how === 'ok') wake(words, index, 1);
      };
    },
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
