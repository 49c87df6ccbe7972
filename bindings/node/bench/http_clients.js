// SPDX-License-Identifier: MIT
'use strict';
// The load of http_case.js: connections that are kept alive, each with one request at a time, until `control[1]` is 1.

const http = require('node:http');
const { workerData } = require('node:worker_threads');
const { LEAGUES, PLAYERS } = require('../examples/http/ranking.js');

const { port, control, connections } = workerData;
const agent = new http.Agent({ keepAlive: true, maxSockets: connections });

function request(i) {
  const player = (i * 7919) % (LEAGUES * PLAYERS);
  const [method, path] = i % 10 === 0 ?
    ['POST', `/score?player=${player}&points=1`] : ['GET', `/rank?player=${player}`];
  return new Promise((resolve, reject) => {
    http.request({ port, method, path, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${method} ${path}: ${response.statusCode}`));
      response.resume().on('end', resolve);
    }).on('error', reject).end();
  });
}

async function client(first) {
  for (let i = first; Atomics.load(control, 1) === 0; i += connections) await request(i);
}

async function main() {
  await Promise.all(Array.from({ length: connections }, (_, i) => client(i)));
  agent.destroy();
}

main();
