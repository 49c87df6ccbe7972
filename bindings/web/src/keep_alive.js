// SPDX-License-Identifier: MIT
// A pending wait keeps its process alive. The engine's promises do not, in Node and its likes; a timer does.

export const hasProcess = typeof globalThis.process?.versions?.node === 'string';
const LONGEST = 2 ** 31 - 1;
let count = 0;
let timer;

/// What keeps the process alive, once for each pending wait that is to.
export class Keeper {
  #isPending = true;
  #hasRef = false;

  constructor(ref) {
    this.set(ref);
  }

  get hasRef() {
    return this.#hasRef;
  }

  set(ref) {
    if (!hasProcess || !this.#isPending || ref === this.#hasRef) return;
    this.#hasRef = ref;
    count += ref ? 1 : -1;
    if (ref && count === 1) {
      timer = setInterval(() => {}, LONGEST);
    } else if (!ref && count === 0) {
      clearInterval(timer);
    }
  }

  /// The wait is over.
  end() {
    this.set(false);
    this.#isPending = false;
  }
}
