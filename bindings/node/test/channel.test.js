// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Channel: messages between threads, and what its codec makes of values.

const assert = require('node:assert/strict');
const v8 = require('node:v8');
const vm = require('node:vm');
const { Channel, Event, selectAsync, select, setCanBlock, toShared, fromShared } = require('..');
const { test } = require('./support/test');
const { withAgents } = require('./support/agent');
const { nextIteration, pending, stateOf } = require('./support/wait_queue');

const make = (capacity = 64, options = {}) =>
  new Channel(new SharedArrayBuffer(Channel.byteLengthFor(capacity)), 0, { capacity, ...options });

const VALUES = [0, -1.5, NaN, '', 'pässword', '\ufeff\u0000', undefined, null, true, [1, 'a', { b: null }], new Uint8Array(0), new Uint8Array([1, 2, 3])];

test('A value arrives as it was sent, by each way', async () => {
  const channel = make();
  for (const value of VALUES) {
    assert.equal(channel.trySend(value), 'ok');
    assert.deepEqual(channel.tryReceive(), { value, done: false });
    assert.equal(channel.send(value), 'ok');
    assert.deepEqual(channel.receive(), { value, done: false });
    assert.equal(await channel.sendAsync(value), 'ok');
    assert.deepEqual(await channel.receiveAsync(), { value, done: false });
    assert.deepEqual({ ...await selectAsync([channel.sending(value)]) }, { index: 0, value: 'ok' });
    assert.deepEqual(select([channel.receiving()]).value, { value, done: false });
  }
});

test('Without a codec a channel refuses what JSON does not carry, and says what that is', async () => {
  const channel = make(256);
  const cyclic = [];
  cyclic.push(cyclic);
  class Job {}
  const odd = [
    [new Map([[1, 2]]), 'a Map'], [new Set(), 'a Set'], [new WeakMap(), 'an object of the class WeakMap'], [new ArrayBuffer(8), 'an ArrayBuffer'],
    [new Float32Array(1), 'a Float32Array'], [new DataView(new ArrayBuffer(8)), 'a DataView'], [/x/, 'an object of the class RegExp'],
    [Promise.resolve(), 'an object of the class Promise'], [new Error('x'), 'an object of the class Error'], [new Job(), 'an object of the class Job'],
    [Symbol('x'), 'a symbol'], [1n, 'a bigint'], [cyclic, 'an Array'], [{ of: 1n }, 'an object'],
  ];
  for (const [value, what] of odd) {
    const isRefused = ({ name, message }) =>
      name === 'TypeError' && message.startsWith(`Channel: ${what} cannot be sent; give the channel a codec`);
    for (const send of [() => channel.trySend(value), () => channel.send(value), () => channel.sending(value)])
      assert.throws(send, isRefused, what);
    await assert.rejects(channel.sendAsync(value), isRefused, what);
  }
  assert.throws(() => channel.trySend(1n), (error) => error.message.endsWith(`(${error.cause.message})`));
  const reason = new RangeError('of the program');
  assert.throws(() => channel.trySend({ toJSON() { throw reason; } }), reason);
  assert.equal(channel.tryReceive(), undefined);
});

test('A value within a message is as JSON has it', () => {
  const channel = make(256);
  const arrivesAs = (value, expected) => {
    assert.equal(channel.trySend(value), 'ok');
    assert.deepEqual(channel.receive().value, expected);
  };
  const date = new Date(0);
  arrivesAs(date, date.toISOString());
  arrivesAs({ date, none: undefined, nan: NaN, map: new Map([[1, 2]]) }, { date: date.toISOString(), nan: null, map: {} });
  arrivesAs([undefined, Infinity], [null, null]);
  arrivesAs(Object.assign(Object.create(null), { a: 1 }), { a: 1 });
  arrivesAs(vm.runInNewContext('({ a: [1] })'), { a: [1] });
  class Job {
    toJSON() {
      return { job: 1 };
    }
  }
  arrivesAs(new Job(), { job: 1 });
});

test('A receiver waits for a message, and a sender for room', async () => {
  const channel = make(24);
  const received = [channel.receiveAsync(), selectAsync([channel.receiving()])];
  assert.equal(await stateOf(received[0]), pending);
  assert.equal(channel.waiters().length, 2);
  assert.equal(channel.trySend('first'), 'ok');
  assert.deepEqual(await received[0], { value: 'first', done: false });
  assert.equal(channel.trySend(2), 'ok');
  assert.deepEqual((await received[1]).value, { value: 2, done: false });

  assert.equal(channel.trySend('0123456789abcdef'), 'ok');
  assert.equal(channel.trySend(1), 'full');
  const sent = [channel.sendAsync('0123456789abcdef'), selectAsync([channel.sending(3)])];
  assert.equal(channel.waiters().length, 2);
  assert.equal(channel.receive().value.length, 16);
  assert.equal(await sent[0], 'ok');
  assert.equal(await stateOf(sent[1]), pending);
  channel.receive();
  assert.equal((await sent[1]).value, 'ok');
  assert.equal(channel.tryReceive().value, 3);
  assert.equal(channel.tryReceive(), undefined);
});

