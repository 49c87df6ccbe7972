// SPDX-License-Identifier: MIT
// What is pending: keeps its process alive, and may be aborted.

import { LONGEST_TIMER } from './constants.js';

// As they are now: the fake timers of a test runner end no time-out, and keep no process alive.
const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;

/// In Node and its likes the engine's promises do not keep the process alive; a timer does.
export const hasProcess = Boolean(globalThis.process?.versions?.node);
let count = 0;
let timer;

/// Keeps the process alive for one more pending wait, or for one less.
export function keepAlive(change) {
  if (!hasProcess) return;
  count += change;
  if (count > 0) timer ??= setInterval(() => {}, LONGEST_TIMER);
  else timer = clearInterval(timer);
}

/// A promise that `begin` settles by the two functions that it gets; a third tells whether it has been. The signal rejects it before. With
/// `ref` it keeps the process alive until then. With `leave` it is fulfilled with undefined after the time-out; and `leave` is called when it
/// ends otherwise than by the first function.
export const pending = ({ timeout, signal, ref }, begin, leave) => new Promise((resolve, reject) => {
  if (ref) keepAlive(1);
  let isOver = false;
  const settle = (how, then) => (value) => {
    if (isOver) return;
    isOver = true;
    if (ref) keepAlive(-1);
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    how(value);
    then?.();
  };
  const refuse = settle(reject, leave);
  const abort = () => refuse(signal.reason);
  const timer = leave && timeout <= LONGEST_TIMER ? setTimeout(settle(resolve, leave), Math.ceil(timeout)) : undefined;
  timer?.unref?.();
  signal?.addEventListener('abort', abort);
  begin(settle(resolve), refuse, () => isOver);
});
