// SPDX-License-Identifier: MIT
// Whether this thread may block: [[CanBlock]] of the specification.

import { engineWait } from './engine.js';
import { fail, requireKind } from './failure.js';

/// [[CanBlock]], unless the program wants less.
export let mayBlock = false;
try {
  engineWait(new Int32Array(new SharedArrayBuffer(4)), 0, 1);
  mayBlock = true;
} catch {
  // The main thread of a page, or a thread without shared memory.
}
export const engineMayBlock = mayBlock;

export const canBlock = () => mayBlock;

export function setCanBlock(value) {
  requireKind('setCanBlock', 'value', value, 'boolean');
  if (value && !engineMayBlock) fail('setCanBlock', 'the engine does not let this thread block');
  mayBlock = value;
}

/// There is a function with Async behind the name, too.
export function requireCanBlock(name) {
  if (!mayBlock) fail(name, `this thread may not block; use ${name}Async`);
}
