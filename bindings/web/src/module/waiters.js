// SPDX-License-Identifier: MIT
// The waiters of a word, and of the whole program.

import { toIndex } from '../coerce.js';

const LOCK = 'futon::AsyncLock::lock';

/// The kinds are those of the Node package.
const kindOf = (isBlocked, isNative, operation) => (isNative ? 'native' :
  operation === LOCK ? (isBlocked ? 'lock' : 'lockAsync') : isBlocked ? 'wait' : 'waitAsync');

export function makeWaiters({ Module, waiters: told, failure }, { requireOwnElements, addressOf }) {
  const locate = (typedArray, index) => {
    const at = toIndex(typedArray, index, 'waiters', false);
    requireOwnElements(typedArray, 'waiters');
    return addressOf(typedArray, at, 'waiters');
  };

  const waiters = (typedArray = undefined, index = undefined) => {
    const answer = Module._futon_module_waiters(typedArray === undefined ? 0 : locate(typedArray, index));
    const found = told.splice(0);
    if (answer !== 0) throw failure(answer, 'waiters');
    return found.map(([address, isBlocked, isNative, threadId, operation, isHeld, holder]) => ({
      address: address >>> 0,
      kind: kindOf(isBlocked === 1, isNative === 1, operation),
      isBlocked: isBlocked === 1,
      threadId: isNative === 1 ? undefined : threadId >>> 0,
      operation: operation === '' ? undefined : operation,
      holder: isHeld === 1 ? holder >>> 0 : undefined,
    }));
  };
  return waiters;
}
