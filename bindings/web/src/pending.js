// SPDX-License-Identifier: MIT
// What is pending: keeps its process alive, and may be aborted.

/// In Node and its likes the engine's promises do not keep the process alive; a timer does.
export const hasProcess = Boolean(globalThis.process?.versions?.node);
let count = 0;
let timer;

/// Ends what has been pending.
export let end;

/// Keeps the process alive while it is pending, if that is wanted: what programs get for a wait with options.
export class Wait {
  #hasRef = false;  // undefined when it is not pending any more

  ref() {
    return this.#set(true);
  }

  unref() {
    return this.#set(false);
  }

  hasRef() {
    return Boolean(this.#hasRef);
  }

  #set(wanted) {
    if (hasProcess && this.#hasRef === !wanted) {
      this.#hasRef = wanted;
      count += wanted ? 1 : -1;
      // Where a timer is a number it is made anew.
      if (count > 0) (timer ??= setInterval(() => {}, LONGEST)).ref?.();
      else timer.unref?.() ?? (timer = clearInterval(timer));
    }
    return this;
  }

  static {
    end = (wait) => {
      wait.unref().#hasRef = undefined;
    };
  }
}

const LONGEST = 2 ** 31 - 1;  // milliseconds of a timer

/// A timer that keeps no process alive.
export function startTimer(run, milliseconds) {
  if (milliseconds > LONGEST) return undefined;
  const timer = setTimeout(run, Math.ceil(milliseconds));
  timer.unref?.();
  return timer;
}

/// A promise that the functions settle which `begin` gets, fulfilled with true or rejected. The time-out fulfills it with false before, and
/// the signal rejects it; then and after a rejection, `leave` is called.
export const pendingUntil = ({ timeout, signal, ref }, begin, leave) => new Promise((resolve, reject) => {
  const wait = new Wait();
  if (ref) wait.ref();
  const settle = (how, value) => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    end(wait);
    how(value);
  };
  const giveUp = (how, value) => {
    settle(how, value);
    leave();
  };
  const abort = () => giveUp(reject, signal.reason);
  const timer = startTimer(() => giveUp(resolve, false), timeout);
  signal?.addEventListener('abort', abort);
  begin(() => settle(resolve, true), (error) => giveUp(reject, error));
});

/// A promise of what `begin` promises. The signal rejects it before, or the function that `begin` gets; what is promised then is
/// undone. `begin` also gets a function that tells whether that is so.
export function abortable(wait, { signal, ref }, begin, undo) {
  if (ref) wait.ref();
  return new Promise((resolve, reject) => {
    let isOver = false;
    const settle = (how, value) => {
      if (isOver) return;
      isOver = true;
      end(wait);
      signal?.removeEventListener('abort', abort);
      how(value);
    };
    const refuse = (error) => settle(reject, error);
    const abort = () => refuse(signal.reason);
    signal?.addEventListener('abort', abort);
    begin(refuse, () => isOver).then((value) => (isOver ? undo(value) : settle(resolve, value)), refuse);
  });
}
