// SPDX-License-Identifier: MIT
'use strict';
// Whether this thread may block: [[CanBlock]] of the specification.

const { TypeError } = require('./primordials.js');

let mayBlock = true;

const { setCanBlock, canBlock } = {
  /**
   * Sets whether this thread may block. If not, `wait` and `AsyncLock.lock` throw a TypeError.
   * @param {boolean} value
   */
  setCanBlock(value) {
    if (typeof value !== 'boolean') throw new TypeError(`setCanBlock: value must be a boolean, not ${typeof value}`);
    mayBlock = value;
  },

  /** Whether this thread may block. */
  canBlock() {
    return mayBlock;
  },
};

function requireCanBlock(name) {
  if (!mayBlock) throw new TypeError(`${name}: this thread may not block (setCanBlock)`);
}

module.exports = { setCanBlock, canBlock, requireCanBlock };
