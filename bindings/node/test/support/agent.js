// SPDX-License-Identifier: MIT
'use strict';

const path = require('node:path');
const { Worker } = require('node:worker_threads');

/// A worker thread that has the implementation under test and runs functions, one call after the other.
class Agent {
  #worker = new Worker(path.join(__dirname, 'agent_main.js'));
  #calls = new Map();
  #nextId = 0;
  #exited;

  constructor() {
    this.#worker.on('message', ({ id, value, error }) => this.#settle(id, value, error));
    this.#worker.on('error', (error) => this.#rejectAll(error));
    this.#exited = new Promise((resolve) => this.#worker.on('exit', resolve));
    this.#exited.then(() => this.#rejectAll(new Error('the agent has ended')));
  }

  /// Runs `body(...args)` there and settles with what it returns or throws.
  ///
  /// The body is sent as its source, so it sees its arguments, the globals and `waiting`, nothing else.
  run(body, ...args) {
    const id = this.#nextId++;
    const result = new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
    result.catch(() => {}); // a call that is not awaited may end with its thread
    this.#worker.postMessage({ id, source: String(body), args });
    return result;
  }

  /// Ends the thread, also one that is blocked; settles when it is gone.
  async terminate() {
    await this.#worker.terminate();
    await this.#exited;
  }

  #settle(id, value, error) {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) call.resolve(value);
    else call.reject(error);
  }

  #rejectAll(error) {
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }
}

/// Starts `count` agents, runs `body(...agents)`, and ends them whatever it did.
async function withAgents(count, body) {
  const agents = Array.from({ length: count }, () => new Agent());
  try {
    await Promise.all(agents.map((agent) => agent.run(() => {})));
    return await body(...agents);
  } finally {
    await Promise.all(agents.map((agent) => agent.terminate()));
  }
}

module.exports = { Agent, withAgents };
