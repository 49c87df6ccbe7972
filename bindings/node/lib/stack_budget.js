// SPDX-License-Identifier: MIT
'use strict';
// How many calls read their stacks.

const { ints, LOOP_TIME } = require('./native.js');

const PAUSE = 3;  // a stack is read in 2 ** PAUSE milliseconds

/// To read a stack takes longer than all else that a call does, and hardly any call needs it: only one whose promise is rejected
/// later, or whose guard is lost. So a program that calls seldom has every stack, and one that calls all the time has so many that
/// they cost it less than half a percent of its time. `native.tryLock`, or another function that reads the loop's time, was called
/// before.
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
