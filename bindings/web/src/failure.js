// SPDX-License-Identifier: MIT
// The errors. The stack of one of a lock begins with the frame that has called `caller`, where the engine can do that.

import { describe, withArticle } from './describe.js';

export const typeError = (name, text) => new TypeError(`${name}: ${text}`);

/// Throws unless `isRight`: the value of the argument has another kind.
export function requireKind(name, argument, value, isRight, kind) {
  if (!isRight) throw typeError(name, `${argument} must be ${withArticle(kind)}, not ${describe(value)}`);
}

export function failure(code, message, caller = undefined) {
  const error = Object.assign(new Error(message), { code });
  if (caller !== undefined) Error.captureStackTrace?.(error, caller);
  return error;
}

export function timedOut(name, caller) {
  const error = new DOMException(`${name}: the lock was still held when the time-out was over`, 'TimeoutError');
  try {
    Error.captureStackTrace?.(error, caller);
  } catch {
    // The engine's exception keeps its own stack.
  }
  return error;
}
