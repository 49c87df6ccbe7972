// SPDX-License-Identifier: MIT
'use strict';
// Ways to share a lock between request handlers and threads. `forRequests(buffer)` makes the lock of the main
// thread; its `serve(worker)` is for a way whose threads ask the main thread. `forThread(buffer, port)` gives a thread
// a function that locks, and returns or promises one that unlocks.
//
// The handlers give each call a time-out and a signal, as those of the example. A way that is `bare` drops both: so the ways that
// heed them are compared with each other, and those that do not.

const withFuton = (text, options, isBare = false) => ({
  text,
  forRequests(buffer) {
    const { AsyncLock } = require('..');
    const lock = new AsyncLock(buffer, 0, options);
    return isBare ? { executeLocked: (callback) => lock.executeLocked(callback) } : lock;
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

const withEngine = (text, makeForRequests) => ({
  text,
  forRequests: makeForRequests,
  forThread(buffer) {
    const { AsyncLock } = require('../test/support/async_lock_seed.js');
    const lock = new AsyncLock(buffer);
    return () => {
      lock.lock();
      return () => lock.unlock();
    };
  },
});

/// The same mutex as one writes it by hand whose waits end in time or by a signal. What is still queued then takes a wake-up with
/// it, so it passes that on.
class EngineMutex {
  #word;

  constructor(buffer) {
    this.#word = new Int32Array(buffer, 0, 1);
  }

  async executeLocked(callback, { timeout, signal }) {
    const deadline = performance.now() + timeout;
    while (Atomics.compareExchange(this.#word, 0, 0, 1) !== 0) {
      signal.throwIfAborted();
      const { async: isPending, value } = Atomics.waitAsync(this.#word, 0, 1, Math.max(0, deadline - performance.now()));
      if (await (isPending ? this.#orAborted(value, signal) : value) === 'timed-out') throw new DOMException('', 'TimeoutError');
    }
    try {
      return callback();
    } finally {
      Atomics.store(this.#word, 0, 0);
      Atomics.notify(this.#word, 0, 1);
    }
  }

  #orAborted(promise, signal) {
    return new Promise((resolve, reject) => {
      const abort = () => {
        promise.then((result) => result === 'ok' && Atomics.notify(this.#word, 0, 1));
        reject(signal.reason);
      };
      signal.addEventListener('abort', abort, { once: true });
      promise.then((result) => {
        signal.removeEventListener('abort', abort);
        resolve(result);
      });
    });
  }
}

const ways = {
  futon: withFuton("futon's AsyncLock, strict, as in the example", { strict: true }),
  barging: withFuton("futon's AsyncLock, not strict"),
  engine: withEngine("a mutex on the engine's waitAsync, with time-outs and signals", (buffer) => new EngineMutex(buffer)),

  'futon-bare': withFuton("futon's AsyncLock, strict, without options", { strict: true }, true),
  'barging-bare': withFuton("futon's AsyncLock, not strict, without options", undefined, true),
  'engine-bare': withEngine("a mutex on the engine's waitAsync, which knows none", (buffer) => {
    const { AsyncLock } = require('../test/support/async_lock_seed.js');
    return new AsyncLock(buffer);
  }),

  messages: {
    text: 'messages to an async-mutex on the main thread, which knows none',
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