/// How many times the loop turns until the promise settles. It polls for what has arrived each time.
async function turnsUntil(promise) {
  let turns = 0;
  let next = setImmediate(function turn() {
    ++turns;
    next = setImmediate(turn);
  });
  await promise;
  clearImmediate(next);
  return turns;
}

test('What a thread sends to its own promises arrives with the next turns of its loop', async () => {
  const channel = make(24);
  const waiting = {
    receiveAsync: () => channel.receiveAsync(),
    selectAsync: () => selectAsync([channel.receiving()]),
  };
  for (const [name, receive] of Object.entries(waiting)) {
    for (let i = 0; i < 50; ++i) {
      const received = receive();
      assert.equal(channel.trySend(i), 'ok');
      const turns = await turnsUntil(received);
      assert.ok(turns <= 3, `${name}, message ${i}: ${turns} turns`);
    }
  }
  for (let i = 0; i < 50; ++i) {
    assert.equal(channel.trySend(i), 'ok');
    const sent = channel.sendAsync(i);
    assert.equal(channel.tryReceive().value, i);
    const turns = await turnsUntil(sent);
    assert.ok(turns <= 3, `sendAsync, message ${i}: ${turns} turns`);
    assert.equal(channel.tryReceive().value, i);
  }
});

test('The loop goes on beside a `for await` that finds a message each time', async () => {
  const channel = make();
  channel.send(0);
  let turns = 0;
  setImmediate(function turn() {
    if (++turns < 3) setImmediate(turn);
  });
  for await (const message of channel) {
    if (turns === 3) break;
    assert.ok(message < 1e6);
    channel.send(message + 1);
  }
  assert.equal(channel.tryReceive(), undefined);
});

test('After close no message is sent, and those that were are received', async () => {
  const channel = make(32);
  channel.send('last');
  const refused = [channel.sendAsync('0123456789abcdef'), channel.sendAsync('0123456789abcdef')];
  channel.close();
  channel.close();
  assert.ok(channel.isClosed);
  assert.equal(channel.trySend(1), 'closed');
  assert.equal(channel.send(1), 'closed');
  assert.equal(await channel.sendAsync(1), 'closed');
  const results = await Promise.all(refused);
  const found = [];
  for await (const value of channel) found.push(value);
  assert.equal(found[0], 'last');
  assert.equal(found.length, 1 + results.filter((result) => result === 'ok').length);
  const end = { value: undefined, done: true };
  assert.deepEqual([channel.tryReceive(), channel.receive(), await channel.receiveAsync(), select([channel.receiving()]).value],
    [end, end, end, end]);
  assert.deepEqual([...channel], []);
});

test('A time-out and an abort send and receive nothing', async () => {
  const channel = make(16);
  const lateIn = (name, what) => ({ name: 'TimeoutError', message: `Channel.${name}: there was no ${what} when the time-out was over` });
  assert.throws(() => channel.receive({ timeout: 1 }), lateIn('receive', 'message'));
  await assert.rejects(channel.receiveAsync({ timeout: 1 }), lateIn('receiveAsync', 'message'));
  const controller = new AbortController();
  const reason = new Error('enough');
  const aborted = [channel.receiveAsync({ signal: controller.signal })];
  controller.abort(reason);
  await assert.rejects(aborted[0], reason);
  channel.send(1);
  assert.throws(() => channel.send(2, { timeout: 1 }), lateIn('send', 'room'));
  await assert.rejects(channel.sendAsync(2, { timeout: 0 }), lateIn('sendAsync', 'room'));
  await assert.rejects(channel.sendAsync(2, { signal: controller.signal }), reason);
  assert.equal(channel.receive().value, 1);
  assert.deepEqual([channel.waiters(), channel.tryReceive()], [[], undefined]);
});

test('A codec of the program makes the bytes', async () => {
  const codec = { encode: (value) => v8.serialize(value), decode: (bytes) => v8.deserialize(bytes) };
  const channel = make(256, { codec });
  const value = new Map([['a', new Date(0)], ['b', 7n]]);
  await channel.sendAsync(value);
  assert.deepEqual((await channel.receiveAsync()).value, value);
  const found = selectAsync([channel.receiving()]);
  channel.send(value);
  assert.deepEqual((await found).value.value, value);
  const broken = new Channel(channel.buffer, 0, { codec: { encode: () => 'text', decode: () => { throw new RangeError('its own'); } } });
  assert.throws(() => broken.send(1), { name: 'TypeError', message: /must encode to a Uint8Array, not a string/ });
  channel.send(1);
  await assert.rejects(broken.receiveAsync(), { message: 'its own' });
});

