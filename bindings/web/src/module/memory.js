// SPDX-License-Identifier: MIT
// The memory of a program, of which each thread, and each growth, has SharedArrayBuffer objects of its own.

import { bufferOf, kindOf, lengthOf, sharedLengthOf } from '../describe.js';
import { load } from '../engine.js';
import { fail } from '../failure.js';

const getOffset = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Int32Array.prototype), 'byteOffset').get;
const makeMark = () => Math.random() * 2 ** 32 >>> 0;

export function makeMemory(Module) {
  const known = new WeakSet();

  /// Whether a mark that the program writes is seen in the buffer. Another thread may write its own mark meanwhile.
  function shows(buffer) {
    while (true) {
      const mark = makeMark();
      const at = Module._futon_module_mark(mark) >>> 0;
      if (at + 4 > sharedLengthOf(buffer)) return false;
      const seen = load(new Uint32Array(buffer, at, 1), 0);
      if (Module._futon_module_marked() >>> 0 === mark) return seen === mark;
    }
  }

  /// Throws unless the buffer, a shared one, is of the program's memory. Twice, for a word of another may have any value.
  function requireOwn(buffer, argument, name) {
    if (known.has(buffer)) return;
    if (!shows(buffer) || !shows(buffer)) {
      fail(name, `${argument} must be of the memory of the program that is connected, not another SharedArrayBuffer; ` +
        'the functions of futon-web itself are for any');
    }
    known.add(buffer);
  }

  /// Throws unless the array is of the program's memory.
  const requireOwnElements = (typedArray, name) => requireOwn(bufferOf(typedArray), 'typedArray.buffer', name);

  /// The address of an element that is there.
  function addressOf(typedArray, at, name) {
    const address = Reflect.apply(getOffset, typedArray, []) + at * (isWide(typedArray) ? 8 : 4);
    if (address === 0) fail(name, 'no word is at the address zero, the beginning of the memory', RangeError);
    return address;
  }

  return { requireOwn, requireOwnElements, addressOf };
}

export const isWide = (typedArray) => kindOf(typedArray) === 'BigInt64Array';
