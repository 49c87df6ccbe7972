// SPDX-License-Identifier: MIT
'use strict';
// The functions of the language that the package uses, as they were when it was loaded. A program that changes its
// globals later does not change the package.

const { TextDecoder, TextEncoder } = require('node:util');  // a realm may lack them

const uncurryThis = Function.prototype.bind.bind(Function.prototype.call);
const getterOf = (prototype, name) => uncurryThis(Object.getOwnPropertyDescriptor(prototype, name).get);

const { and: atomicsAnd } = Atomics;
const TypedArrayPrototype = Object.getPrototypeOf(Int32Array.prototype);

module.exports = {
  // Each throws a TypeError if its first argument is of another type, except for `typedArrayKind`, which returns
  // undefined.
  typedArrayKind: getterOf(TypedArrayPrototype, Symbol.toStringTag),
  typedArrayLength: getterOf(TypedArrayPrototype, 'length'),
  typedArrayBuffer: getterOf(TypedArrayPrototype, 'buffer'),
  typedArrayByteOffset: getterOf(TypedArrayPrototype, 'byteOffset'),
  typedArrayKeys: uncurryThis(TypedArrayPrototype.keys),
  sharedByteLength: getterOf(SharedArrayBuffer.prototype, 'byteLength'),
  bufferByteLength: getterOf(ArrayBuffer.prototype, 'byteLength'),
  dataViewBuffer: getterOf(DataView.prototype, 'buffer'),
  mapSize: getterOf(Map.prototype, 'size'),
  setSize: getterOf(Set.prototype, 'size'),
  isGrowable: Object.hasOwn(SharedArrayBuffer.prototype, 'growable') ?
    getterOf(SharedArrayBuffer.prototype, 'growable') : () => false,
  signalPrototype: AbortSignal.prototype,
  isAborted: getterOf(AbortSignal.prototype, 'aborted'),
  reasonOf: getterOf(AbortSignal.prototype, 'reason'),
  signalOfController: getterOf(AbortController.prototype, 'signal'),

  addEventListener: uncurryThis(EventTarget.prototype.addEventListener),
  removeEventListener: uncurryThis(EventTarget.prototype.removeEventListener),

  apply: Reflect.apply,
  defineProperty: Object.defineProperty,
  getPrototypeOf: Object.getPrototypeOf,
  isExtensible: Object.isExtensible,
  setPrototypeOf: Object.setPrototypeOf,
  hasOwn: Object.hasOwn,
  emitWarning: process.emitWarning.bind(process),
  keysOf: Object.keys,
  objectPrototype: Object.prototype,
  isArray: Array.isArray,
  load: Atomics.load,
  compareExchange: Atomics.compareExchange,
  clearBits: (words, index, bits) => atomicsAnd(words, index, ~bits),
  captureStackTrace: Error.captureStackTrace,
  asInt64: BigInt.asIntN.bind(BigInt, 64),
  trunc: Math.trunc,
  isInteger: Number.isInteger,
  maxSafeInteger: Number.MAX_SAFE_INTEGER,

  Array,
  arrayPush: uncurryThis(Array.prototype.push),
  Promise,
  promisePrototype: Promise.prototype,
  promiseThen: uncurryThis(Promise.prototype.then),
  reject: Promise.reject.bind(Promise),
  resolve: Promise.resolve.bind(Promise),
  Map,
  mapGet: uncurryThis(Map.prototype.get),
  mapSet: uncurryThis(Map.prototype.set),
  mapDelete: uncurryThis(Map.prototype.delete),
  Set,
  setAdd: uncurryThis(Set.prototype.add),
  setHas: uncurryThis(Set.prototype.has),
  setDelete: uncurryThis(Set.prototype.delete),
  setForEach: uncurryThis(Set.prototype.forEach),
  FinalizationRegistry,
  registryRegister: uncurryThis(FinalizationRegistry.prototype.register),
  WeakRef,
  weakRefGet: uncurryThis(WeakRef.prototype.deref),
  WeakMap,
  weakMapGet: uncurryThis(WeakMap.prototype.get),
  weakMapSet: uncurryThis(WeakMap.prototype.set),
  weakMapDelete: uncurryThis(WeakMap.prototype.delete),

  utf8: TextEncoder.prototype.encode.bind(new TextEncoder()),
  fromUtf8: TextDecoder.prototype.decode.bind(new TextDecoder('utf-8', { ignoreBOM: true })),
  stringify: JSON.stringify,
  parse: JSON.parse,
  Int32Array,
  BigInt64Array,
  Float64Array,
  Uint8Array,
  Error,
  TypeError,
  RangeError,
  DOMException,
  String,
  stringLastIndexOf: uncurryThis(String.prototype.lastIndexOf),
  stringIndexOf: uncurryThis(String.prototype.indexOf),
  stringSlice: uncurryThis(String.prototype.slice),
  Symbol,
  toPrimitiveName: Symbol.toPrimitive,
};