test('Threads pass messages on, and all arrive once', async () => {
  await withAgents(2, async (...agents) => {
    const input = make(128);
    const output = make(128);
    const done = agents.map((agent) => agent.run((from, to) => {
      const { fromShared: take } = require('../..');
      const [source, sink] = [take(from), take(to)];
      let count = 0;
      for (const value of source) {
        sink.send({ doubled: 2 * value });
        ++count;
      }
      return count;
    }, toShared(input), toShared(output)));
    const COUNT = 500;
    let sum = 0;
    const receiving = (async () => {
      for (let i = 0; i < COUNT; ++i) sum += (await output.receiveAsync()).value.doubled;
    })();
    for (let i = 1; i <= COUNT; ++i) await input.sendAsync(i);
    input.close();
    await receiving;
    assert.equal(sum, COUNT * (COUNT + 1));
    assert.equal((await done[0]) + (await done[1]), COUNT);
    assert.equal(output.tryReceive(), undefined);
  });
});

test('A thread that ends while it waits, sends or receives loses nothing of the others', async () => {
  await withAgents(2, async (blocked, waits) => {
    const channel = make(16);
    const body = (message) => {
      const { fromShared: take } = require('../..');
      take(message).receive();
    };
    blocked.run(body, toShared(channel)).catch(() => {});
    await waits.run((message) => {
      const { fromShared: take } = require('../..');
      take(message).receiveAsync().catch(() => {});
    }, toShared(channel));
    while (channel.waiters().length !== 2) await nextIteration();
    await Promise.all([blocked.terminate(), waits.terminate()]);
    assert.deepEqual(channel.waiters(), []);
    channel.send(7);
    assert.equal(channel.receive().value, 7);
  });
});

test('Misuse is refused', async () => {
  const buffer = new SharedArrayBuffer(256);
  assert.throws(() => new Channel(buffer), { message: /no channel was made there yet: give a capacity/ });
  assert.throws(() => new Channel(buffer, 0, { capacity: 256 }), { name: 'RangeError', message: /takes 320 bytes, and there are 256/ });
  assert.throws(() => new Channel(buffer, 8, { capacity: 16 }), { name: 'RangeError', message: /multiple of 16/ });
  for (const capacity of [0, -8, 1.5, NaN, 2 ** 33]) {
    const isRefused = (name) => ({ name: 'RangeError', message: `${name} must be a whole number from 1 to 8589934584, not ${capacity}` });
    assert.throws(() => new Channel(buffer, 0, { capacity }), isRefused('Channel: options.capacity'));
    assert.throws(() => Channel.byteLengthFor(capacity), isRefused('Channel.byteLengthFor: capacity'));
  }
  for (const [capacity, what] of [['8', 'a string'], [null, 'null'], [8n, 'a bigint'], [undefined, 'undefined']]) {
    const isRefused = { name: 'TypeError', message: `Channel.byteLengthFor: capacity must be a number, not ${what}` };
    assert.throws(() => Channel.byteLengthFor(capacity), isRefused);
  }
  assert.throws(() => new Channel(buffer, 0, { size: 1 }), TypeError);
  assert.throws(() => new Channel(buffer, 0, { capacity: 64, codec: {} }), { message: /encode and decode/ });
  const channel = new Channel(buffer, 16, { capacity: 64 });
  assert.throws(() => new Channel(buffer, 16, { capacity: 64 }), { message: /made there before/ });
  assert.equal(channel.capacity, 64);
  assert.throws(() => channel.send('x'.repeat(57)), { name: 'RangeError', message: 'Channel.send: the message has 57 bytes, and the channel takes 56 at most' });
  assert.equal(channel.trySend('x'.repeat(56)), 'ok');
  await assert.rejects(channel.sendAsync(7n), TypeError);
  assert.throws(() => channel.trySend(() => {}), { name: 'TypeError', message: /cannot be sent; give the channel a codec/ });
  assert.throws(() => Channel.prototype.close.call(new Event(new SharedArrayBuffer(4))), { name: 'TypeError' });
  assert.equal(fromShared(toShared(channel)).receive().value.length, 56);
  setCanBlock(false);
  try {
    assert.throws(() => channel.receive(), { name: 'TypeError', message: /may not block/ });
    assert.throws(() => channel.send(1), { name: 'TypeError', message: /may not block/ });
    assert.equal(channel.trySend(1), 'ok');
  } finally {
    setCanBlock(true);
  }
});
