// SPDX-License-Identifier: MIT
'use strict';
// Three ways to share a lock between request handlers and threads. `forRequests(buffer)` makes the lock of the main
// thread; its `serve(worker)` is for a way whose threads ask the main thread. `forThread(buffer, port)` gives a thread
// a function that locks, and returns or promises one that unlocks.

const withFuton = (text, options) => ({
  text,
  forRequests(buffer) {
    const { AsyncLock } = require('..');
    return new AsyncLock(buffer, 0, options);
  },
  forThread(buffer) {
    const { AsyncLock } = require('..');
    const lock = new AsyncLock(buffer, 0, options);
    return () => {
      const guard = lock.lock();
      return () => guard.unlock();
    };
  },
});

const ways = {
  futon: withFuton("futon's AsyncLock, strict, as in the example", { strict: true }),
  barging: withFuton("futon's AsyncLock, not strict"),

  engine: {
    text: "a mutex on the engine's waitAsync",
    forRequests(buffer) {
      const { AsyncLock } = require('../test/support/async_lock_seed.js');
      return new AsyncLock(buffer);
    },
    forThread(buffer) {
      const { AsyncLock } = require('../test/support/async_lock_seed.js');
      const lock = new AsyncLock(buffer);
      return () => {
        lock.lock();
        return () => lock.unlock();
      };
    },
  },

  messages: {
    text: 'messages to an async-mutex on the main thread',
    forRequests() {
      const { installFromNpm } = require('../test/support/from_npm.js');
      const { Mutex } = require(installFromNpm('async-mutex'));
      const mutex = new Mutex();
      return {
        executeLocked: (callback) => mutex.runExclusive(callback),
        serve(worker) {
          let release;
          worker.on('message', async (message) => {
            if (message === 'lock') {
              release = await mutex.acquire();
              worker.postMessage('locked');
            } else if (message === 'unlock') {
              release();
            }
          });
        },
      };
    },
    forThread(buffer, port) {
      return () => new Promise((resolve) => {
        port.once('message', () => resolve(() => port.postMessage('unlock')));
        port.postMessage('lock');
      });
    },
  },
};

module.exports = { ways };
