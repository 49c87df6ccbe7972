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
import { engineWait, now } from './engine.js';
import { timedOut } from './failure.js';
import { readWaitOptions } from './option_bag.js';
import { pending } from './pending.js';
import { enqueue, wakeAll } from './queue.js';

/// The words of a primitive, and the promises of one object that wait. A waiter has `look`, which returns undefined if it is
/// served, else the value to sleep at and for how many milliseconds at most; and may have `leave`, for when it is given up; and
/// `finish`, which gives what it has waited for, if that is another than 'ok', or throws. `look` does not throw. No promise is
/// served before another that came earlier, although it needs less.
export function makePlace(name, words) {
  const waiting = new Map();  // the waiters of the promises, and the two functions that settle each
  let isServing = false;

  /// Serves the promises that can be, in their order. Returns how the first of the others sleeps.
  const look = () => {
    for (const [waiter, [resolve]] of waiting) {
      const step = waiter.look();
      if (step) return step;
      waiting.delete(waiter);
      resolve(true);  // a select leaves other places then, which may serve promises that leave this one
    }
    return undefined;
  };

  const serve = async () => {
    if (isServing) return;
    isServing = true;
    try {
      for (let step; (step = look());) await enqueue(words, 0, ...step).value;
    } catch (error) {
      for (const [, [, refuse]] of waiting) refuse(error);
    }
    isServing = false;
  };

  return {
    name,
    words,

    /// Whether a waiter is served at once. It overtakes no promise of this object.
    attempt: (waiter) => !look() && !waiter.look(),

    /// A function that has a promise wait; it gets what settles that.
    join: (waiter) => (...settlers) => {
      waiting.set(waiter, settlers);
      serve();
    },

    /// A function that gives up the promise.
    quit: (waiter) => () => {
      const hasWaited = waiting.delete(waiter);
      waiter.leave?.();
      if (hasWaited) wakeAll(words);  // among them this place, which may sleep for that promise, and the next one may need less
    },
  };
}

/// Blocks for an operation of a place; there is a function with Async behind `verb`, too. `begin` is called when all arguments
/// have been found right.
export function blockFor({ at, begin, verb, text }, options) {
  const name = `${at.name}.${verb}`;
  requireCanBlock(name);
  const { timeout } = readWaitOptions(options, name, true);
  const waiter = begin(at.words);
  const until = now() + timeout;
  let step;
  while ((step = waiter.look()) && now() < until) engineWait(at.words, 0, step[0], Math.min(step[1], until - now()));
  if (!step) return waiter.finish?.() ?? 'ok';
  waiter.leave?.();
  if (text) throw timedOut(name, text);
  return 'timed-out';
}

/// The same by a promise.
export async function waitFor({ at, begin, verb, text }, options) {
  const name = `${at.name}.${verb}`;
  const read = readWaitOptions(options, name, false);
  read.signal?.throwIfAborted();
  const late = text && read.timeout < Infinity && timedOut(name, text);  // later no frame of the program's is on the stack
  const waiter = begin(at.words);
  const quit = at.quit(waiter);
  const isServed = at.attempt(waiter) || (read.timeout > 0 ? await pending(read, at.join(waiter), quit) : quit());
  if (isServed) return waiter.finish?.() ?? 'ok';
  if (late) throw late;
  return 'timed-out';
}
