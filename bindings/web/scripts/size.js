// SPDX-License-Identifier: MIT
// How large the package is for a page that loads it: size.js. Bundled and minified by esbuild, which npm brings, and packed by gzip.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));

/// Bytes after gzip of the file for `require` without comments and indentation: what needs no minifier to be measured.
export function bundledSize() {
  const source = readFileSync(new URL('../dist/futon-web.cjs', import.meta.url), 'utf8');
  return gzipSync(source.replace(/^ *(\/\/.*)?\n?/gm, ''), { level: 9 }).length;
}

/// Of a program that imports only those names, or all.
function minified(names) {
  const input = `export ${names === undefined ? '*' : `{ ${names} }`} from './index.js';`;
  return execFileSync('npx', ['--yes', 'esbuild@0.28', '--bundle', '--minify', '--format=esm'], { cwd: root, input, encoding: 'utf8' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const names of [undefined, 'AsyncLock', 'wait, waitAsync, notify', 'waitAsync', 'wait', 'notify']) {
    const source = minified(names);
    console.log(`${(names ?? 'all').padEnd(24)} ${source.length} bytes, gzip ${gzipSync(source, { level: 9 }).length}, ` +
      `brotli ${brotliCompressSync(source).length}`);
  }
}
