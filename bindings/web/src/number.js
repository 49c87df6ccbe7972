// SPDX-License-Identifier: MIT

import { requireKind } from './failure.js';

/// ToNumber of the specification.
export function toNumber(value, argument, name) {
  requireKind(name, argument, value, 'number', typeof value !== 'symbol' && typeof value !== 'bigint');
  return +value;
}
