// SPDX-License-Identifier: MIT
// What a value is. Only the engine's own marks of an object are read: no code of the program's runs.

const unbound = (method) => (value) => Reflect.apply(method, value, []);
const getterOf = (prototype, name) => unbound(Object.getOwnPropertyDescriptor(prototype, name).get);
const typedArrayPrototype = Object.getPrototypeOf(Int32Array.prototype);

export const kindOf = getterOf(typedArrayPrototype, Symbol.toStringTag);  // undefined if it is not a typed array
export const lengthOf = getterOf(typedArrayPrototype, 'length');
export const bufferOf = getterOf(typedArrayPrototype, 'buffer');
export const sharedLengthOf = getterOf(SharedArrayBuffer.prototype, 'byteLength');

/// Whether a function of the engine, which throws for objects of other kinds, accepts the value.
const acceptedBy = (read) => (value) => {
  try {
    read(value);
    return true;
  } catch {
    return false;
  }
};

export const isShared = acceptedBy(sharedLengthOf);
export const isSignal = acceptedBy(getterOf(AbortSignal.prototype, 'aborted'));
export const isAttached = acceptedBy(unbound(typedArrayPrototype.keys));
const isUnshared = acceptedBy(getterOf(ArrayBuffer.prototype, 'byteLength'));

export const isObject = (value) => typeof value === 'object' && value !== null;

export const describe = (value) =>
  value === null || value !== value ? `${value}` :
    kindOf(value) ?? (isShared(value) ? 'SharedArrayBuffer' : isUnshared(value) ? 'ArrayBuffer' :
      isSignal(value) ? 'AbortSignal' : typeof value);
