// SPDX-License-Identifier: MIT
// What is pending: keeps its process alive, and may be aborted.

import { LONGEST_TIMER } from './constants.js';

/// In Node and its likes the engine's promises do not keep the process alive; a timer does.
export const hasProcess = Boolean(globalThis.process?.versions?.node);
let count = 0;
let timer;

/// Keeps the process alive for one more pending wait, or for one less.
export function keepAlive(change) {
  if (!hasProcess) return;
  count += change;
  // Where a timer is a number it is made anew.
  if (count > 0) (timer ??= setInterval(() => {}, LONGEST_TIMER)).ref?.();
  else if (timer) timer.unref?.() ?? (timer = clearInterval(timer));
}

/// A timer that keeps no process alive.
export function startTimer(run, milliseconds) {
  if (milliseconds > LONGEST_TIMER) return undefined;
  const timer = setTimeout(run, Math.ceil(milliseconds));
  timer.unref?.();
  return timer;
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
  const timer = leave && startTimer(settle(resolve, leave), timeout);
  signal?.addEventListener('abort', abort);
  begin(settle(resolve), refuse, () => isOver);
});
