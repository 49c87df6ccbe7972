// SPDX-License-Identifier: MIT
// size.js EMPTY PROGRAM LIMIT: how many bytes a program's WebAssembly has beyond an empty one's, as a server packs it (brotli).

import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const [empty, program, limit] = process.argv.slice(2);
const sizesOf = (file) => {
  const data = readFileSync(file);
  return { plain: data.length, gzip: gzipSync(data, { level: 9 }).length, brotli: brotliCompressSync(data).length };
};
const base = sizesOf(empty);
const all = sizesOf(program);
const extra = Object.fromEntries(Object.keys(all).map((key) => [key, all[key] - base[key]]));
console.log('empty', base, '\nprogram', all, '\nthe library', extra);
if (extra.brotli > Number(limit)) {
  console.error(`The library has ${extra.brotli} bytes packed, more than ${limit}`);
  process.exitCode = 1;
}
