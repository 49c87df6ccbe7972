// SPDX-License-Identifier: MIT
'use strict';
// The answers. All of this runs on the main thread, so nothing here blocks and nothing takes long.
//
//     GET  /rank?player=7               the player's place in the league
//     POST /score?player=7&points=3     adds points
//     GET  /health                      needs no lock, so it answers at any time

const { LEAGUES, PLAYERS } = require('./ranking.js');

class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function integer(query, name, limit) {
  const value = Number(query.get(name) ?? NaN);
  if (!Number.isInteger(value) || value < 0 || value >= limit)
    throw new Failure(400, `${name} must be an integer from 0 to ${limit - 1}`);
  return value;
}

class Requests {
  #ranking;
  #lock;
  #timeout;
  #pending = new Set();
  #isStopping = false;

  /// A request whose lock is not free within `timeout` milliseconds is answered with 503.
  constructor(ranking, lock, { timeout }) {
    this.#ranking = ranking;
    this.#lock = lock;
    this.#timeout = timeout;
  }

  /// The listener of the server.
  handle = async (request, response) => {
    // The wait of a request whose client has gone is aborted: it would only delay the others.
    const controller = new AbortController();
    this.#pending.add(controller);
    response.once('close', () => {
      this.#pending.delete(controller);
      controller.abort();
    });
    try {
      if (this.#isStopping) throw new Failure(503, 'the service ends');
      this.#send(response, 200, await this.#answer(request, controller.signal));
    } catch (error) {
      if (!response.destroyed) this.#refuse(response, error);
    }
  };

  /// Ends all waits; their requests are answered with 503.
  stop() {
    this.#isStopping = true;
    for (const controller of this.#pending) controller.abort(new Failure(503, 'the service ends'));
  }

  async #answer({ method, url: target }, signal) {
    const [path, text] = target.split('?', 2);
    const query = new URLSearchParams(text);
    switch (`${method} ${path}`) {
      case 'GET /health':
        return { isTorn: this.#ranking.isTorn() };
      case 'GET /rank': {
        const player = integer(query, 'player', LEAGUES * PLAYERS);
        return await this.#readTables(() => this.#ranking.placeOf(player), signal);
      }
      case 'POST /score': {
        const player = integer(query, 'player', LEAGUES * PLAYERS);
        const points = integer(query, 'points', 1000);
        const score = await this.#locked(() => this.#ranking.addScore(player, points), signal);
        return { player, score };
      }
    }
    throw new Failure(404, 'there is GET /rank, POST /score and GET /health');
  }

  /// Runs `callback` with the lock held, later if it is not free. Meanwhile the loop serves other requests.
  #locked(callback, signal) {
    return this.#lock.executeLocked(() => {
      // To repair the tables takes too long for this thread. It only marks them as torn, and a ranker repairs them.
      if (this.#lock.wasAbandoned) this.#ranking.distrust();
      return callback();
    }, { timeout: this.#timeout, signal });
  }

  async #readTables(read, signal) {
    for (;;) {
      const result = await this.#locked(() => (this.#ranking.isTorn() ? undefined : read()), signal);
      if (result !== undefined) return result;
      if (await this.#ranking.repaired({ timeout: this.#timeout, signal }) === 'timed-out')
        throw new Failure(503, 'the tables are being repaired');
    }
  }

  #refuse(response, error) {
    const isBusy = error.name === 'TimeoutError';
    const status = isBusy ? 503 : error.status ?? 500;
    if (status === 500) console.error(error);
    if (status === 503) response.setHeader('Retry-After', '1');
    this.#send(response, status, { error: isBusy ? 'busy' : status === 500 ? 'internal error' : error.message });
  }

  #send(response, status, body) {
    // A connection that is kept alive would keep the service alive.
    if (this.#isStopping) response.setHeader('Connection', 'close');
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  }
}

module.exports = { Requests };
