// SPDX-License-Identifier: MIT

/// The function of what is released at the end of a `using`.
export const dispose = Symbol.dispose ?? Symbol.for('nodejs.dispose');

/// What `select` may wait for. Waiting for it changes nothing, so it can be used again.
export class Operation {
  /// `at`: the place of a primitive, for which `begin` makes a waiter, which has `finish` if its value is another than 'ok'; the state of
  /// a lock, for whose tag it makes a guard; or a word.
  constructor(at, begin = undefined) {
    this.at = at;
    this.begin = begin;
  }
}
