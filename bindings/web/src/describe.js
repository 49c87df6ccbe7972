// SPDX-License-Identifier: MIT
// What a value is. Only the engine's own marks of an object are read: no code of the program's runs.

const getterOf = (prototype, name) => {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name);
  return (value) => Reflect.apply(get, value, []);
};
const typedArrayPrototype = Object.getPrototypeOf(Int32Array.prototype);

export const kindOf = getterOf(typedArrayPrototype, Symbol.toStringTag);  // undefined if it is not a typed array
export const lengthOf = getterOf(typedArrayPrototype, 'length');
export const bufferOf = getterOf(typedArrayPrototype, 'buffer');
export const sharedLengthOf = getterOf(SharedArrayBuffer.prototype, 'byteLength');
const { keys } = typedArrayPrototype;

/// Whether a getter, which throws for objects of other kinds, accepts the value.
function accepts(read, value) {
  try {
    read(value);
    return true;
  } catch {
    return false;
  }
}

const abortedOf = getterOf(AbortSignal.prototype, 'aborted');
const unsharedLengthOf = getterOf(ArrayBuffer.prototype, 'byteLength');

export const isShared = (value) => accepts(sharedLengthOf, value);
export const isSignal = (value) => accepts(abortedOf, value);
export const isDetached = (typedArray) => !accepts((value) => Reflect.apply(keys, value, []), typedArray);

export const isObject = (value) => typeof value === 'object' && value !== null;
export const withArticle = (noun) => `${/^[AIo]/.test(noun) ? 'an' : 'a'} ${noun}`;

export function describe(value) {
  if (value === null || value === undefined || value !== value) return `${value}`;
  const noun = typeof value !== 'object' ? typeof value :
    kindOf(value) ?? (isShared(value) ? 'SharedArrayBuffer' : accepts(unsharedLengthOf, value) ? 'ArrayBuffer' : 'object');
  return withArticle(noun);
}
