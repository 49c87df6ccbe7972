// SPDX-License-Identifier: MIT
'use strict';

// Time for agents: one clock for all threads, and a sleep that does not use the functions under test.

const { engine } = require('../support/implementation');

const never = new Int32Array(new SharedArrayBuffer(4));

module.exports = {
  monotonicNow: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: (milliseconds) => void engine.wait(never, 0, 0, milliseconds),
};
