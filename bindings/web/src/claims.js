// SPDX-License-Identifier: MIT
// Who takes what waiters compete for, a lock or permits: in general the thread that comes first. So that none starves, a waiter that has
// waited for PATIENCE lays a claim, and then none takes that came later. One claim is laid at a time, in a word of its own, the second; that of a
// longer wait replaces another.
//
// The thread of a claim may have ended, or be busy. So who could take but for the claim gives it a deadline, and wakes all. A claimant
// that cannot take yet, and runs, removes the deadline; else the claim is void after it. So a waiter sleeps
//  - without a deadline at a word with WAITING that leaves nothing for it: the change that does clears the bit and wakes all;
//  - until the deadline at most, if only a claim keeps it out. Who ends a claim clears the bit and wakes all, too.

import { CLAIM, DEADLINE, DEADLINES, FIRST, HALF, LEASE, PATIENCE, SINCE, WAITING } from './claim_word.js';
import { LONGEST_SLEEP } from './constants.js';
import { load, now } from './engine.js';
import { wakeAll } from './queue.js';
import { change, update } from './word.js';

/// Whether there is no claim, or it is not of a longer wait. It is of one that began less than 70 minutes ago.
const isBehind = (claim, since) =>
  !claim || since === FIRST || since && (claim & SINCE) !== FIRST && !(claim - since & HALF);

/// For how many milliseconds a claim keeps out the waiter that waits since then, or one that does not wait: zero.
function keptOut(words, since) {
  while (true) {
    const claim = load(words, CLAIM);
    if (isBehind(claim, since)) return 0;
    const deadline = claim >>> DEADLINE;
    const left = deadline - Date.now() & DEADLINES;
    if (deadline && left && left <= LEASE + 2) return left;
    if (change(words, CLAIM, claim, deadline ? 0 : claim | (Date.now() + LEASE | 1) << DEADLINE)) wakeAll(words);
  }
}

/// Changes the first word as `take` says, which returns undefined if what is wanted is not there. Returns whether that was done.
export const tryTake = (words, take) =>
  update(words, (seen) => {
    const next = take(seen);
    return next === undefined || keptOut(words, 0) ? undefined : next;
  }) !== undefined;

/// The same of a change that serves waiters if it clears WAITING.
export function give(words, leave) {
  const seen = update(words, leave);
  if (seen < 0 && leave(seen) >= 0) wakeAll(words);
  return seen !== undefined;
}

/// A waiter, as src/place.js has them. `isStrict`: whether it lays a claim at once.
export function makeWaiter(words, take, isStrict, finish, since = Date.now() & SINCE | 1) {
  const patientUntil = isStrict ? 0 : now() + PATIENCE;

  const leave = () => {
    for (let claim; ((claim = load(words, CLAIM)) & SINCE) === since;)
      if (change(words, CLAIM, claim, 0)) give(words, (seen) => seen & ~WAITING);
  };

  const look = () => {
    while (true) {
      const seen = load(words, 0);
      const next = take(seen);
      const left = next === undefined ? patientUntil - now() : keptOut(words, since);
      const claim = load(words, CLAIM);
      if (next !== undefined && !left) {
        if (change(words, 0, seen, next)) return leave();
      } else if (seen >= 0) {
        change(words, 0, seen, seen | WAITING);
      } else if (left > 0) {
        return [seen, left];
      } else if (!isBehind(claim, since) || change(words, CLAIM, claim, since)) {
        return [seen, LONGEST_SLEEP];
      }
    }
  };

  return { look, leave, finish };
}
