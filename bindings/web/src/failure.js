// SPDX-License-Identifier: MIT
// The errors of a lock. A stack begins with the frame that has called `caller`, where the engine can do that.

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
