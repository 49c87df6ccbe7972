// SPDX-License-Identifier: MIT
'use strict';

/// The words by which an agent tells the thread that started it what it has done.
const Signals = Object.freeze({ running: 0, received: 1, left: 2, count: 3 });

module.exports = { Signals };
