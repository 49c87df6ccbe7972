// SPDX-License-Identifier: MIT
// The errors. Each begins with the name of the function that the program has called.

import { describe } from './describe.js';

export function fail(name, text, Kind = TypeError) {
  throw new Kind(`${name}: ${text}`);
}

export function failure(code, name, text) {
  return Object.assign(new Error(`${name}: ${text}`), { code });
}

export const timedOut = (name, text = 'the lock is still held') => new DOMException(`${name}: ${text}`, 'TimeoutError');

/// Throws unless the argument is what it must be.
export function requireKind(name, argument, value, kind, isRight = typeof value === kind) {
  if (!isRight) fail(name, `${argument} must be ${kind}, not ${describe(value)}`);
}
