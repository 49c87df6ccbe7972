// SPDX-License-Identifier: MIT
// What a value is. Only the engine's own marks of an object are read: no code of the program's runs.

export const unbound = (method) => (value) => method.call(value);
const getterOf = ({ prototype }, name) => unbound(prototype.__lookupGetter__(name));

// A bundler leaves out what a program does not use, if it is told that the calls change nothing.
export const kindOf = /* @__PURE__ */ getterOf(Int32Array, Symbol.toStringTag);  // of a typed array, else undefined
export const lengthOf = /* @__PURE__ */ getterOf(Int32Array, 'length');
export const bufferOf = /* @__PURE__ */ getterOf(Int32Array, 'buffer');
export const SharedBuffer = globalThis.SharedArrayBuffer;  // pages that are not isolated have none
export const sharedLengthOf = SharedBuffer && getterOf(SharedBuffer, 'byteLength');

/// Whether a function of the engine, which throws for objects of other kinds, accepts the value.
export const acceptedBy = (read) => (value) => {
  try {
    read(value);
    return true;
  } catch {
    return false;
  }
};

export const isShared = /* @__PURE__ */ acceptedBy(sharedLengthOf);
export const isSignal = /* @__PURE__ */ acceptedBy(getterOf(AbortSignal, 'aborted'));

export const isObject = (value) => typeof value === 'object' && value !== null;

/// For an error: here alone the mark is one that a program may have put on its object.
export const describe = (value) => (value !== value ? 'NaN' : ({}).toString.call(value).slice(8, -1));
