// SPDX-License-Identifier: MIT

/// What the package says in this thread: its reason, and what its functions throw.
export function reasons({ isSupported, whyNot, wait, waitAsync, notify, AsyncLock }) {
  const thrown = (run) => {
    try {
      run();
      return 'nothing';
    } catch ({ name, message }) {
      return `${name}: ${message}`;
    }
  };
  const words = new Int32Array(4);
  return {
    isSupported: isSupported(), whyNot: whyNot(), woken: notify(words, 0),
    thrown: [() => wait(words, 0, 0), () => waitAsync(words, 0, 0), () => new AsyncLock(words.buffer)].map(thrown),
  };
}
