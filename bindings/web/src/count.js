// SPDX-License-Identifier: MIT

import { fail, requireKind } from './failure.js';

/// A whole number that an argument must be.
export function requireCount(value, argument, name, most) {
  requireKind(name, argument, value, 'number');
  if (!(value >= 1 && value <= most && value % 1 === 0))
    fail(name, `${argument} must be a whole number from 1 to ${most}, not ${value}`, RangeError);
  return value;
}
