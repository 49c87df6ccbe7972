// SPDX-License-Identifier: MIT
// Messages between threads, through a ring of bytes.
//
// A receiver copies the first message, and then moves HEAD past it. That fails if another receiver was faster, and no sender
// writes where a message is before HEAD has moved: so what was copied is whole. A sender writes while SENDER has its number,
// and then moves TAIL. One that ends before that leaves no trace but its number, which is removed when its end is noticed.

import {
  BUSY, BYTES, CLOSED, HEAD, JSON_TEXT, LATER, MOST, NUMBER, SENDER, SIZE, TAIL, TEXT, TRIES, UNITS,
} from './channel_word.js';
import { requireCount } from './count.js';
import { describe, isObject, kindOf, sharedLengthOf } from './describe.js';
import { load } from './engine.js';
import { fail, requireKind } from './failure.js';
import { dispose, Operation } from './operation.js';
import { readOptions } from './option_bag.js';
import { blockFor, makePlace, waitFor } from './place.js';
import { placeOf, Primitive } from './primitive.js';
import { wakeAll } from './queue.js';
import { isLeft, number, watch } from './threads.js';
import { nextTurn } from './turns.js';
import { change } from './word.js';

const { add } = Atomics;  // as in engine.js
const { getPrototypeOf } = Object;

const NAME = 'Channel';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/// Whether JSON carries what the object is: an array, one that says itself how it is written, or a plain one of any realm.
const isForJson = (object) => Array.isArray(object) || typeof object.toJSON === 'function' ||
  !(getPrototypeOf(object) && getPrototypeOf(getPrototypeOf(object)));

function toJson(value) {
  let text;
  let reason = '';
  try {
    if (!isObject(value) || isForJson(value)) text = JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    reason = `: ${error.message}`;
  }
  if (text === undefined && value !== undefined)
    fail(NAME, `${value.constructor?.name ?? describe(value)} cannot be sent; give the channel a codec${reason}`);
  return text;
}

function encode(value) {
  if (kindOf(value) === 'Uint8Array') return [BYTES, value];
  if (typeof value === 'number') return [NUMBER, new Uint8Array(new Float64Array([value]).buffer)];
  const isText = typeof value === 'string';
  return [isText ? TEXT : JSON_TEXT, encoder.encode(isText ? value : toJson(value))];
}

function decode(kind, bytes) {
  if (kind === BYTES) return bytes;
  if (kind === NUMBER) return new Float64Array(bytes.buffer)[0];
  const text = decoder.decode(bytes);
  return kind === TEXT ? text : text ? JSON.parse(text) : undefined;
}

const unitsFor = (bytes) => Math.ceil(bytes / 8);

/// The units of a message of that many bytes: a header of two numbers, its length and its kind, comes first.
const unitsOf = (length) => 1 + unitsFor(length);

