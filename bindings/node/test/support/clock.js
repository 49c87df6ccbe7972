// SPDX-License-Identifier: MIT
'use strict';

/// Calls `since()` of what it returns for the milliseconds since then, by a monotonic clock that rounds nothing up.
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
