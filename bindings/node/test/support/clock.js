// SPDX-License-Identifier: MIT
'use strict';

/// Returns a clock whose `since()` gives the milliseconds since this call. It is monotonic and never rounds up.
function stopwatch() {
  const start = process.hrtime.bigint();
  return { since: () => Number(process.hrtime.bigint() - start) / 1e6 };
}

/// Keeps this thread busy, so that none of its jobs runs, until `milliseconds` have passed.
function busyFor(milliseconds) {
  const watch = stopwatch();
  while (watch.since() < milliseconds);
}

module.exports = { stopwatch, busyFor };
