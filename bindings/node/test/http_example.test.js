// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// The example of an HTTP server, over the loopback.

const assert = require('node:assert/strict');
const http = require('node:http');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { endOf } = require('./support/child');
const { untilWaiting, nextIteration } = require('./support/wait_queue');
const { inspect, waiters } = require('..');
const { startService } = require('../examples/http/service');
const { LEAGUES, PLAYERS } = require('../examples/http/ranking');

const server = path.join(__dirname, '..', 'examples', 'http', 'server.js');

/// Sends a request. `answer` settles with the status, the headers and the body.
function send(port, method, target, agent = undefined) {
  const request = http.request({ port, method, path: target, agent }).end();
  const answer = (async () => {
    const [response] = await once(request, 'response');
    const chunks = await response.toArray();
    const { statusCode: status, headers } = response;
    return { status, headers, body: JSON.parse(Buffer.concat(chunks)) };
  })();
  answer.catch(() => {});  // of a request that is destroyed
  return { request, answer };
}

const get = (port, target) => send(port, 'GET', target).answer;
const addScore = (port, player, points) => send(port, 'POST', `/score?player=${player}&points=${points}`);

/// Runs `body` with a service and an agent that can hold its lock.
function withService(options, body) {
  return withAgents(1, async (agent) => {
    const service = await startService(options);
    const { ranking: { words } } = service;
    const run = (step, ...args) => agent.run(step, words, ...args);
    const holder = {
      lock: () => run((words) => void new (require('../..').AsyncLock)(words.buffer).lock()),
      unlock: () => run((words) => new (require('../..').AsyncLock)(words.buffer).unlock()),
      run,
      terminate: () => agent.terminate(),
    };
    try {
      await body({ ...service, words }, holder);
    } finally {
      await service.close();
    }
  });
}

test('The tables follow the scores', () =>
  withService({ pause: 1, timeout: 60_000 }, async ({ port }) => {
    assert.deepEqual((await get(port, '/rank?player=9')).body, { player: 9, league: 0, score: 0, place: 10, ahead: 8 });

    assert.deepEqual((await addScore(port, 100_003, 7).answer).body, { player: 100_003, score: 7 });
    assert.deepEqual((await addScore(port, 100_009, 5).answer).body, { player: 100_009, score: 5 });

    let { body } = await get(port, '/rank?player=100009');
    while (body.place !== 2) ({ body } = await get(port, '/rank?player=100009'));
    assert.deepEqual(body, { player: 100_009, league: 1, score: 5, place: 2, ahead: 100_003 });
  }));

test('Input that makes no sense is refused', () =>
  withService({ rankers: 0 }, async ({ port }) => {
    const statusOf = async (method, target) => (await send(port, method, target).answer).status;

    assert.equal(await statusOf('GET', '/rank'), 400);
    assert.equal(await statusOf('GET', '/rank?player=800000'), 400);
    assert.equal(await statusOf('POST', '/score?player=1&points=0.5'), 400);
    assert.equal(await statusOf('POST', '/rank?player=1'), 404);
    assert.equal(await statusOf('GET', '//'), 404);
    assert.equal(await statusOf('GET', '/rank??player=%ff'), 400);
    assert.equal(await statusOf('OPTIONS', '*'), 404);
  }));

test('The service answers while a thread holds the lock', () =>
  withService({ rankers: 0, timeout: 60_000 }, async ({ port, words }, holder) => {
    await holder.lock();
    // Each on a connection of its own, so in any order.
    const scores = Array.from({ length: 3 }, () => addScore(port, 7, 1).answer);
    await untilWaiting(words, 0, 3);

    assert.equal((await get(port, '/health')).status, 200);

    await holder.unlock();
    assert.deepEqual((await Promise.all(scores)).map(({ body }) => body.score).sort(), [1, 2, 3]);
  }));

test('The wait of a client that goes away is aborted', () =>
  withService({ rankers: 0, timeout: 60_000 }, async ({ port, words }, holder) => {
    await holder.lock();
    const [gone, stays] = [addScore(port, 7, 1), addScore(port, 7, 2)];
    await untilWaiting(words, 0, 2);

    gone.request.destroy();

    await untilWaiting(words, 0, 1);
    await assert.rejects(gone.answer);
    await holder.unlock();
    assert.deepEqual((await stays.answer).body, { player: 7, score: 2 });
  }));

