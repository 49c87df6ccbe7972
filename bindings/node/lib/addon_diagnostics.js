// SPDX-License-Identifier: MIT
'use strict';
// `diagnostics` of the addon that this thread has.

const { typedArrayKind, typedArrayLength, TypeError } = require('./primordials.js');
const { native } = require('./native.js');
const { requireShared } = require('./view.js');
const { toIndex } = require('./coerce.js');
const { describe } = require('./describe.js');
const { addressOfLock } = require('./async_lock.js');
const { anyPlaceOf } = require('./primitive.js');
const { isDiagnosed } = require('./diagnosis.js');
const { makeDiagnostics } = require('./diagnostics.js');

const NAME = 'diagnostics.name';

/// The memory of a primitive; or, if an index is given, of an element of an array.
function locate(target, index) {
  if (index !== undefined) {
    const { address, size } = requireShared(target, NAME);
    return { address: address + toIndex(index, typedArrayLength(target), NAME) * size, size };
  }
  const lock = addressOfLock(target);
  if (lock !== undefined) return { address: lock, size: 4 };
  const place = anyPlaceOf(target);
  if (place !== undefined) return { address: place.address, size: place.type.size };
  throw new TypeError(typedArrayKind(target) === undefined ? `${NAME}: takes a primitive of futon or an array, not ${describe(target)}` :
    `${NAME}: takes the index of an element, too, and then its name`);
}

module.exports = { diagnostics: makeDiagnostics(isDiagnosed ? native : undefined, locate) };
