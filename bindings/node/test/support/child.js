// SPDX-License-Identifier: MIT
'use strict';

/// Waits for the end of a child process, and kills it if it takes longer than `limit` milliseconds. Resolves to
/// { code, ending }; `ending` describes it in words.
function endOf(child, limit) {
  return new Promise((resolve) => {
    let hung = false;
    const timer = setTimeout(() => {
      hung = true;
      child.kill('SIGKILL');
    }, limit);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const ending = hung
        ? `did not end within ${limit / 1000} s`
        : signal
          ? `ended by ${signal}`
          : `ended with exit code ${code}`;
      resolve({ code, ending });
    });
  });
}

module.exports = { endOf };
