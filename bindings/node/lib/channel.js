// SPDX-License-Identifier: MIT
'use strict';
// Messages between threads: futon::ByteChannel.

const {
  typedArrayKind, typedArrayLength, sharedByteLength, isAborted, reasonOf, TypeError, RangeError, Error, Float64Array, Uint8Array, utf8,
  fromUtf8, stringify, parse, isArray, hasOwn, getPrototypeOf, promiseThen, Symbol,
} = require('./primordials.js');
const {
  native, doubles, bigs, ints, ADDRESS, TIMEOUT, COUNT, NARROW, SLOT, KIND, OUTCOME, OK, NOT_EQUAL, TIMED_OUT,
} = require('./native.js');
const { describe } = require('./describe.js');
const { timedOut, timedOutLater } = require('./failure.js');
const { requireCanBlock } = require('./agent.js');
const { requireRoom } = require('./pending.js');
const { readBlockingOptions, readOptions } = require('./option_bag.js');
const { Operation } = require('./operation.js');
const { waitersAt } = require('./introspection.js');
const { nextTurn } = require('./turns.js');
const { isDiagnosed, noteCall } = require('./diagnosis.js');
const {
  Type, Primitive, placeOf, act, ask, begin, LATE, requireCount, requireMaking, dispose, MAKE, GIVE, RESET, LOOK, LIMIT,
} = require('./primitive.js');

// Two kinds of waits for the same bytes.
const SENDING = new Type('Channel', 10, 64, 16);
const RECEIVING = new Type('Channel', 11, 64, 16);

const KNOWN = { __proto__: null, capacity: 'number', codec: 'object' };

const MOST = 2 ** 33 - 8;  // bytes of a ring
const bytesFor = (capacity) => SENDING.size + Math.ceil(capacity / 8) * 8;

// The kinds of messages of the codec that a channel has by itself.
const BYTES = 0;
const NUMBER = 1;
const TEXT = 2;
const JSON_TEXT = 3;
const UNDEFINED = 4;

const number = new Float64Array(1);
const numberBytes = new Uint8Array(number.buffer);
const nothing = new Uint8Array(0);
let kind = BYTES;  // of what `encode` has returned

/// Whether JSON carries what the object is: a plain one of any realm, an array, or one that says itself how it is written. Of others, such as
/// a Map, it would write the enumerable properties, which are often none.
function isForJson(object) {
  if (isArray(object) || typeof object.toJSON === 'function') return true;
  const prototype = getPrototypeOf(object);
  return prototype === null || (getPrototypeOf(prototype) === null && hasOwn(prototype, 'hasOwnProperty'));
}

function describeMessage(value) {
  const what = describe(value);
  const name = what === 'an object' ? value.constructor?.name : undefined;
  return typeof name === 'string' && name !== '' && name !== 'Object' ? `an object of the class ${name}` : what;
}

function toJson(value) {
  let text;
  let reason = '';
  let cause;
  try {
    if (typeof value !== 'object' || value === null || isForJson(value)) text = stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    reason = ` (${error.message})`;
    cause = { cause: error };
  }
  if (typeof text !== 'string')
    throw new TypeError(`Channel: ${describeMessage(value)} cannot be sent; give the channel a codec${reason}`, cause);
  return text;
}

function encode(value) {
  kind = BYTES;
  if (typedArrayKind(value) === 'Uint8Array') return value;
  if (typeof value === 'number') {
    kind = NUMBER;
    number[0] = value;
    return numberBytes;
  }
  if (value === undefined) {
    kind = UNDEFINED;
    return nothing;
  }
  kind = typeof value === 'string' ? TEXT : JSON_TEXT;
  return utf8(kind === TEXT ? value : toJson(value));
}

function decode(buffer, kindOfMessage) {
  const bytes = new Uint8Array(buffer);
  switch (kindOfMessage) {
    case NUMBER:
      return new Float64Array(buffer)[0];
    case TEXT:
      return fromUtf8(bytes);
    case JSON_TEXT:
      return parse(fromUtf8(bytes));
    case UNDEFINED:
      return undefined;
    default:
      return bytes;
  }
}

const answer = (value, done) => ({ value, done });
const sentOf = (outcome) => (outcome === OK ? 'ok' : 'closed');

let memoryOf;

class Channel extends Primitive {
  static {
    memoryOf = (channel, name) => placeOf(channel, SENDING, name) && channel.#memory;
  }

