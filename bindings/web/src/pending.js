// SPDX-License-Identifier: MIT
// What is pending: keeps its process alive, and may be aborted.

export const hasProcess = Boolean(globalThis.process?.versions?.node);
let count = 0;
let timer;

/// As many more are pending that keep the process alive, or fewer. The engine's promises do not, in Node and its likes; a timer
/// does. It is an object that is told, or a number.
export function keepAlive(change) {
  count += change;
  if (count > 0) (timer ??= setInterval(() => {}, 2 ** 31 - 1)).ref?.();
  else timer.unref?.() ?? (timer = clearInterval(timer));
}

let end;

/// Keeps the process alive while it is pending, if that is wanted: what programs get for a wait with options.
export class Wait {
  #isPending = hasProcess;
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
    if (this.#isPending && this.#hasRef !== wanted) keepAlive((this.#hasRef = wanted) ? 1 : -1);
    return this;
  }

  static {
    end = (wait) => {
      wait.unref().#isPending = false;
    };
  }
}

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
