// SPDX-License-Identifier: MIT

import { fail, requireKind } from './failure.js';

/// A whole number that an argument must be.
export function requireCount(value, argument, name, most, least = 1) {
  requireKind(name, argument, value, 'number');
  if (!(value >= least && value <= most && value % 1 === 0))
    fail(name, `${argument} must be ${least === most ? most : `a whole number from ${least} to ${most}`}, not ${value}`, RangeError);
  return value;
}
