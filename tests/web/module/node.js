// SPDX-License-Identifier: MIT
// Runs the suite on the main thread of Node: node.js PROGRAM [NAME].

import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { runAll } from './suite.js';

const [program, only] = process.argv.slice(2);
const make = createRequire(import.meta.url)(resolve(program));
process.exit(await runAll(make, console.log, only) === 0 ? 0 : 1);
