// SPDX-License-Identifier: MIT
// A thread that can be ended between a change and the wake-up for it. To be loaded before the package is.

const { notify, wait } = Atomics;
let tell;
let pause;

Atomics.notify = (...args) => {
  if (tell === undefined) return notify(...args);
  if (pause) {
    const woken = notify(...args);
    pause();
    pause = undefined;
    return woken;
  }
  tell('stops');
  return wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};

/// The next wake-up is none: the thread stops for ever, after it has told so. If a function is given, it is called after a wake-up before
/// that.
export const stopAtNotify = (told, afterFirst) => {
  tell = told;
  pause = afterFirst;
};
