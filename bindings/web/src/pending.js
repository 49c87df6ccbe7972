// SPDX-License-Identifier: MIT
// What is pending: keeps its process alive, and may be aborted.

/// In Node and its likes the engine's promises do not keep the process alive; a timer does.
export const hasProcess = Boolean(globalThis.process?.versions?.node);
const LONGEST = 2 ** 31 - 1;  // milliseconds of a timer
let count = 0;
let timer;

/// Keeps the process alive for one more pending wait, or for one less.
export function keepAlive(change) {
  if (!hasProcess) return;
  count += change;
  // Where a timer is a number it is made anew.
  if (count > 0) (timer ??= setInterval(() => {}, LONGEST)).ref?.();
  else if (timer) timer.unref?.() ?? (timer = clearInterval(timer));
}

/// A timer that keeps no process alive.
export function startTimer(run, milliseconds) {
  if (milliseconds > LONGEST) return undefined;
  const timer = setTimeout(run, Math.ceil(milliseconds));
  timer.unref?.();
  return timer;
}

/// A promise that `begin` settles by the two functions that it gets; a third tells whether it has been. The signal rejects it before, and
/// then `leave` is called. With `ref` it keeps the process alive until then.
export const pending = ({ signal, ref }, begin, leave) => new Promise((resolve, reject) => {
  if (ref) keepAlive(1);
  let isOver = false;
  const settle = (how) => (value) => {
    if (isOver) return;
    isOver = true;
    if (ref) keepAlive(-1);
    signal?.removeEventListener('abort', abort);
    how(value);
  };
  const refuse = settle(reject);
  const abort = () => {
    refuse(signal.reason);
    leave?.();
  };
  signal?.addEventListener('abort', abort);
  begin(settle(resolve), refuse, () => isOver);
});

/// A promise that is fulfilled with true when `begin` calls the function that it gets; with false after the time-out. Then, or when it is
/// rejected, `leave` is called.
export async function pendingUntil(read, begin, leave) {
  let timer;
  try {
    return await pending(read, (resolve, refuse) => {
      timer = startTimer(() => {
        resolve(false);
        leave();
      }, read.timeout);
      begin(() => resolve(true), (error) => {
        refuse(error);
        leave();
      });
    }, leave);
  } finally {
    clearTimeout(timer);
  }
}