  /** How many bytes a channel takes whose ring has this many. */
  static byteLengthFor(capacity) {
    return bytesFor(requireCount(capacity, 'capacity', 'Channel.byteLengthFor', MOST));
  }

  #memory;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(SENDING, buffer, byteOffset);
    const place = placeOf(this, SENDING, 'constructor');
    const read = requireMaking(options, 'Channel', KNOWN);
    const codec = read?.codec;
    if (codec !== undefined && (typeof codec?.encode !== 'function' || typeof codec.decode !== 'function'))
      throw new TypeError('Channel: options.codec must have the functions encode and decode');
    const { capacity } = read ?? {};
    const room = sharedByteLength(buffer) - byteOffset;
    if (capacity !== undefined) {
      const wanted = bytesFor(requireCount(capacity, 'options.capacity', 'Channel', MOST));
      if (wanted > room) throw new RangeError(`Channel: a capacity of ${capacity} takes ${wanted} bytes, and there are ${room}`);
    }
    bigs[0] = BigInt(room);
    if (capacity !== undefined && !act(place, MAKE, capacity)) throw new Error('Channel: a channel was made there before: leave out the capacity');
    bigs[0] = BigInt(room);
    if (capacity === undefined && !act(place, RESET)) throw new Error('Channel: no channel was made there yet: give a capacity');
    this.#memory = { __proto__: null, send: place, receive: place.as(RECEIVING), codec, most: ask(place, LIMIT) - 8 };
  }

  /** Those that receive, in the order of their queue, and then those that send. */
  waiters() {
    const { address } = memoryOf(this, 'waiters').send;
    return [...waitersAt(address), ...waitersAt(address + 16)];
  }

  /** How many bytes its ring has. A message takes its own, rounded up to a multiple of eight, and eight more. */
  get capacity() {
    return memoryOf(this, 'capacity').most + 8;
  }

  get isClosed() {
    return act(memoryOf(this, 'isClosed').send, LOOK);
  }

  close() {
    act(memoryOf(this, 'close').send, GIVE);
  }

  trySend(value) {
    const memory = memoryOf(this, 'trySend');
    stage(memory, value, 'Channel.trySend');
    call(memory.send, 0, native.beginOperation);
    return ints[OUTCOME] === TIMED_OUT ? 'full' : sentOf(ints[OUTCOME]);
  }

  send(value, options = undefined) {
    const name = 'Channel.send';
    const memory = memoryOf(this, 'send');
    requireCanBlock(name);
    const timeout = readBlockingOptions(options, name);
    stage(memory, value, name);
    call(memory.send, timeout, native.blockInOperation);
    if (ints[OUTCOME] === TIMED_OUT) throw timedOut(name, send);
    return sentOf(requireRunning(name));
  }

  sendAsync(value, options = undefined) {
    return startToSend(this, value, options);
  }

  tryReceive() {
    const memory = memoryOf(this, 'tryReceive');
    requireRoom(8);
    call(memory.receive, 0, native.beginOperation);
    return ints[OUTCOME] === TIMED_OUT ? undefined : received(memory, messageOf(ints[OUTCOME], -1));
  }

  receive(options = undefined) {
    const name = 'Channel.receive';
    const memory = memoryOf(this, 'receive');
    requireCanBlock(name);
    const timeout = readBlockingOptions(options, name);
    requireRoom(8);
    call(memory.receive, timeout, native.blockInOperation);
    if (ints[OUTCOME] === TIMED_OUT) throw timedOut(name, receive);
    return received(memory, messageOf(requireRunning(name), -1));
  }

  receiveAsync(options = undefined) {
    return startToReceive(this, options);
  }

  /** Receiving as an operation of `select`; its value is what `receive` returns. */
  receiving() {
    const memory = memoryOf(this, 'receiving');
    const fill = () => {
      doubles[ADDRESS] = memory.receive.address;
      ints[KIND] = RECEIVING.kind;
    };
    return new Operation(fill, memory.receive.words, (result, slot) => messageOf(result === 'ok' ? OK : NOT_EQUAL, slot),
      (message) => received(memory, message));
  }

  /** Sending as an operation of `select`; its value is 'ok' or 'closed'. The value is encoded now. */
  sending(value) {
    const memory = memoryOf(this, 'sending');
    const bytes = new Uint8Array(bytesOf(memory, value, 'Channel.sending'));
    const itsKind = kind;
    const fill = () => {
      native.stageBytes(bytes);
      doubles[ADDRESS] = memory.send.address;
      ints[KIND] = SENDING.kind;
      ints[NARROW] = itsKind;
    };
    return new Operation(fill, memory.send.words, (result) => (result === 'ok' ? 'ok' : 'closed'));
  }

  /** The messages, until it is closed and empty: blocking, for `for`. */
  [Symbol.iterator]() {
    return { next: () => this.receive(), [Symbol.iterator]: itself };
  }

  /** The same without blocking, for `for await`. */
  [Symbol.asyncIterator]() {
    const receive = () => this.receiveAsync();
    const next = () => {
      const turn = nextTurn(true);
      return turn === undefined ? receive() : promiseThen(turn, receive);
    };
    return { next, [Symbol.asyncIterator]: itself };
  }

  [dispose]() {
    this.close();
  }
}

