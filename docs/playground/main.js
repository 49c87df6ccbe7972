// SPDX-License-Identifier: MIT
// Starts the page, if it may share memory.

import { isIsolated } from './isolation.js';

const problem = document.getElementById('problem');

export function explain(text) {
  problem.hidden = false;
  problem.textContent = text;
}

if (await isIsolated(explain)) {
  try {
    const { begin } = await import('./play.js');
    begin(explain);
  } catch (error) {
    explain(`The playground could not start: ${error.message}`);
  }
}
