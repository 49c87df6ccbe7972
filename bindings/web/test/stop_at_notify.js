// SPDX-License-Identifier: MIT
// A thread that can be ended between a change and the wake-up for it. To be loaded before the package is.

const { notify, wait } = Atomics;
let tell;

Atomics.notify = (...args) => {
  if (tell === undefined) return notify(...args);
  tell('stops');
  return wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};

/// The next wake-up is none: the thread stops for ever, after it has told so.
export const stopAtNotify = (told) => { tell = told; };
