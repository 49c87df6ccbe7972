// SPDX-License-Identifier: MIT

/// The function of what is released at the end of a `using`.
export const dispose = Symbol.dispose ?? Symbol.for('nodejs.dispose');

/// What `select` may wait for. Waiting for it changes nothing, so it can be used again.
export class Operation {
  /// `at`: the place of a primitive, for whose words `begin` makes a waiter, which has `finish` if its value is another than 'ok';
  /// the state of a lock, for whose tag it makes a guard; or a word. At a place it may be waited for alone, by the function `verb`
  /// of its primitive: after a time-out that gives 'timed-out', or throws an error with the `text`.
  constructor(at, begin, verb, text) {
    this.at = at;
    this.begin = begin;
    this.verb = verb;
    this.text = text;
  }
}
