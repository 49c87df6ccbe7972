// SPDX-License-Identifier: MIT
// How long the turns of this thread's event loop are: a promise that another thread wakes runs when the turn is over.

import { DEATH, LAPSE } from './constants.js';
import { now } from './engine.js';

export let pace = 1;      // the longest of late, in milliseconds
export let expected = 1;  // the next: like the last two if those were alike; false if that was no turn
let last = 1;
let began;

/// Timers of a hidden page wait for a second or longer, but what another thread wakes runs at once.
export const isHidden = () => globalThis.document?.hidden;

function learn(took) {
  const isTurn = took < DEATH && !isHidden();
  pace = isTurn ? Math.max(took, pace * LAPSE) : 1;
  expected = isTurn && (Math.abs(took - last) < took / 4 ? took : pace);
  last = took;
}

/// Calls `run` after this turn, and learns how long it takes.
export function afterTurn(run) {
  const mine = began ??= now();
  setTimeout(() => {
    // Others of this turn may have been called before.
    if (began === mine) {
      began = undefined;
      learn(now() - mine);
    }
    run();
  });
}
