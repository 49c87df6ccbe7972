// SPDX-License-Identifier: MIT
// The functions of the specification over the queues of a program.

import { toCount, toElement, toIndex } from '../coerce.js';
import { bufferOf, isShared } from '../describe.js';
import { readArguments } from '../option_bag.js';
import { isWide } from './memory.js';
import { isPending, RESULTS } from './program.js';

let begin;
let end;

/// What a program gets for a wait with options. The waiter in C++ keeps the program running.
class Wait {
  #setWork = undefined;
  #hasRef = false;

  ref() {
    return this.#set(true);
  }

  unref() {
    return this.#set(false);
  }

  hasRef() {
    return this.#hasRef;
  }

  #set(wanted) {
    this.#setWork?.(wanted ? 1 : 0);
    this.#hasRef = wanted && this.#setWork !== undefined;
    return this;
  }

  static {
    begin = (wait, hasRef, setWork) => {
      wait.#setWork = setWork;
      wait.#hasRef = hasRef;
    };
    end = (wait) => begin(wait, false, undefined);
  }
}

export function makeAtomics({ Module, failure, promiseOf }, { requireOwnElements, addressOf }, requireCanBlock) {
  /// Where, and for what value: the first arguments of a wait.
  const toWord = (typedArray, at, expected, name) => (isWide(typedArray) ?
    [addressOf(typedArray, at, name), 1, Number(BigInt.asIntN(32, expected)), Number(BigInt.asIntN(32, expected >> 32n))] :
    [addressOf(typedArray, at, name), 0, expected, 0]);

  const wait = (typedArray, index, value, timeout, options = undefined) => {
    const at = toIndex(typedArray, index, 'wait', false);
    requireOwnElements(typedArray, 'wait');
    const expected = toElement(typedArray, value, 'wait');
    // As the specification says, another fifth argument than an object is ignored.
    const read = readArguments(timeout, typeof options === 'object' ? options : undefined, 'wait', true);
    requireCanBlock('wait');
    const answer = Module._futon_module_wait(...toWord(typedArray, at, expected, 'wait'), read.timeout);
    if (RESULTS[answer] === undefined) throw failure(answer, 'wait');
    return RESULTS[answer];
  };

  const waitAsync = (typedArray, index, value, timeout, options = undefined) => {
    const at = toIndex(typedArray, index, 'waitAsync', false);
    requireOwnElements(typedArray, 'waitAsync');
    const expected = toElement(typedArray, value, 'waitAsync');
    const { timeout: milliseconds, signal, ref, isPlain } = readArguments(timeout, options, 'waitAsync', false);
    const result = isPlain ? {} : new Wait();
    if (signal?.aborted) return Object.assign(result, { async: true, value: Promise.reject(signal.reason) });
    const answer = Module._futon_module_wait_async(...toWord(typedArray, at, expected, 'waitAsync'), milliseconds, ref ? 1 : 0);
    if (!isPending(answer)) {
      const known = RESULTS[answer];
      return Object.assign(result, known === undefined ? { async: true, value: Promise.reject(failure(answer, 'waitAsync')) } :
        { async: false, value: known });
    }
    if (!isPlain) begin(result, ref, (isWork) => Module._futon_module_set_work(answer, isWork));
    const promise = promiseOf(answer, 'waitAsync', signal, (code) => RESULTS[code], () => isPlain || end(result));
    return Object.assign(result, { async: true, value: promise });
  };

  const notify = (typedArray, index, count) => {
    const at = toIndex(typedArray, index, 'notify', true);
    const hasWaiters = isShared(bufferOf(typedArray));
    if (hasWaiters) requireOwnElements(typedArray, 'notify');
    const most = toCount(count, 'notify');
    return hasWaiters ? Module._futon_module_notify(addressOf(typedArray, at, 'notify'), most) : 0;
  };

  return { wait, waitAsync, notify };
}
