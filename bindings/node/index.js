// SPDX-License-Identifier: MIT
'use strict';

const { requireCommonJs } = require('./lib/bundled.js');

function open() {
  requireCommonJs();
  try {
    require('./lib/native.js');
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND' && /'node-gyp-build'/.test(error.message)) {
      throw Object.assign(new Error('futon: node-gyp-build, which finds the addon, is not installed. In a clone of the repository, ' +
        `run: npm install --prefix ${__dirname}`, { cause: error }), { code: error.code });
    }
    if (error.code !== 'ERR_FUTON_NO_ADDON') throw error;
    return require('./lib/fallback.js').loadFallback(error);
  }
  const { wait, waitAsync, notify, pause } = require('./lib/atomics.js');
  const { AsyncLock } = require('./lib/async_lock.js');
  const { Semaphore } = require('./lib/semaphore.js');
  const { SharedLock } = require('./lib/shared_lock.js');
  const { Event, AutoResetEvent, Latch } = require('./lib/signals.js');
  const { Barrier } = require('./lib/barrier.js');
  const { Condition } = require('./lib/condition.js');
  const { Channel } = require('./lib/channel.js');
  const { select, selectAsync, waiting } = require('./lib/select.js');
  const { changes } = require('./lib/changes.js');
  const { toShared, fromShared } =
    require('./lib/shared.js').makeSharing({ AsyncLock, SharedLock, Semaphore, Event, AutoResetEvent, Latch, Barrier, Condition, Channel });
  const { canBlock, setCanBlock } = require('./lib/agent.js');
  const { addressOf, inspect, waiters } = require('./lib/introspection.js');
  const { diagnostics } = require('./lib/addon_diagnostics.js');
  return {
    wait, waitAsync, notify, pause, AsyncLock, SharedLock, Semaphore, Event, AutoResetEvent, Latch, Barrier, Condition, Channel, select,
    selectAsync, waiting, changes, toShared, fromShared, canBlock, setCanBlock, addressOf, inspect, waiters,
    diagnostics,
  };
}

const {
  wait, waitAsync, notify, pause, AsyncLock, SharedLock, Semaphore, Event, AutoResetEvent, Latch, Barrier, Condition, Channel, select,
  selectAsync, waiting, changes, toShared, fromShared, canBlock, setCanBlock, addressOf, inspect, waiters,
  diagnostics,
} = open();

// In this form, Node finds the names that a module imports.
module.exports = {
  wait, waitAsync, notify, pause, AsyncLock, SharedLock, Semaphore, Event, AutoResetEvent, Latch, Barrier, Condition, Channel, select,
  selectAsync, waiting, changes, toShared, fromShared, canBlock, setCanBlock, addressOf, inspect, waiters,
  diagnostics,
};
