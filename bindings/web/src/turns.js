// SPDX-License-Identifier: MIT
// A `for await` that finds something each time goes on in microtasks, and the thread's loop would stand still as long as it does: no timers, no
// events, no frames. So it waits for the next turn of the loop once it has taken so long in this one.

import { now } from './engine.js';

// As they are now, without the fake timers of a test runner. A timer of a page comes late: after 4 ms, or if it is hidden a second.
const { MessageChannel, setImmediate, setTimeout } = globalThis;

const SLICE = 8;  // milliseconds

let start;  // of the first step in this turn; undefined before it

const forget = () => { start = undefined; };

function post(run) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(0);
}

const soon = setImmediate ?? post;

/// Called before each step: undefined, or a promise of the next turn if this one has lasted long. `ref`: whether that keeps the process alive.
export function nextTurn(ref) {
  if (start === undefined) {
    start = now();
    setTimeout(forget).unref?.();
  } else if (now() - start >= SLICE) {
    return new Promise((resolve) => {
      const turn = soon(() => {
        forget();
        resolve();
      });
      if (!ref) turn?.unref?.();
    });
  }
}
