// SPDX-License-Identifier: MIT
'use strict';
// The service as a whole: how it starts, and how it ends.

const http = require('node:http');
const { once } = require('node:events');
const { AsyncLock } = require('../..');
const { Ranking } = require('./ranking.js');
const { Rankers } = require('./rankers.js');
const { Requests } = require('./requests.js');

/// Settles when the service listens. Port 0 is any that is free; times are in milliseconds.
async function startService({ port = 0, rankers: count = 2, pause = 50, timeout = 1000 } = {}) {
  const ranking = new Ranking();
  // Strict, for a ranker holds the lock for long, and no ranker shall overtake requests that wait already. A lock that
  // is not strict has more throughput where all owners hold it for microseconds.
  const lock = new AsyncLock(ranking.buffer, 0, { strict: true });
  ranking.distrust();  // there are no tables yet
  const rankers = new Rankers(ranking, { count, pause });

  const requests = new Requests(ranking, lock, { timeout });
  const server = http.createServer(requests.handle);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');

  /// Answers what has arrived, ends the rankers, and leaves nothing behind that would keep the process alive.
  async function close() {
    const closed = once(server, 'close');
    server.close();
    requests.stop();
    await Promise.all([closed, rankers.stop()]);
  }

  return { port: server.address().port, ranking, lock, rankers, close };
}

module.exports = { startService };
