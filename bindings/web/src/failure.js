// SPDX-License-Identifier: MIT
// The errors. Each begins with the name of the function that the program has called.

import { describe } from './describe.js';

export const typeError = (name, text) => new TypeError(`${name}: ${text}`);
export const rangeError = (name, text) => new RangeError(`${name}: ${text}`);
export const failure = (code, name, text) => Object.assign(new Error(`${name}: ${text}`), { code });
export const timedOut = (name) => new DOMException(`${name}: the lock was still held when the time-out was over`, 'TimeoutError');

/// Throws unless the argument is what it must be.
export function requireKind(name, argument, value, kind, isRight = typeof value === kind) {
  if (!isRight) throw typeError(name, `${argument} must be ${kind}, not ${describe(value)}`);
}
