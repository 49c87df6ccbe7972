// SPDX-License-Identifier: MIT
// What the threads of the program do whose JavaScript lives on.

import { connect } from '../../../bindings/web/module.js';
import { actionsOf } from './actions.js';

/// Runs the actions that come by the channel, one after another.
export function live(Module, number) {
  const channel = new BroadcastChannel(`actor ${number}`);
  const actions = actionsOf(connect(Module), Module);
  channel.onmessage = async ({ data: { key, name, args } }) => {
    if (name === undefined) return;
    const answer = { key };
    try {
      answer.value = await actions[name](...args);
    } catch (error) {
      answer.error = `${error?.name}: ${error?.message}\n${error?.stack}`;
    }
    channel.postMessage(answer);
    if (name === 'endThread') {
      channel.close();
      try {
        Module._test_end_this_thread();
      } catch (error) {
        if (error !== 'unwind') throw error;  // so Emscripten leaves what has called it
      }
    }
  };
  channel.postMessage({ key: 'ready' });
}