/// The place of a channel, where those wait that send; with what is done to its memory in one step.
function makeRing(words, { capacity, codec }) {
  const { buffer, byteOffset } = words;
  const begin = byteOffset + SIZE;
  const room = sharedLengthOf(buffer) - begin;
  if (codec !== undefined && !(typeof codec?.encode === 'function' && typeof codec.decode === 'function'))
    fail(NAME, 'options.codec must have the functions encode and decode');
  if (capacity !== undefined) {
    requireCount(capacity, 'options.capacity', NAME, Math.min(room - room % 8, MOST));
    if (!change(words, UNITS, 0, unitsFor(capacity)))
      fail(NAME, 'a channel was made there before: leave out the capacity', Error);
  }
  const units = load(words, UNITS);
  if (!units) fail(NAME, 'no channel was made there yet: give a capacity', Error);
  const limit = CLOSED - CLOSED % units;  // of HEAD and TAIL, which go round the ring many times until they are the same again
  const all = new Uint8Array(buffer, begin, units * 8);
  const headers = new Int32Array(buffer, begin, units * 2);

  /// All that wait look again.
  const changed = () => {
    add(words, 0, 1);
    wakeAll(words);
  };

  /// The bytes of a message that begins there: some may lie at the beginning of the ring.
  const partsOf = (at, length) => {
    const from = (at + 1) % units * 8;
    const first = all.subarray(from, from + length);
    return [first, all.subarray(0, length - first.length)];
  };

  const messageOf = (value, verb) => {
    const name = `${NAME}.${verb}`;
    const message = codec ? [BYTES, codec.encode(value)] : encode(value);
    const [, bytes] = message;
    requireKind(name, 'what the codec encodes to', bytes, 'Uint8Array', kindOf(bytes) === 'Uint8Array');
    const most = units * 8 - 8;
    if (bytes.length > most)
      fail(name, `the message has ${bytes.length} bytes, and the channel takes ${most} at most`, RangeError);
    return message;
  };

  const received = ([kind, bytes]) => ({ value: bytes && (codec ? codec.decode(bytes) : decode(kind, bytes)), done: !bytes });

  /// A waiter whose `attempt` returns for how many milliseconds to sleep at most, or what `finish` gets. What it throws is thrown by that.
  const waiterFor = (attempt, finish) => {
    let result;
    return {
      look() {
        const seen = load(words, 0);  // before: a change since ends the sleep at once
        try {
          result = attempt();
        } catch (error) {
          result = undefined;
          finish = () => { throw error; };
        }
        return typeof result === 'number' ? [seen, result] : undefined;
      },
      finish: () => finish(result),
    };
  };

  // Those that receive do not wait behind those that send.
  const receivers = makePlace(NAME, words);

  const ring = watch({
    ...makePlace(NAME, words),

    capacity: units * 8,

    isClosed: () => (load(words, TAIL) & CLOSED) > 0,

    close() {
      for (let tail; !((tail = load(words, TAIL)) & CLOSED);) if (change(words, TAIL, tail, tail | CLOSED)) changed();
    },

    /// The thread of that number has ended.
    abandon(ended) {
      change(words, SENDER, ended, 0);
    },

    /// 'ok', 'closed', LATER, or BUSY while another sends.
    send([kind, bytes]) {
      const { length } = bytes;
      const wanted = unitsOf(length);
      const isFull = (tail) => (tail - load(words, HEAD) + limit) % limit + wanted > units;
      const seen = load(words, TAIL);
      if (seen & CLOSED) return 'closed';
      if (isFull(seen)) return LATER;  // before SENDER is taken, with which the thread might end
      if (isLeft || !change(words, SENDER, 0, number)) return BUSY;
      try {
        const tail = load(words, TAIL) & ~CLOSED;
        if (isFull(tail)) return LATER;
        headers.set([length, kind], tail % units * 2);
        const [first, rest] = partsOf(tail, length);
        first.set(bytes.subarray(0, first.length));
        rest.set(bytes.subarray(first.length));
        if (!change(words, TAIL, tail, (tail + wanted) % limit)) return 'closed';
      } finally {
        change(words, SENDER, number, 0);
      }
      changed();
      return 'ok';
    },

    /// The kind and the bytes of the first message; LATER if there is none yet, nothing if there will be none.
    receive() {
      while (true) {
        const head = load(words, HEAD);
        const tail = load(words, TAIL);
        if ((tail & ~CLOSED) === head) return tail & CLOSED ? [] : LATER;
        const at = head % units * 2;
        const length = headers[at];
        const kind = headers[at + 1];
        const taken = unitsOf(length);
        if (length >= 0 && taken <= units) {
          const bytes = new Uint8Array(length);
          const [first, rest] = partsOf(head, length);
          bytes.set(first);
          bytes.set(rest, first.length);
          if (change(words, HEAD, head, (head + taken) % limit)) {
            changed();
            return [kind, bytes];
          }
        } else if (load(words, HEAD) === head) {
          fail(NAME, 'the memory of the channel was written to by others', Error);
        }
      }
    },

    /// Operations. The value is encoded now. Its bytes are copied into the ring later; or now as well, if the program may use
    /// the operation when it has changed them.
    sending(value, verb, isForLater) {
      const [kind, bytes] = messageOf(value, verb);
      const message = [kind, isForLater ? new Uint8Array(bytes) : bytes];
      return new Operation(ring, () => waiterFor(() => ring.send(message), (result) => result), verb, 'there is no room');
    },

    receiving: (verb) => new Operation(receivers, () => waiterFor(() => ring.receive(), received), verb, 'there is no message'),
  });
  return ring;
}

/// What an operation gives; undefined if it has to wait, for longer than another sends.
function tryFor({ begin }) {
  const waiter = begin();
  let step;
  for (let tries = TRIES; (step = waiter.look()) && step[1] === BUSY && tries; --tries);
  return step ? undefined : waiter.finish();
}

const sending = (channel, value, verb, isForLater = false) =>
  placeOf(channel, NAME, verb).sending(value, verb, isForLater);
const receiving = (channel, verb) => placeOf(channel, NAME, verb).receiving(verb);

export class Channel extends Primitive {
  static byteLengthFor(capacity) {
    return SIZE + unitsFor(requireCount(capacity, 'capacity', 'Channel.byteLengthFor', MOST)) * 8;
  }

  constructor(buffer, byteOffset = 0, options = undefined) {
    const kinds = { capacity: 'number', codec: 'object' };
    super(NAME, SIZE, (name, words) => makeRing(words, readOptions(options, name, kinds)), buffer, byteOffset);
  }

  get capacity() {
    return placeOf(this, NAME, 'capacity').capacity;
  }

  get isClosed() {
    return placeOf(this, NAME, 'isClosed').isClosed();
  }

  close() {
    placeOf(this, NAME, 'close').close();
  }

  trySend(value) {
    return tryFor(sending(this, value, 'trySend')) ?? 'full';
  }

  send(value, options = undefined) {
    return blockFor(sending(this, value, 'send'), options);
  }

  async sendAsync(value, options = undefined) {
    return waitFor(sending(this, value, 'sendAsync'), options);
  }

  /** Sending as an operation of `select`. The value is encoded now. */
  sending(value) {
    return sending(this, value, 'sending', true);
  }

  tryReceive() {
    return tryFor(receiving(this, 'tryReceive'));
  }

  receive(options = undefined) {
    return blockFor(receiving(this, 'receive'), options);
  }

  async receiveAsync(options = undefined) {
    return waitFor(receiving(this, 'receiveAsync'), options);
  }

  receiving() {
    return receiving(this, 'receiving');
  }

  /** The messages, until it is closed and empty: blocking, for `for`. */
  [Symbol.iterator]() {
    return { next: () => this.receive(), [Symbol.iterator]: itself };
  }

  /** The same without blocking, for `for await`. */
  [Symbol.asyncIterator]() {
    const receive = () => this.receiveAsync();
    return { next: () => nextTurn(true)?.then(receive) ?? receive(), [Symbol.asyncIterator]: itself };
  }

  [dispose]() {
    this.close();
  }
}

function itself() {
  return this;
}
