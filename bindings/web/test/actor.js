// SPDX-License-Identifier: MIT
// A worker of the tests.

import { isNode } from './harness.js';
import { removeWaitAsync } from './remove_wait_async.js';

const { parentPort } = isNode ? await import('node:worker_threads') : {};
const send = isNode ? (message) => parentPort.postMessage(message) : (message) => postMessage(message);
let actions;

async function receive({ key, name, args, lacksWaitAsync, stopsAtNotify }) {
  try {
    if (key === 'ready') {
      if (lacksWaitAsync) await removeWaitAsync();
      if (stopsAtNotify) await import('./stop_at_notify.js');
      ({ actions } = await import('./actions.js'));
      send({ key });
    } else {
      send({ key, value: await actions[name]((told, value) => send({ key: told, value }), ...args) });
    }
  } catch (error) {
    send({ key, error: error?.stack ?? String(error) });
  }
}

if (isNode) parentPort.on('message', receive);
else onmessage = ({ data }) => receive(data);
