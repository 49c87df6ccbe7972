// SPDX-License-Identifier: MIT
// Runs examples/web/connected.js on the main thread of Node: example.js PROGRAM.

import { mkdirSync, mkdtempSync, copyFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

// Where a program imports the package by its name.
const folder = mkdtempSync(join(tmpdir(), 'futon-web-example-'));
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
mkdirSync(join(folder, 'node_modules'));
symlinkSync(at('bindings/web'), join(folder, 'node_modules/futon-web'), 'dir');
copyFileSync(at('examples/web/connected.js'), join(folder, 'connected.js'));

const { animate } = await import(pathToFileURL(join(folder, 'connected.js')));
rmSync(folder, { recursive: true });
const makeProgram = createRequire(import.meta.url)(resolve(process.argv[2]));
let frames = 0;
await animate(await makeProgram(), (balls) => {
  ++frames;
  return balls.some((position, i) => position < 20 * (1 + i));
}, () => new Promise((resolve) => setImmediate(resolve)));
if (frames < 21) throw new Error(`${frames} frames`);
console.log('each ball has moved');
process.exit(0);
