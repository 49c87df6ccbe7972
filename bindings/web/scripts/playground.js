// SPDX-License-Identifier: MIT
// Serves the playground with the headers of isolation: playground.js [PORT].

import { fileURLToPath } from 'node:url';
import { serve } from './server.js';

const folder = (path) => fileURLToPath(new URL(path, import.meta.url));

/// The folders of the playground, below a path.
export const playgroundAt = (path) => ({ [path]: folder('../../../docs/playground/'), [`${path}futon-web/`]: folder('../') });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const port = Number(process.argv[2] ?? 8017);
  try {
    const server = await serve(playgroundAt('/'), { port });
    console.log(`Open http://localhost:${server.address().port} (end it with Ctrl+C)`);
  } catch (error) {
    if (error.code !== 'EADDRINUSE') throw error;
    console.error(`Port ${port} is in use. Give another one: ./dev playground PORT`);
    process.exitCode = 1;
  }
}