function itself() {
  return this;
}

/// The bytes of the value; leaves their kind.
function bytesOf(memory, value, name) {
  let bytes;
  if (memory.codec === undefined) {
    bytes = encode(value);
  } else {
    bytes = memory.codec.encode(value);
    kind = BYTES;
    if (typedArrayKind(bytes) !== 'Uint8Array')
      throw new TypeError(`${name}: the codec must encode to a Uint8Array, not ${describe(bytes)}`);
  }
  const length = typedArrayLength(bytes);
  if (length > memory.most) throw new RangeError(`${name}: the message has ${length} bytes, and the channel takes ${memory.most} at most`);
  return bytes;
}

/// Has the next call send the value.
function stage(memory, value, name) {
  const bytes = bytesOf(memory, value, name);
  const itsKind = kind;
  requireRoom(8);
  native.stageBytes(bytes);
  ints[NARROW] = itsKind;
}

/// Sends or receives by a function of the addon.
function call(place, timeout, operate) {
  if (isDiagnosed) noteCall();
  doubles[ADDRESS] = place.address;
  doubles[TIMEOUT] = timeout;
  ints[KIND] = place.type.kind;
  operate();
}

function requireRunning(name) {
  const outcome = ints[OUTCOME];
  if (outcome !== OK && outcome !== NOT_EQUAL) throw new Error(`${name}: this thread is being ended`);  // no code of it runs any more
  return outcome;
}

/// The message that the pending wait in `slot` has received, or if that is negative the last call; undefined if there is none.
function messageOf(outcome, slot) {
  if (outcome !== OK) return undefined;
  ints[SLOT] = slot;
  const buffer = native.takeMessage();
  return { __proto__: null, buffer, kind: doubles[COUNT] };
}

/// What is returned for it. A codec is code of the program's, which does not run while promises are settled.
function received({ codec }, message) {
  if (message === undefined) return answer(undefined, true);
  return answer(codec === undefined ? decode(message.buffer, message.kind) : codec.decode(new Uint8Array(message.buffer)), false);
}

const startToSend = async (channel, value, options) => {
  const name = 'Channel.sendAsync';
  const memory = memoryOf(channel, 'sendAsync');
  const read = readOptions(options, name);
  if (read.signal !== undefined && isAborted(read.signal)) throw reasonOf(read.signal);
  const bytes = bytesOf(memory, value, name);
  const itsKind = kind;
  let result = 'ok';
  const fill = () => {
    native.stageBytes(bytes);
    ints[NARROW] = itsKind;
  };
  const promise = begin(memory.send, read, name, sendAsync, 0, fill, (how) => {
    result = how;
  });
  if (promise !== undefined && await promise === LATE) throw timedOutLater(name, startToSend, read.site);
  return result === 'ok' ? 'ok' : 'closed';
};

const startToReceive = async (channel, options) => {
  const name = 'Channel.receiveAsync';
  const memory = memoryOf(channel, 'receiveAsync');
  const read = readOptions(options, name);
  if (read.signal !== undefined && isAborted(read.signal)) throw reasonOf(read.signal);
  let message;
  const promise = begin(memory.receive, read, name, receiveAsync, 0, undefined, (how, slot) => {
    message = messageOf(how === 'ok' ? OK : NOT_EQUAL, slot);
  });
  if (promise !== undefined && await promise === LATE) throw timedOutLater(name, startToReceive, read.site);
  return received(memory, message);
};

// Where the stack of a time-out begins, even if a program replaces the functions of the prototype.
const { send, sendAsync, receive, receiveAsync } = Channel.prototype;

module.exports = { Channel };
