// SPDX-License-Identifier: MIT
// The editors, and what the code says.

import { EXAMPLE, OwnRun } from './own_code.js';

const $ = (id) => document.getElementById(id);
const MOST = 500;   // lines that are kept

export function beginOwnCode() {
  let run;
  const log = (text) => {
    const line = document.createElement('div');
    line.textContent = text;
    $('own-log').append(line);
    while ($('own-log').children.length > MOST) $('own-log').firstChild.remove();
    $('own-log').scrollTop = $('own-log').scrollHeight;
  };
  const reset = () => {
    $('own-worker').value = EXAMPLE.worker;
    $('own-page').value = EXAMPLE.page;
  };
  const start = () => {
    run?.stop();
    $('own-log').replaceChildren();
    run = new OwnRun(log);
    run.start({ worker: $('own-worker').value, page: $('own-page').value });
  };
  $('own-run').addEventListener('click', start);
  $('own-stop').addEventListener('click', () => {
    run?.stop();
    log('— stopped');
  });
  $('own-reset').addEventListener('click', reset);
  for (const id of ['own-worker', 'own-page']) {
    $(id).addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) start();
    });
  }
  reset();
}
