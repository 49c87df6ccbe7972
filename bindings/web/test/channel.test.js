// SPDX-License-Identifier: MIT
// Channel: messages between threads, and what its codec makes of values.

import { canBlock, Channel, fromShared, setCanBlock, toShared } from '../index.js';
import { equal, fails, isNode, nextTask, stateOf, test, withActors } from './harness.js';

const make = (capacity = 64, options = {}) =>
  new Channel(new SharedArrayBuffer(Channel.byteLengthFor(capacity)), 0, { capacity, ...options });

const VALUES = [0, -1.5, NaN, '', 'pässword', '\ufeff\u0000', undefined, null, true, [1, 'a', { b: null }], new Uint8Array(0), new Uint8Array([1, 2, 3])];

const shown = (value) => (value instanceof Uint8Array ? `bytes ${value}` : typeof value === 'object' ? JSON.stringify(value) : `${typeof value} ${value}`);

function equalReceived(received, value) {
  equal(received.done, false);
  equal(shown(received.value), shown(value));
}

test('AValueArrivesAsItWasSentByEachWay', async () => {
  const channel = make();
  for (const value of VALUES) {
    equal(channel.trySend(value), 'ok');
    equalReceived(channel.tryReceive(), value);
    equal(await channel.sendAsync(value), 'ok');
    equalReceived(await channel.receiveAsync(), value);
    if (!canBlock()) continue;
    equal(channel.send(value), 'ok');
    equalReceived(channel.receive(), value);
  }
});

test('AReceiverWaitsForAMessageAndASenderForRoom', async () => {
  const channel = make(24);
  const received = [channel.receiveAsync(), channel.receiveAsync()];
  equal(await stateOf(received[0]), 'pending');
  equal(channel.trySend('first'), 'ok');
  equalReceived(await received[0], 'first');
  equal(await stateOf(received[1]), 'pending');
  equal(channel.trySend(2), 'ok');
  equalReceived(await received[1], 2);

  equal(channel.trySend('0123456789abcdef'), 'ok');
  equal(channel.trySend(1), 'full');
  const sent = [channel.sendAsync('0123456789abcdef'), channel.sendAsync(3)];
  equal(await stateOf(sent[0]), 'pending');
  equal(channel.tryReceive().value.length, 16);
  equal(await sent[0], 'ok');
  equal(await stateOf(sent[1]), 'pending');
  equal((await channel.receiveAsync()).value.length, 16);
  equal(await sent[1], 'ok');
  equal(channel.tryReceive().value, 3);
  equal(channel.tryReceive(), undefined);
});

test('AfterCloseNoMessageIsSentAndThoseThatWereAreReceived', async () => {
  const channel = make(32);
  equal(channel.trySend('last'), 'ok');
  const refused = [channel.sendAsync('0123456789abcdef'), channel.sendAsync('0123456789abcdef')];
  equal(await stateOf(refused[0]), 'pending');
  equal(channel.isClosed, false);
  channel.close();
  channel.close();
  equal(channel.isClosed, true);
  equal((await Promise.all(refused)).join(), 'closed,closed');
  equal(channel.trySend(1), 'closed');
  const values = [];
  for await (const value of channel) values.push(value);
  equal(values.join(), 'last');
  equal(channel.tryReceive().done, true);
  equal((await channel.receiveAsync()).done, true);
  if (canBlock()) equal([...channel].length, 0);

  const empty = make();
  const waiting = empty.receiveAsync();
  equal(await stateOf(waiting), 'pending');
  empty.close();
  equal((await waiting).done, true);
});

test('AWaitThatTimesOutOrIsAbortedLeavesEverythingAsItWas', async () => {
  const channel = make(16);
  await fails(() => channel.receiveAsync({ timeout: 1 }), 'TimeoutError', /^Channel.receiveAsync: there is no message/);
  const abort = new AbortController();
  const aborted = channel.receiveAsync({ signal: abort.signal });
  abort.abort();
  await fails(() => aborted, 'AbortError');
  await fails(() => channel.receiveAsync({ signal: abort.signal }), 'AbortError');
  equal(channel.trySend(7), 'ok');
  await fails(() => channel.sendAsync(8, { timeout: 1 }), 'TimeoutError', /^Channel.sendAsync: there is no room/);
  if (canBlock()) {
    await fails(() => channel.send(8, { timeout: 1 }), 'TimeoutError', /^Channel.send: there is no room/);
    equal(channel.receive().value, 7);
    await fails(() => channel.receive({ timeout: 1 }), 'TimeoutError', /^Channel.receive: there is no message/);
  } else {
    equal(channel.tryReceive().value, 7);
  }
  equal(channel.tryReceive(), undefined);
});

