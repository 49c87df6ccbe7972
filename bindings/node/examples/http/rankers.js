// SPDX-License-Identifier: MIT
'use strict';
// The threads that rank. One that ends by itself is replaced.

const path = require('node:path');
const { Worker } = require('node:worker_threads');

const REPLACED_AFTER = 100;  // milliseconds: a ranker that cannot even start must not keep a core busy

class Rankers {
  #ranking;
  #pause;
  #running = new Set();
  #replacements = new Set();
  #allHaveEnded;

  /// Each pauses for so many milliseconds between two passes.
  constructor(ranking, { count, pause }) {
    this.#ranking = ranking;
    this.#pause = pause;
    for (let i = 0; i < count; ++i) this.#start();
  }

  get threads() {
    return [...this.#running];
  }

  /// Settles when all have ended. Each finishes its pass first.
  async stop() {
    for (const timer of this.#replacements) clearTimeout(timer);
    const ended = new Promise((resolve) => (this.#allHaveEnded = resolve));
    this.#ranking.stopRankers();
    if (this.#running.size > 0) await ended;
  }

  #start() {
    const workerData = { buffer: this.#ranking.buffer, pause: this.#pause };
    const worker = new Worker(path.join(__dirname, 'ranker.js'), { workerData });
    this.#running.add(worker);
    worker.on('error', (error) => console.error('a ranker has failed:', error));
    worker.on('exit', () => {
      this.#running.delete(worker);
      if (!this.#ranking.isStopping()) this.#replace();
      else if (this.#running.size === 0) this.#allHaveEnded();
    });
  }

  #replace() {
    const timer = setTimeout(() => {
      this.#replacements.delete(timer);
      this.#start();
    }, REPLACED_AFTER);
    this.#replacements.add(timer);
  }
}

module.exports = { Rankers };
