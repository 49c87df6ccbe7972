// SPDX-License-Identifier: MIT
// What a program exports, as adapters/javascript/module/exports.cpp has it, and the promises that it settles.

import { isObject } from '../describe.js';
import { fail, requireKind } from '../failure.js';

// What a call answers, as Answer of pending.hpp. What is greater is the address of what is pending.
export const OK = 0;
export const TIMED_OUT = 2;
const ENDED = 3;
const LAST_ANSWER = 4;
export const RESULTS = ['ok', 'not-equal', 'timed-out'];

export const isPending = (answer) => answer >>> 0 > LAST_ANSWER;

const NOT_STARTED = 'the program of WebAssembly has not started yet: connect once Module.onRuntimeInitialized is called, or the ' +
  'promise of its factory is fulfilled';
const NOT_LINKED = 'the program of WebAssembly has nothing to connect to: link the target futon::javascript_module of CMake to it';

/// The functions of a program that has started.
export function openProgram(Module) {
  if (typeof Module === 'function')
    fail('connect', 'Module must be the program, not the function that makes it: call that, and await what it returns');
  requireKind('connect', 'Module', Module, 'the object of a program that Emscripten has compiled', isObject(Module));
  if (typeof Module.then === 'function') fail('connect', 'Module must be the program, not a promise of it: await that');
  const isThread = Module.ENVIRONMENT_IS_PTHREAD || String(globalThis.name).startsWith('em-pthread');
  if (typeof Module._futon_module_begin !== 'function')
    fail('connect', Module.calledRun || isThread ? NOT_LINKED : `${NOT_STARTED}. If it has, ${NOT_LINKED}`, Error);
  // Before that, a call might end the program. A thread runs from its beginning.
  if (!isThread && Module.futonModule === undefined) fail('connect', NOT_STARTED, Error);
  Module._futon_module_begin();
  const { futonModule: { settlers, waiters } } = Module;
  const failure = (answer, name) => new Error(`${name}: ${answer === ENDED ?
    'the event loop has ended before the promise has settled' : Module.futonModule.failure}`);

  /// A promise of what `resultOf` makes of the answer and the acquisition that come for what is pending. The signal rejects it
  /// before, or the function that `note` gets: then it leaves its queue at once. `end` is called when it is over.
  const promiseOf = (pending, name, signal, resultOf, end = () => {}, note = () => {}) => new Promise((resolve, reject) => {
    let isOver = false;  // another may be pending at the same address then
    const stop = () => {
      isOver = true;
      signal?.removeEventListener('abort', abort);
      end();
    };
    const refuse = (error) => {
      if (isOver || Module._futon_module_cancel(pending) === 0) return;
      settlers.delete(pending);
      stop();
      reject(error);
    };
    const abort = () => refuse(signal.reason);
    signal?.addEventListener('abort', abort);
    settlers.set(pending, (answer, acquisition) => {
      stop();
      if (answer > TIMED_OUT) reject(failure(answer, name));
      else resolve(resultOf(answer, acquisition));
    });
    note(refuse);
  });

  return { Module, waiters, failure, promiseOf };
}
