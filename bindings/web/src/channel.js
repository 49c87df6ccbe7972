// SPDX-License-Identifier: MIT
// Messages between threads, through a ring of bytes.

import { LONGEST_SLEEP } from './constants.js';
import { requireCount } from './count.js';
import { sharedLengthOf, isObject, kindOf, describe } from './describe.js';
import { compareExchange, load } from './engine.js';
import { fail } from './failure.js';
import { dispose, Operation } from './operation.js';
import { readOptions } from './option_bag.js';
import { blockFor, makePlace, waitFor } from './place.js';
import { placeOf, Primitive } from './primitive.js';
import { wakeAll } from './queue.js';
import { isLeft, number, watch } from './threads.js';
import { change, update } from './word.js';

// The words: a count of changes, at which all sleep; where the first message begins, and where the next one will, in units of eight bytes,
// modulo a multiple of the capacity; the capacity, in these units; and the number of the thread that sends, zero if none does. The ring follows.
//
// A receiver copies the first message, and then moves HEAD past it. That fails if another receiver was faster, and no sender writes where a
// message is before HEAD has moved: so what was copied is whole. A sender writes while SENDER has its number, and then moves TAIL. One that ends
// before that leaves no trace but its number, which is removed when its end is noticed.
const HEAD = 1;
const TAIL = 2;
const UNITS = 3;
const SENDER = 4;
const CLOSED = 1 << 29;  // of TAIL, so that no message follows a close
const MOST = 2 ** 31 - 8;

const NAME = 'Channel';
const SIZE = 32;
const TRIES = 1000;  // of a call that does not wait: more than a copy takes, but a thread may stand still in the middle of one

// What came of an attempt to send if it is no text: for how many milliseconds to sleep at most. While another is sending one has to look now
// and then, for that may end with its thread.
const FULL = LONGEST_SLEEP;
const BUSY = 1;
const END = {};

// The kinds of messages of the codec that a channel has by itself.
const BYTES = 0;
const NUMBER = 1;
const TEXT = 2;
const JSON_TEXT = 3;
const UNDEFINED = 4;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function encode(value) {
  if (kindOf(value) === 'Uint8Array') return [BYTES, value];
  if (typeof value === 'number') return [NUMBER, new Uint8Array(new Float64Array([value]).buffer)];
  if (value === undefined) return [UNDEFINED, new Uint8Array(0)];
  const isText = typeof value === 'string';
  const text = isText ? value : JSON.stringify(value);
  if (text === undefined) fail(NAME, `${describe(value)} cannot be sent; give the channel a codec`);
  return [isText ? TEXT : JSON_TEXT, encoder.encode(text)];
}

function decode([kind, bytes]) {
  if (kind === NUMBER) return new Float64Array(bytes.buffer)[0];
  if (kind === UNDEFINED) return undefined;
  if (kind !== TEXT && kind !== JSON_TEXT) return bytes;
  const text = decoder.decode(bytes);
  return kind === TEXT ? text : JSON.parse(text);
}

/// The units of a message of that many bytes: a header of two numbers, its length and its kind, comes first.
const unitsOf = (length) => 1 + Math.ceil(length / 8);

const unitsFor = (capacity, name) => {
  requireCount(typeof capacity === 'number' ? capacity : NaN, 'capacity', name, MOST);
  return Math.ceil(capacity / 8);
};

/// A channel's memory, and what is done to it in one step.
class Ring {
  #words;
  #bytes;
  #headers;
  #units;
  #limit;

  constructor(words, units) {
    const { buffer, byteOffset } = words;
    this.#words = words;
    this.#bytes = new Uint8Array(buffer, byteOffset + SIZE, units * 8);
    this.#headers = new Int32Array(buffer, byteOffset + SIZE, units * 2);
    this.#units = units;
    this.#limit = Math.floor(CLOSED / units) * units;
    watch(this);
  }

