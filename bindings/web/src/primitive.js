// SPDX-License-Identifier: MIT
// What the primitives besides AsyncLock have in common: their words, their arguments, and the ways to wait for them.
//
// One rule makes all of them lose no waiter. A waiter looks whether it is served, and sleeps only at a value of the first word at which
// it is not. Each change of that word that may serve a waiter wakes all, and each of those looks again. So no wake-up has to be passed on:
// what was woken may be aborted, be late, or have ended with its thread, and takes nothing from others. The engine's queue holds
// one waiter for each blocked thread, and one for all promises of an object: those wait in a list of their own, in their order.

import { requireCanBlock } from './agent.js';
import { now } from './engine.js';
import { fail, requireKind, timedOut } from './failure.js';
import { readWaitOptions } from './option_bag.js';
import { pendingUntil, startTimer } from './pending.js';
import { block, enqueue } from './queue.js';
import { requirePlace } from './support.js';

export { dispose } from './operation.js';

/// The words of a primitive, and the promises of one object that wait. A waiter has `look`, which returns undefined if it is served, else
/// the value to sleep at and for how many milliseconds at most; and `leave`, for one that is given up. That of a promise also has `serve`,
/// which is called when it is served, and `refuse`.
class Place {
  #waiting = new Set();
  #isAsleep = false;
  #timer;

  /// `isFifo`: whether none is served before another that came earlier, although it needs less.
  constructor(name, words, isFifo) {
    this.name = name;
    this.words = words;
    this.isFifo = isFifo;
  }

  /// Serves the promises that can be, and sleeps for the others.
  #serve() {
    let step;
    for (const one of this.#waiting) {
      const found = one.look();
      step ??= found;
      if (found) {
        if (this.isFifo) break;
      } else {
        this.#waiting.delete(one);
        one.serve();  // a select leaves other places then, which may serve promises that leave this one
      }
    }
    clearTimeout(this.#timer);
    if (step === undefined) return;
    this.#timer = startTimer(() => this.#serve(), step[1]);
    if (!this.#isAsleep) this.#sleep(step[0]);
  }

  async #sleep(value) {
    this.#isAsleep = true;
    try {
      await enqueue(this.words, 0, value, Infinity).value;
    } catch (error) {
      for (const one of this.#waiting) one.refuse(error);
    }
    this.#isAsleep = false;
    this.#serve();
  }

  /// Blocks; returns whether the waiter was served in time.
  block({ look, leave }, timeout) {
    const until = now() + timeout;
    return block(this.words, () => {
      const step = look();
      if (step === undefined) return 1;
      const left = until - now();
      if (left > 0) return [step[0], Math.min(left, step[1])];
      leave();
      return 0;
    }) === 1;
  }

  /// The same without blocking; the promise rejects when the signal aborts.
  async wait({ look, leave }, { timeout, signal, ref }) {
    if (this.isNext()) {
      if (look() === undefined) return true;
      if (timeout <= 0) return leave(), false;
    }
    let one;
    return pendingUntil({ timeout, signal, ref }, (serve, refuse) => this.join(one = { look, leave, serve, refuse }), () => this.quit(one));
  }

  /// Whether a promise may look at once: it overtakes none of this object that came before it.
  isNext() {
    return !this.#waiting.size;
  }

  /// Has a promise wait, and look at once.
  join(one) {
    this.#waiting.add(one);
    this.#serve();
  }

  /// The promise is given up.
  quit(one) {
    this.#waiting.delete(one);
    one.leave();
    this.#serve();  // the next may need less than this one
  }
}

const finish = (waiter) => (waiter.finish ? waiter.finish() : 'ok');

/// Blocks for a primitive, in its function of the name `verb`; there is another with Async behind it. `makeWaiter` is called when all
/// arguments have been found right. Gives what its `finish` gives, 'ok' if it has none; or 'timed-out', but if there is a text for that, it
/// is an error that is thrown.
export function blockFor(place, verb, options, makeWaiter, text) {
  const name = `${place.name}.${verb}`;
  requireCanBlock(name, `${verb}Async`);
  const { timeout } = readWaitOptions(options, name, true);
  const waiter = makeWaiter();
  if (place.block(waiter, timeout)) return finish(waiter);
  if (text) throw timedOut(name, text);
  return 'timed-out';
}

/// The same by a promise, in the function of that name.
export async function waitFor(place, verb, options, makeWaiter, text) {
  const name = `${place.name}.${verb}`;
  const read = readWaitOptions(options, name, false);
  read.signal?.throwIfAborted();
  const late = text && read.timeout < Infinity && timedOut(name, text);  // later no frame of the program's is on the stack
  const waiter = makeWaiter();
  if (await place.wait(waiter, read)) return finish(waiter);
  if (late) throw late;
  return 'timed-out';
}

/// The place of a primitive of that class; throws if it is none.
export let placeOf;

const cannotBeCloned = () => 'A primitive of futon: send what toShared gives';

/** A primitive in a SharedArrayBuffer. All objects of the same bytes are one primitive. */
export class Primitive {
  static {
    placeOf = (value, name, verb) => {
      try {
        if (value.#place.name === name) return value.#place;
      } catch {
        // It is no primitive.
      }
      return requireKind(`${name}.${verb}`, 'this', value, name, false);
    };
  }

  // A structured clone would be an empty object. Because of this function it throws, with the text of it.
  cannotBeCloned = cannotBeCloned;

  #place;

  constructor(name, size, isFifo, buffer, byteOffset) {
    requirePlace(name, size, buffer, byteOffset);
    this.#place = new Place(name, new Int32Array(buffer, byteOffset, size / 4), isFifo);
  }

  get buffer() {
    return this.#place.words.buffer;
  }

  get byteOffset() {
    return this.#place.words.byteOffset;
  }
}

/// A whole number that an argument must be.
export function requireCount(value, argument, name, most) {
  requireKind(name, argument, value, 'number');
  if (!(value >= 1 && value <= most && value % 1 === 0))
    fail(name, `${argument} must be a whole number from 1 to ${most}, not ${value}`, RangeError);
  return value;
}

/// The options of a constructor are for a primitive that is not in use.
export function requireUnused(isUnused, name) {
  if (!isUnused) fail(name, 'options are for one that is not in use yet; this one is', Error);
}
