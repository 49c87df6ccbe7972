// SPDX-License-Identifier: MIT
// Memory of the program for a test, each time other memory.

export function memoryOf(Module) {
  const make = (Type, length) => {
    const at = Module._test_allocate(Type.BYTES_PER_ELEMENT * length);  // first, for the memory may grow
    return new Type(Module.HEAP32.buffer, at, length);
  };
  const makeWords = (length = 16) => make(Int32Array, length);
  const makeWideWords = (length = 2) => make(BigInt64Array, length);

  /// What threads and the page append to, by test_append.
  const makeList = () => {
    const words = makeWords(64);
    return {
      address: words.byteOffset,
      append: (value) => Module._test_append(words.byteOffset, value),
      read: () => Array.from(words.subarray(1, 1 + Atomics.load(words, 0))),

      /// Fulfilled with the list when it has that many elements.
      async until(length, waitAsync) {
        for (let seen; (seen = Atomics.load(words, 0)) < length;) await waitAsync(words, 0, seen).value;
        return this.read();
      },
    };
  };
  return { makeWords, makeWideWords, makeList };
}
