// SPDX-License-Identifier: MIT
'use strict';

const { wait, waitAsync, notify, pause } = require('./lib/atomics.js');
const { AsyncLock } = require('./lib/async_lock.js');
const { canBlock, setCanBlock } = require('./lib/agent.js');
const { addressOf, inspect, waiters } = require('./lib/introspection.js');

module.exports = { wait, waitAsync, notify, pause, AsyncLock, canBlock, setCanBlock, addressOf, inspect, waiters };
