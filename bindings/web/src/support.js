// SPDX-License-Identifier: MIT
// Whether this thread can share memory with others, and if not, why.

import { describe, isShared, SharedBuffer, sharedLengthOf } from './describe.js';
import { fail, requireKind } from './failure.js';

/** Why this thread cannot share memory, and the cure; undefined if it can. */
export const whyNot = () => {
  const scope = describe(globalThis);
  return scope === 'ServiceWorkerGlobalScope' ? 'a service worker shares no memory; use a Worker of the page' :
    SharedBuffer ? undefined :
      scope === 'SharedWorkerGlobalScope' ? 'browsers isolate no SharedWorker; use a Worker of the page' :
        globalThis.isSecureContext === false ? 'only https: and localhost have a SharedArrayBuffer' :
          'for SharedArrayBuffer, serve the page and its workers with ' +
            'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp';
};

/** Whether this thread can share memory with others. */
export const isSupported = () => !whyNot();

export function requireShared(name, argument, buffer) {
  if (!SharedBuffer) fail(name, whyNot(), Error);
  requireKind(name, argument, buffer, 'SharedArrayBuffer', isShared(buffer));
}

/// Where a primitive is to be that takes `size` bytes.
export function requirePlace(name, size, buffer, byteOffset) {
  requireShared(name, 'buffer', buffer);
  requireKind(name, 'byteOffset', byteOffset, 'number');
  const length = sharedLengthOf(buffer);
  if (!(byteOffset >= 0 && byteOffset % size === 0 && byteOffset + size <= length))
    fail(name, `byteOffset must be a multiple of ${size} and leave ${size} bytes of ${length}, not ${byteOffset}`, RangeError);
}
