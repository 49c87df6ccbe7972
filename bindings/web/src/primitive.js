// SPDX-License-Identifier: MIT
// What all primitives have in common: their place, and its arguments.

import { fail, requireKind } from './failure.js';
import { readOptions } from './option_bag.js';
import { requirePlace } from './support.js';

/// The place of a primitive of that kind, which has its `words`; throws if it is none. `verb`: the function of the primitive.
export let placeOf;

const cannotBeCloned = () => 'A primitive of futon: send its buffer and byteOffset';

/** A primitive in a SharedArrayBuffer. All objects of the same bytes are one primitive. */
export class Primitive {
  static {
    placeOf = (value, name, verb) => {
      try {
        if (value.#place.name === name) return value.#place;
      } catch {
        // It is no primitive.
      }
      return requireKind(verb ? `${name}.${verb}` : name, 'this', value, name, false);
    };
  }

  // A structured clone would be an empty object. Because of this function it throws, with the text of it.
  cannotBeCloned = cannotBeCloned;

  #place;

  /// `makePlace` gives the place for the name and the words. If there are options, of those `kinds`, `setUp` gets them with the words and
  /// the place. It returns false if the primitive is in use and not what they say.
  constructor(name, size, makePlace, buffer, byteOffset, options, kinds, setUp) {
    requirePlace(name, size, buffer, byteOffset);
    const place = this.#place = makePlace(name, new Int32Array(buffer, byteOffset, size / 4));
    if (options === undefined) return;
    const read = readOptions(options, name, kinds);
    const given = Object.keys(read);
    if (given.length > 0 && !setUp(read, place.words, place))
      fail(name, `options (${given}) are for one that is not in use yet; this one is`, Error);
  }

  get buffer() {
    return this.#place.words.buffer;
  }

  get byteOffset() {
    return this.#place.words.byteOffset;
  }
}
