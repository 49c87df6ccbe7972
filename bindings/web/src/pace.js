// SPDX-License-Identifier: MIT
// How long the turns of this thread's event loop are: a promise that another thread wakes runs when the turn is over.

import { now } from './engine.js';

const DEATH = 250;        // milliseconds: what takes longer is no turn, but a dialog or a stop
const LAPSE = 0.98;       // what a turn leaves of a longer one before

export let pace = 1;      // the longest of late, in milliseconds
export let expected = 1;  // the next: like the last two if those were alike
let last = 1;
let began;

/// The turn is over that was noted last.
export function learn() {
  const took = now() - began;
  began = undefined;
  if (!(took < DEATH)) return;
  pace = Math.max(took, pace * LAPSE);
  expected = Math.abs(took - last) < took / 4 ? took : pace;
  last = took;
}

/// Calls `run` after this turn, and learns how long it takes.
export function afterTurn(run) {
  began ??= now();
  setTimeout(() => {
    learn();
    run();
  });
}
