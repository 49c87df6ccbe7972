// SPDX-License-Identifier: MIT
// The page of a trace, as the command makes it.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../../tools/timeline/timeline.py', import.meta.url));

export const pageOf = (trace) => execFileSync('python3', [command, '-', '-'], { input: trace, encoding: 'utf8', maxBuffer: 2 ** 28 });
