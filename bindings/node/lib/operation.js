// SPDX-License-Identifier: MIT
'use strict';

/// What `select` may wait for. Waiting for it changes nothing, so it can be used again.
class Operation {
  fill = undefined;    // writes to the mailbox what it is
  memory = undefined;  // must stay while it waits
  finish = undefined;  // makes its value of how it has ended, and the slot of the pending select, negative if there is none
  complete = undefined;  // makes the value of that, by code of the program's

  constructor(fill, memory, finish, complete = undefined) {
    this.fill = fill;
    this.memory = memory;
    this.finish = finish;
    this.complete = complete;
  }
}

module.exports = { Operation };
