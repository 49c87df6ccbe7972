// SPDX-License-Identifier: MIT
'use strict';
// The errors of a lock.

const { defineProperty, captureStackTrace, Error, DOMException } = require('./primordials.js');

function failure(code, message) {
  const error = new Error(message);
  defineProperty(error, 'code',
    { __proto__: null, value: code, writable: true, enumerable: true, configurable: true });
  return error;
}

/// The error of a call of `caller`. Its stack begins with the frame that has called that.
function timedOut(name, caller) {
  const error = new DOMException(`${name}: the lock was still held when the time-out was over`, 'TimeoutError');
  captureStackTrace(error, caller);
  return error;
}

module.exports = { failure, timedOut };