test('A request that does not get the lock in time is answered with 503', () =>
  withService({ rankers: 0, timeout: 20 }, async ({ port }, holder) => {
    await holder.lock();

    const { status, headers, body } = await addScore(port, 7, 1).answer;

    assert.deepEqual([status, headers['retry-after'], body], [503, '1', { error: 'busy' }]);
    await holder.unlock();
    assert.equal((await addScore(port, 7, 1).answer).body.score, 1);
  }));

test('A request for tables that are not repaired in time is answered with 503', () =>
  withService({ rankers: 0, timeout: 20 }, async ({ port }) => {
    const { status, body } = await get(port, '/rank?player=7');

    assert.deepEqual([status, body], [503, { error: 'the tables are being repaired' }]);
  }));

test('What a thread leaves torn that is terminated while it holds the lock is repaired', () =>
  withService({ rankers: 1, timeout: 60_000 }, async ({ port, words }, holder) => {
    assert.equal((await get(port, '/rank?player=7')).body.place, 8);
    await holder.lock();
    // The lists of places, which are the last two thirds of the memory.
    await holder.run((words, length) => new Int32Array(words.buffer).fill(-1, -length), 2 * LEAGUES * PLAYERS);
    const rank = get(port, '/rank?player=7');
    await untilWaiting(words, 0, 1);

    await holder.terminate();

    assert.deepEqual((await rank).body, { player: 7, league: 0, score: 0, place: 8, ahead: 6 });
  }));

test('The service survives its rankers, which are replaced', () =>
  withService({ rankers: 2, pause: 1, timeout: 60_000 }, async ({ port, lock, ranking, rankers }) => {
    const first = new Set(rankers.threads);
    for (let i = 1; i <= 6; ++i) {
      ranking.distrust();
      let holder;
      while (holder === undefined) {
        await nextIteration();
        const id = inspect(lock).holder;
        holder = rankers.threads.find(({ threadId }) => threadId === id);
      }
      await holder.terminate();

      assert.equal((await addScore(port, 7, 1).answer).body.score, i);
      assert.equal((await get(port, '/rank?player=7')).status, 200);
    }
    while (rankers.threads.length !== 2) await nextIteration();

    assert.ok(rankers.threads.every((thread) => !first.has(thread)));
    let place;
    while (place !== 1) ({ body: { place } } = await get(port, '/rank?player=7'));
  }));

test('Requests that wait when the service closes are answered with 503', () =>
  withService({ rankers: 0, timeout: 60_000 }, async ({ port, words, close }, holder) => {
    await holder.lock();
    const scores = [1, 2, 3].map((points) => addScore(port, 7, points).answer);
    const rank = get(port, '/health').then(() => get(port, '/rank?player=7'));
    await untilWaiting(words, 0, 4);

    await close();

    for (const { status, headers, body } of await Promise.all([...scores, rank]))
      assert.deepEqual([status, headers.connection, body], [503, 'close', { error: 'the service ends' }]);
    assert.equal(waiters().length, 0);
    await assert.rejects(get(port, '/health'), { code: 'ECONNREFUSED' });
  }));

test('The measurement of the example runs', () => {
  const bench = path.join(__dirname, '..', 'bench', 'http.js');
  const args = [bench, '--rounds', '1', '--seconds', '0.5', 'futon', 'engine'];
  const { stdout, status } =
    spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

  assert.equal(status, 0);
  const rows = stdout.trim().split('\n').slice(-2).map((row) => row.replace(/ ± [\w.]+/, ''));  // two turns or more have an error
  const figures = rows.map((row) => row.match(/\d+(\.\d+)?/g).map(Number));
  assert.deepEqual(figures.map((row) => row.length), [10, 10]);
  assert.ok(figures.every((row) => row[1] > 0), stdout);  // requests
});

for (const signal of ['SIGTERM', 'SIGINT']) {
  test(`The process ends by itself after ${signal}, though clients keep their connections`, async () => {
    const child = spawn(process.execPath, [server, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = endOf(child, 30_000);
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    const port = Number(/:(\d+)\n$/.exec(line)[1]);
    const agent = new http.Agent({ keepAlive: true });
    const scores = Array.from({ length: 20 }, (_, i) => `/score?player=${i}&points=1`);
    const answers = scores.map((target) => send(port, 'POST', target, agent).answer);
    assert.ok((await Promise.all(answers)).every(({ status }) => status === 200));
    const late = Array.from({ length: 20 }, () => send(port, 'GET', '/rank?player=7', agent).answer);

    child.kill(signal);

    assert.deepEqual(await ended, { code: 0, ending: 'ended with exit code 0' });
    for (const { status, value } of await Promise.allSettled(late))
      if (status === 'fulfilled') assert.ok([200, 503].includes(value.status));
    agent.destroy();
  });
}
