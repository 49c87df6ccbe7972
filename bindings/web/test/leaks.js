// SPDX-License-Identifier: MIT
// Many operations of each primitive, in each way, leave no memory behind: the program with which the package for Node is tested, too.
//
// FUTON_LEAK_OPERATIONS says how many of each primitive there are in each way: with 200000 at least a million of each primitive.

import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const { FUTON_LEAK_OPERATIONS: operations = '1000' } = process.env;
const program = fileURLToPath(new URL('../../node/test/support/leaks.js', import.meta.url));
process.env.FUTON_PACKAGE = fileURLToPath(new URL('../dist/futon-web.cjs', import.meta.url));  // of the programs, too

const { kinds } = createRequire(import.meta.url)('../../node/test/support/family_kinds.js');
const only = process.argv[2] ?? '';
const failed = Object.keys(kinds).filter((name) =>
  name.includes(only) && spawnSync(process.execPath, [program, name, operations], { stdio: 'inherit' }).status !== 0);
if (failed.length > 0) console.log(`Memory grows: ${failed.join(', ')}`);
process.exitCode = failed.length;