test('MessagesOfEachLengthPassAroundTheEndOfTheRing', () => {
  const channel = make(104);
  const pending = [];
  let next = 1;
  const random = () => (next = Math.imul(next, 48271) >>> 0) / 2 ** 32;
  for (let i = 0; i < 20_000; ++i) {
    const message = new Uint8Array(Math.floor(random() * 97)).map(() => Math.floor(random() * 256));
    const used = pending.reduce((sum, { length }) => sum + 8 + Math.ceil(length / 8) * 8, 0);
    const hasRoom = used + 8 + Math.ceil(message.length / 8) * 8 <= 104;
    equal(channel.trySend(message), hasRoom ? 'ok' : 'full');
    if (hasRoom) pending.push(message);
    if (random() < .5) equal(String(channel.tryReceive()?.value), String(pending.shift()));
  }
});

test('ACodecMakesBytesOfValuesAndBack', async () => {
  const buffer = new SharedArrayBuffer(Channel.byteLengthFor(64));
  const codec = { encode: ({ x, y }) => new Uint8Array([x, y]), decode: ([x, y]) => ({ x, y }) };
  const points = new Channel(buffer, 0, { capacity: 64, codec });
  equal(points.trySend({ x: 3, y: 4 }), 'ok');
  equal(shown(points.tryReceive().value), '{"x":3,"y":4}');
  const plain = new Channel(buffer);
  equal(plain.capacity, 64);
  equal(points.trySend({ x: 5, y: 6 }), 'ok');
  equal(shown(plain.tryReceive().value), 'bytes 5,6');
  const wrong = new Channel(buffer, 0, { codec: { encode: () => 'text', decode: () => 1 } });
  await fails(() => wrong.trySend(1), 'TypeError', /^Channel.trySend: what the codec encodes to must be Uint8Array, not String/);
  const broken = new Channel(buffer, 0, { codec: { encode() { throw new RangeError('no'); }, decode: () => 1 } });
  await fails(() => broken.sendAsync(1), 'RangeError', /^no$/);
  equal(plain.tryReceive(), undefined);
});

test('AnErrorOfOneMessageIsThatOfItsCallAlone', async () => {
  const channel = make(16);
  equal(channel.trySend(1), 'ok');
  const bytes = new Uint8Array(8);
  const detached = channel.sendAsync(bytes);
  const next = channel.sendAsync(2);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  equal(channel.tryReceive().value, 1);
  await fails(() => detached, 'TypeError', /detached/);
  equal(await next, 'ok');

  const odd = { encode: (value) => new Uint8Array([value]), decode([value]) { if (value % 2) throw new RangeError('odd'); return value; } };
  const coded = new Channel(new SharedArrayBuffer(Channel.byteLengthFor(64)), 0, { capacity: 64, codec: odd });
  for (const value of [1, 2, 3, 4]) equal(coded.trySend(value), 'ok');
  const iterator = coded[Symbol.asyncIterator]();
  for (const value of [2, 4]) {
    await fails(() => iterator.next(), 'RangeError', /^odd$/);
    equal((await iterator.next()).value, value);
  }
});

test('TheLoopGoesOnBesideAForAwaitThatFindsAMessageEachTime', async () => {
  const channel = make();
  channel.trySend(0);
  let hasTurned = false;
  setTimeout(() => { hasTurned = true; });
  for await (const message of channel) {
    if (hasTurned) break;
    if (message === 1e6) throw new Error('the loop stands still');
    channel.trySend(message + 1);
  }
  equal(channel.tryReceive(), undefined);
});

