// SPDX-License-Identifier: MIT
'use strict';
// How many calls read their stacks.

const { ints, LOOP_TIME } = require('./native.js');

const PAUSE = 3;  // one stack in 2 ** PAUSE milliseconds, once the budget is spent

/// To read a stack takes as long as ten locks, and hardly any call needs it: only one whose promise is rejected later, or whose guard
/// is lost. So a program that calls seldom has every stack, and one that calls all the time has one in 8 ms. The time is that of the
/// loop when `native.tryLock` was called last, or another function of the addon that notes it.
class StackBudget {
  #most;
  #left;
  #time = 0;

  /// `most`: how many may be read at once.
  constructor(most) {
    this.#most = this.#left = most;
  }

  /// Whether one may be read now.
  take() {
    const time = ints[LOOP_TIME] >>> PAUSE;
    const more = time - this.#time;
    this.#time = time;
    this.#left = more < 0 || this.#left + more > this.#most ? this.#most : this.#left + more;
    if (this.#left === 0) return false;
    --this.#left;
    return true;
  }
}

module.exports = { StackBudget };
