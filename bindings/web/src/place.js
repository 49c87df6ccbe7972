// SPDX-License-Identifier: MIT
// The ways to wait for the primitives besides AsyncLock.
//
// One rule makes all of them lose no waiter. A waiter looks whether it is served, and sleeps only at a value of the first word at which
// it is not. Each change of that word that may serve a waiter wakes all, and each of those looks again. So no wake-up has to be passed on:
// what was woken may be aborted, be late, or have ended with its thread, and takes nothing from others. The engine's queue holds
// one waiter for each blocked thread, and one for all promises of an object: those wait in a list of their own, in their order.
//
// But a thread may end when it has changed the word and has not woken the others yet. So no waiter sleeps for longer than LONGEST_SLEEP.

import { requireCanBlock } from './agent.js';
import { now } from './engine.js';
import { timedOut } from './failure.js';
import { readWaitOptions } from './option_bag.js';
import { pending, startTimer } from './pending.js';
import { block, enqueue } from './queue.js';

/// The words of a primitive, and the promises of one object that wait. A waiter has `look`, which returns undefined if it is served, else
/// the value to sleep at and for how many milliseconds at most; and may have `leave`, for when it is given up. That of a promise also has
/// `resolve`, which is called when it is served, and `refuse`. None is served before another that came earlier, although it needs less.
export function makePlace(name, words) {
  const waiting = new Set();
  let isAsleep = false;
  let timer;

  /// Serves the promises that can be, and sleeps for the others.
  const serve = () => {
    let step;
    for (const one of waiting) {
      step = one.look();
      if (step) break;
      waiting.delete(one);
      one.resolve(true);  // a select leaves other places then, which may serve promises that leave this one
    }
    clearTimeout(timer);
    if (!step) return;
    timer = startTimer(serve, step[1]);
    if (!isAsleep) sleep(step[0]);
  };

  const sleep = async (value) => {
    isAsleep = true;
    try {
      await enqueue(words, 0, value, Infinity).value;
    } catch (error) {
      for (const one of waiting) one.refuse(error);
    }
    isAsleep = false;
    serve();
  };

  return {
    name,
    words,

    /// Whether a promise may look at once: it overtakes none of this object that came before it.
    isNext: () => !waiting.size,

    /// Has a promise wait, and look at once.
    join(one) {
      waiting.add(one);
      serve();
    },

    /// The promise is given up.
    quit(one) {
      waiting.delete(one);
      one.leave?.();
      serve();  // the next may need less than this one
    },
  };
}

/// Blocks for an operation of a place; there is a function with Async behind `verb`, too. `begin` is called when all arguments have been
/// found right.
export function blockFor({ at, begin, verb, text }, options) {
  const name = `${at.name}.${verb}`;
  requireCanBlock(name);
  const { timeout } = readWaitOptions(options, name, true);
  const waiter = begin();
  const until = now() + timeout;
  const isServed = block(at.words, () => {
    const step = waiter.look();
    if (!step) return 1;
    const left = until - now();
    if (left > 0) return [step[0], Math.min(left, step[1])];
    waiter.leave?.();
    return 0;
  });
  if (isServed) return waiter.finish?.() ?? 'ok';
  if (text) throw timedOut(name, text);
  return 'timed-out';
}

/// The same by a promise.
export async function waitFor({ at, begin, verb, text }, options) {
  const name = `${at.name}.${verb}`;
  const read = readWaitOptions(options, name, false);
  read.signal?.throwIfAborted();
  const late = text && read.timeout < Infinity && timedOut(name, text);  // later no frame of the program's is on the stack
  const waiter = begin();
  if (await waitAt(at, waiter, read)) return waiter.finish?.() ?? 'ok';
  if (late) throw late;
  return 'timed-out';
}

/// Whether the waiter was served in time, or a promise of that.
function waitAt(place, waiter, read) {
  if (place.isNext()) {
    if (!waiter.look()) return true;
    if (read.timeout <= 0) return waiter.leave?.();
  }
  return pending(read, (resolve, refuse) => place.join(Object.assign(waiter, { resolve, refuse })),
    () => place.quit(waiter));
}