  /// The thread of that number has ended.
  abandon(ended) {
    change(this.#words, SENDER, ended, 0);
  }

  get capacity() {
    return this.#units * 8;
  }

  get isClosed() {
    return (load(this.#words, TAIL) & CLOSED) !== 0;
  }

  /// All that wait look again.
  #changed() {
    update(this.#words, (seen) => seen + 1 | 0);
    wakeAll(this.#words);
  }

  close() {
    for (let tail; !((tail = load(this.#words, TAIL)) & CLOSED);)
      if (change(this.#words, TAIL, tail, tail | CLOSED)) return this.#changed();
  }

  #hasRoom(tail, wanted) {
    return (tail - load(this.#words, HEAD) + this.#limit) % this.#limit + wanted <= this.#units;
  }

  /// 'ok', 'closed', FULL, or BUSY while another sends.
  send([kind, bytes]) {
    const words = this.#words;
    const wanted = unitsOf(bytes.length);
    let tail = load(words, TAIL);
    if (tail & CLOSED) return 'closed';
    if (!this.#hasRoom(tail, wanted)) return FULL;
    const sender = number;
    if (isLeft || !change(words, SENDER, 0, sender)) return BUSY;
    try {
      tail = load(words, TAIL);
      if (tail & CLOSED) return 'closed';
      if (!this.#hasRoom(tail, wanted)) return FULL;
      const at = tail % this.#units;
      this.#headers.set([bytes.length, kind], at * 2);
      const begin = (at + 1) % this.#units * 8;
      const rest = this.#bytes.length - begin;
      this.#bytes.set(bytes.subarray(0, rest), begin);
      if (bytes.length > rest) this.#bytes.set(bytes.subarray(rest));
      if (!change(words, TAIL, tail, (tail + wanted) % this.#limit)) return 'closed';
    } finally {
      change(words, SENDER, sender, 0);
    }
    this.#changed();
    return 'ok';
  }

  /// The kind and the bytes of the first message; undefined if there is none, END if there will be none.
  receive() {
    const words = this.#words;
    while (true) {
      const head = load(words, HEAD);
      const tail = load(words, TAIL);
      if ((tail & ~CLOSED) === head) return tail & CLOSED ? END : undefined;
      const at = head % this.#units;
      const length = this.#headers[at * 2];
      const kind = this.#headers[at * 2 + 1];
      if (length >= 0 && unitsOf(length) <= this.#units) {
        const bytes = new Uint8Array(length);
        const begin = (at + 1) % this.#units * 8;
        const first = this.#bytes.subarray(begin, begin + length);
        bytes.set(first);
        bytes.set(this.#bytes.subarray(0, length - first.length), first.length);
        if (change(words, HEAD, head, (head + unitsOf(length)) % this.#limit)) {
          this.#changed();
          return [kind, bytes];
        }
      } else if (load(words, HEAD) === head) {
        fail(NAME, 'the memory of the channel was written to by others', Error);
      }
    }
  }

  /// Waiters.
  sending(message) {
    let result;
    return this.#waiter(() => {
      result = this.send(message);
      return result > 0 && result;
    }, () => result);
  }

  receiving(finish) {
    let message;
    return this.#waiter(() => (message = this.receive()) === undefined && LONGEST_SLEEP, () => finish(message));
  }

  /// `attempt` returns how long to sleep at most.
  #waiter(attempt, finish) {
    return {
      look: () => {
        const seen = load(this.#words, 0);  // before: a change since ends the sleep at once
        const wait = attempt();
        return wait ? [seen, wait] : undefined;
      },
      finish,
    };
  }
}

const NO_ROOM = 'there is no room';
const NO_MESSAGE = 'there is no message';
const KNOWN = { capacity: 'number', codec: 'object' };

export class Channel extends Primitive {
  static byteLengthFor(capacity) {
    return SIZE + unitsFor(capacity, 'Channel.byteLengthFor') * 8;
  }

  #ring;
  #codec;
  #receivers;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(NAME, SIZE, makePlace, buffer, byteOffset);
    const { words } = placeOf(this, NAME, 'constructor');
    const { capacity, codec } = readOptions(options, NAME, KNOWN);
    if (codec !== undefined && !(isObject(codec) && typeof codec.encode === 'function' && typeof codec.decode === 'function'))
      fail(NAME, 'options.codec must have the functions encode and decode');
    const room = sharedLengthOf(buffer) - byteOffset - SIZE;
    const units = capacity === undefined ? load(words, UNITS) : unitsFor(capacity, NAME);
    if (units === 0) fail(NAME, 'no channel was made there yet: give a capacity', Error);
    if (units * 8 > room) fail(NAME, `a capacity of ${units * 8} takes ${units * 8 + SIZE} bytes, and there are ${room + SIZE}`, RangeError);
    if (capacity !== undefined && compareExchange(words, UNITS, 0, units) !== 0)
      fail(NAME, 'a channel was made there before: leave out the capacity', Error);
    this.#ring = new Ring(words, units);
    this.#codec = codec;
    // Those that receive do not wait behind those that send.
    this.#receivers = makePlace(NAME, words);
  }

  #messageOf(value, name) {
    const message = this.#codec ? [BYTES, this.#codec.encode(value)] : encode(value);
    const [, bytes] = message;
    if (kindOf(bytes) !== 'Uint8Array') fail(name, `the codec must encode to a Uint8Array, not ${describe(bytes)}`);
    const most = this.#ring.capacity - 8;
    if (bytes.length > most) fail(name, `the message has ${bytes.length} bytes, and the channel takes ${most} at most`, RangeError);
    return message;
  }

  #received(message) {
    if (message === END) return { value: undefined, done: true };
    return { value: this.#codec ? this.#codec.decode(message[1]) : decode(message), done: false };
  }

  get capacity() {
    placeOf(this, NAME, 'capacity');
    return this.#ring.capacity;
  }

  get isClosed() {
    placeOf(this, NAME, 'isClosed');
    return this.#ring.isClosed;
  }

  close() {
    placeOf(this, NAME, 'close');
    this.#ring.close();
  }

  trySend(value) {
    placeOf(this, NAME, 'trySend');
    const message = this.#messageOf(value, 'Channel.trySend');
    let result = BUSY;
    for (let tries = 0; result === BUSY && tries < TRIES; ++tries) result = this.#ring.send(message);
    return result > 0 ? 'full' : result;
  }

  send(value, options = undefined) {
    const sending = () => this.#ring.sending(this.#messageOf(value, 'Channel.send'));
    return blockFor(new Operation(placeOf(this, NAME, 'send'), sending, 'send', NO_ROOM), options);
  }

  async sendAsync(value, options = undefined) {
    const sending = () => this.#ring.sending(this.#messageOf(value, 'Channel.sendAsync'));
    return waitFor(new Operation(placeOf(this, NAME, 'sendAsync'), sending, 'sendAsync', NO_ROOM), options);
  }

  /** Sending as an operation of `select`. The value is encoded now. */
  sending(value) {
    const place = placeOf(this, NAME, 'sending');
    const [kind, bytes] = this.#messageOf(value, 'Channel.sending');
    const message = [kind, bytes.slice()];
    return new Operation(place, () => this.#ring.sending(message));
  }

  tryReceive() {
    placeOf(this, NAME, 'tryReceive');
    const message = this.#ring.receive();
    return message && this.#received(message);
  }

  static #receiving(channel, verb) {
    placeOf(channel, NAME, verb);
    return new Operation(channel.#receivers, () => channel.#ring.receiving((message) => channel.#received(message)), verb, NO_MESSAGE);
  }

  receive(options = undefined) {
    return blockFor(Channel.#receiving(this, 'receive'), options);
  }

  async receiveAsync(options = undefined) {
    return waitFor(Channel.#receiving(this, 'receiveAsync'), options);
  }

  receiving() {
    return Channel.#receiving(this, 'receiving');
  }

  /** The messages, until it is closed and empty: blocking, for `for`. */
  [Symbol.iterator]() {
    return { next: () => this.receive(), [Symbol.iterator]: itself };
  }

  /** The same without blocking, for `for await`. */
  [Symbol.asyncIterator]() {
    return { next: () => this.receiveAsync(), [Symbol.asyncIterator]: itself };
  }

  [dispose]() {
    this.close();
  }
}

function itself() {
  return this;
}
