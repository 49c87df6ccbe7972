// SPDX-License-Identifier: MIT
'use strict';
// A `for await` that finds something each time goes on in microtasks, and the thread's loop would stand still as long as it does: no timers, no
// input and output. So it waits for the next turn of the loop once it has taken so long in this one.

const { performance } = require('node:perf_hooks');
const { setImmediate } = require('node:timers');
const { Promise } = require('./primordials.js');

const now = performance.now.bind(performance);

const SLICE = 8;  // milliseconds

let start;  // of the first step in this turn; undefined before it

function forget() {
  start = undefined;
}

/// Called before each step: undefined, or a promise of the next turn if this one has lasted long. `ref`: whether that keeps the process alive.
function nextTurn(ref) {
  if (start === undefined) {
    start = now();
    setImmediate(forget).unref();
    return undefined;
  }
  if (now() - start < SLICE) return undefined;
  return new Promise((resolve) => {
    const immediate = setImmediate(resolve);
    if (!ref) immediate.unref();
  });
}

module.exports = { nextTurn };
