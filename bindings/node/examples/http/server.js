// SPDX-License-Identifier: MIT
'use strict';
// An HTTP server whose main thread never blocks, though it shares a lock with threads that hold it for 5 to 50 ms.
//
//     node server.js [--port 8080] [--rankers 2] [--timeout 1000]
//
//     curl -X POST 'http://127.0.0.1:8080/score?player=7&points=3'
//     curl 'http://127.0.0.1:8080/rank?player=7'

const { parseArgs } = require('node:util');
const { setCanBlock } = require('../..');
const { startService } = require('./service.js');

const number = (byDefault) => ({ type: 'string', default: String(byDefault) });
const { values } = parseArgs({
  options: { port: number(8080), rankers: number(2), timeout: number(1000) },
});

async function main() {
  // From now on a `lock()` or `wait()` that slips into this thread throws, even if the lock happens to be free.
  setCanBlock(false);
  const service =
    await startService({ port: Number(values.port), rankers: Number(values.rankers), timeout: Number(values.timeout) });
  console.log(`listening on http://127.0.0.1:${service.port}`);

  // A second signal ends the process as if there were no listener. After the first one it ends by itself, once the
  // service has closed: no process.exit, which would cut off what is still being sent.
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => service.close());
}

main();
