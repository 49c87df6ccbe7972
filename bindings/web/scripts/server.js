// SPDX-License-Identifier: MIT
// A server of files, for the tests and the playground. It listens on this machine alone.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.cjs': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
  '.json': 'application/json', '.md': 'text/plain; charset=utf-8', '.ts': 'text/plain; charset=utf-8', '.wasm': 'application/wasm',
};

export const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

function bodyOf(request) {
  return new Promise((resolve) => {
    let body = '';
    request.on('data', (data) => { body += data; });
    request.on('end', () => resolve(body));
  });
}

/// Serves folders below paths: `{ '/': folder, '/other/': folder }`; the longest path that fits is taken. Calls
/// `onPost(path, body)`, and `onGet(path)` for each file that is there.
export async function serve(folders, { port = 0, headers = ISOLATION, onPost = () => {}, onGet = () => {} } = {}) {
  const prefixes = Object.keys(folders).sort((a, b) => b.length - a.length);
  const server = createServer(async (request, response) => {
    try {
      const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
      if (request.method === 'POST') {
        const body = await bodyOf(request);
        response.end();
        return onPost(path, body);
      }
      const prefix = prefixes.find((start) => path.startsWith(start));
      const name = path.slice(prefix.length);
      const file = join(folders[prefix], name === '' || name.endsWith('/') ? `${name}index.html` : name);
      const data = await readFile(file);
      response.writeHead(200, { ...headers, 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream', 'Cache-Control': 'no-store' });
      response.end(data);
      onGet(path);
    } catch {
      response.writeHead(404, headers);
      response.end();
    }
  });
  await new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
}
