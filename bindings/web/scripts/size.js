// SPDX-License-Identifier: MIT
// How large the package is for a page that loads it: size.js. Bundled and minified by esbuild, and packed by gzip.

import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { minified } from './minify.js';

/// Bytes after gzip of what a program loads that imports only those names, or all.
export const sizeOf = (names) => gzipSync(minified(names), { level: 9 }).length;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const names of [undefined, 'AsyncLock', 'wait, waitAsync, notify', 'waitAsync', 'wait', 'notify']) {
    const source = minified(names);
    console.log(`${(names ?? 'all').padEnd(24)} ${source.length} bytes, gzip ${sizeOf(names)}, brotli ${brotliCompressSync(source).length}`);
  }
}