test('AChannelRefusesMisuse', async () => {
  const buffer = new SharedArrayBuffer(Channel.byteLengthFor(64));
  await fails(() => new Channel(buffer), 'Error', /^Channel: no channel was made there yet: give a capacity/);
  await fails(() => new Channel(buffer, 0, { capacity: 65 }), 'RangeError', /^Channel: options.capacity must be a whole number from 1 to 64, not 65/);
  await fails(() => new Channel(buffer, 0, { capacity: 0 }), 'RangeError', /^Channel: options.capacity must be a whole number from 1 to/);
  await fails(() => new Channel(buffer, 0, { capacity: 8, codec: null }), 'TypeError', /^Channel: options.codec must have the functions/);
  await fails(() => new Channel(buffer, 0, { capacity: 8, codec: {} }), 'TypeError', /^Channel: options.codec must have the functions/);
  await fails(() => new Channel(buffer, 0, { room: 8 }), 'TypeError', /^Channel: options.room is none of capacity,codec/);
  await fails(() => new Channel(buffer, 4, { capacity: 8 }), 'RangeError', /^Channel: byteOffset must be a multiple of 32/);
  await fails(() => Channel.byteLengthFor(1.5), 'RangeError', /^Channel.byteLengthFor: capacity must be/);
  const channel = new Channel(buffer, 0, { capacity: 64 });
  await fails(() => new Channel(buffer, 0, { capacity: 64 }), 'Error', /^Channel: a channel was made there before: leave out the capacity/);
  await fails(() => channel.trySend(new Uint8Array(57)), 'RangeError', /^Channel.trySend: the message has 57 bytes, and the channel takes 56 at most/);
  await fails(() => channel.sendAsync('x'.repeat(57)), 'RangeError', /^Channel.sendAsync: the message has 57 bytes/);
  await fails(() => channel.trySend(() => 1), 'TypeError', /^Channel: Function cannot be sent; give the channel a codec/);
  class Job {}
  for (const [value, what] of [[new Map(), 'Map'], [new Float32Array(1), 'Float32Array'], [/x/, 'RegExp'], [Promise.resolve(), 'Promise'],
    [new Job(), 'Job'], [7n, 'BigInt'], [{ of: 7n }, 'Object']])
    await fails(() => channel.sendAsync(value), 'TypeError', new RegExp(`^Channel: ${what} cannot be sent; give the channel a codec`));
  await fails(() => Channel.prototype.trySend.call({}, 1), 'TypeError', /^Channel.trySend: this must be Channel, not Object/);
  const mayBlock = canBlock();
  setCanBlock(false);
  try {
    await fails(() => channel.send(1), 'TypeError', /sendAsync/);
    await fails(() => channel.receive(), 'TypeError', /receiveAsync/);
  } finally {
    if (mayBlock) setCanBlock(true);
  }
  new Int32Array(buffer, 32)[0] = -1;
  new Int32Array(buffer)[2] = 1;  // a message that no sender has written
  await fails(() => channel.tryReceive(), 'Error', /^Channel: the memory of the channel was written to by others/);
});

test('AChannelPassesMessagesBetweenThreadsEachOnceAndInTheirOrder', () => withActors(4, async (...actors) => {
  const channel = make(200);
  const rounds = 500;
  const message = toShared(channel);
  equal(fromShared(message).capacity, 200);
  const sent = actors.slice(0, 2).map((actor, index) => actor.run('sendAll', message, index, rounds));
  const received = actors.slice(2).map((actor) => actor.run('receiveAll', message));
  const here = [];
  const own = (async () => {
    for await (const value of channel) here.push(value);
  })();
  await Promise.all(sent);
  channel.close();
  const all = [...await Promise.all(received), (await own, here)];
  equal(all.flat().length, 2 * rounds);
  equal(new Set(all.flat().map(({ sender, number }) => `${sender} ${number}`)).size, 2 * rounds);
  for (const of of all)
    for (const sender of [0, 1]) {
      const numbers = of.filter((value) => value.sender === sender).map(({ number }) => number);
      equal(numbers.every((number, i) => i === 0 || numbers[i - 1] < number), true, 'in their order');
    }
}));

test('AReceiverThatEndedWithItsThreadTakesNoMessageWithIt', () => withActors(2, async (first, second) => {
  const channel = make();
  first.run('receiveAll', toShared(channel), true).catch(() => {});
  await first.told('begun');
  await nextTask();
  await first.end();
  const received = second.run('receiveSome', toShared(channel), 1);
  equal(channel.trySend('kept'), 'ok');
  // A browser ends a worker some time after the call, and until then it may take what is sent.
  while (!isNode && await stateOf(received) === 'pending') channel.trySend('kept');
  equal((await received)[0], 'kept');
}));
