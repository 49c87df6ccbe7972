// SPDX-License-Identifier: MIT
// Whether this thread may block: [[CanBlock]] of the specification.

import { engineWait } from './engine.js';
import { requireKind, typeError } from './failure.js';

const engineMayBlock = (() => {
  try {
    engineWait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
    return true;
  } catch {
    return false;  // the main thread of a page
  }
})();

let mayBlock = engineMayBlock;

export function canBlock() {
  return mayBlock;
}

export function setCanBlock(value) {
  requireKind('setCanBlock', 'value', value, typeof value === 'boolean', 'boolean');
  if (value && !engineMayBlock) throw typeError('setCanBlock', 'the engine does not let this thread block');
  mayBlock = value;
}

export function requireCanBlock(name, cure) {
  if (!mayBlock) throw typeError(name, `this thread may not block; use ${cure}`);
}
