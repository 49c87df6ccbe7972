// SPDX-License-Identifier: MIT
// How large the package is for a page that loads it: size.js. Bundled and minified by esbuild, and packed by gzip.

import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { minified } from './minify.js';

/// Bytes after gzip of what a program loads that imports only those names, or all.
export const sizeOf = (names) => gzipSync(minified(names), { level: 9 }).length;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const print = (what, names) => {
    const source = minified(names);
    console.log(`${what.padEnd(24)} ${source.length} bytes, gzip ${sizeOf(names)}, brotli ${brotliCompressSync(source).length}`);
  };
  for (const names of [undefined, 'AsyncLock', 'wait, waitAsync, notify', 'waitAsync', 'wait', 'notify', 'toShared, fromShared'])
    print(names ?? 'all', names);
  const family = ['SharedLock', 'Semaphore', 'Event', 'AutoResetEvent', 'Latch', 'Barrier'];
  for (const name of family) print(name, name);
  for (const name of family) {
    const others = ['AsyncLock', ...family.filter((other) => other !== name)].join();
    console.log(`${name}: ${sizeOf(`AsyncLock, ${name}`) - sizeOf('AsyncLock')} more than AsyncLock; ` +
      `${sizeOf(`${others}, ${name}`) - sizeOf(others)} more than all others`);
  }
}
