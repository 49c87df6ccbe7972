// SPDX-License-Identifier: MIT
'use strict';

/// What `select` may wait for. Waiting for it changes nothing, so it can be used again.
class Operation {
  fill = undefined;    // writes to the mailbox what it is
  memory = undefined;  // must stay while it waits
  finish = undefined;  // makes its value of how it has ended

  constructor(fill, memory, finish) {
    this.fill = fill;
    this.memory = memory;
    this.finish = finish;
  }
}

module.exports = { Operation };
