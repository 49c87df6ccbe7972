// SPDX-License-Identifier: MIT
// What the page does with each primitive of terminate_suite.js, and what must hold when workers have ended.
//
// `use` uses it by promises. `feed` gives the workers what those that are left may need to go on. `hold` keeps all workers out,
// and gives what lets them in again: who ends meanwhile holds nothing. `afterDeath` gets those that have ended, and whether
// they were kept out. It does what the documents leave to the program, and returns false if the rest cannot go on, because what
// a thread holds stays held. `finish` looks at what is left when all have ended.

import { notify, selectAsync, waitAsync, waiting } from '../index.js';
import { equal, isNode, nextTask } from './harness.js';
import {
  ASKED, CAPACITY, GENERATION, HAS, INSIDE, ITEMS, LEFT, latchIn, PERMITS, RIGHT, SETS, TAKEN, textOf, WORKERS,
} from './terminate_places.js';

const NOTICE = 1000;       // milliseconds in which the end of a thread is noticed
const HELD = 1;
const OFFERED = 16;
const SENDER = 4;          // the word of a channel with the number of the thread that sends
const BRIEFLY = { timeout: 500 };  // milliseconds, more than the claim of a thread lasts that has ended

const ownerOf = (word) => ((word & (HELD | OFFERED)) === HELD ? word >> 17 & 8191 : 0);
const sumOf = (list) => list.reduce((sum, each) => sum + each, 0);

async function noticed(isSo, what, { until }) {
  const began = performance.now();
  await until(isSo, what);
  const took = performance.now() - began;
  equal(took <= NOTICE, true, `${what}: ${took} ms`);
}

/// What a thread held is released within a second. Where there are no Web Locks the program does it, once it knows.
async function abandoned(victims, context) {
  const { all: { lock }, notes, memory } = context;
  const word = new Int32Array(memory, lock.byteOffset, 1);
  for (const { number } of victims) {
    const isHeld = () => ownerOf(Atomics.load(word, 0)) === number;
    if (!isNode) {
      await noticed(() => !isHeld(), 'the lock of a worker that has ended is released', context);
    } else if (isHeld()) {
      notes[RIGHT] = notes[LEFT];
      Atomics.store(notes, INSIDE, 0);
      lock.unlock();
    }
  }
  // The wake-up that a thread did not live to pass on goes to the next with the lock.
  if (isNode) lock.tryLock()?.unlock();
  return true;
}

async function withLock({ all: { lock }, random, take, table }, use = () => {}) {
  const visit = async (guard) => {
    table.comeIn(guard.wasAbandoned);
    await (random(2) === 0 ? null : nextTask());
    table.goOut();
    await use(guard);
  };
  if (random(2) === 0) return lock.executeLocked(visit);
  const guard = await take(undefined, (options) => lock.lockAsync(options));
  await visit(guard);
  return guard.unlock();
}

const lockFor = (strict) => ({
  body: 'lock',
  options: { lock: { strict } },
  use: withLock,
  async hold({ all: { lock }, inTime }) {
    const guard = await inTime(lock.lockAsync(), 'the lock, to keep the others out');
    return () => {
      equal(guard.ownsLock, true, 'the page still holds the lock');
      guard.unlock();
    };
  },
  afterDeath: abandoned,
  finish: ({ all: { lock }, inTime }) => inTime(lock.executeLocked(() => {}), 'the lock that all have left'),
});

const sharedLockFor = (strict) => ({
  body: 'sharedLock',
  options: { sharedLock: { strict } },

  /// In vain, if a thread has ended that holds it.
  async use({ all: { sharedLock }, random, table, notes }) {
    const way = random(3);
    const attempt = (promise) => promise.catch((error) => error.name === 'TimeoutError' || Promise.reject(error));
    if (way === 0) {
      await attempt(sharedLock.executeLockedShared(() => notes[LEFT] === notes[RIGHT] || table.note(5), BRIEFLY));
      return;
    }
    const guard = await attempt(way === 1 ? sharedLock.lockAsync(BRIEFLY) : sharedLock.lockUpgradeableAsync(BRIEFLY));
    if (guard === true) return;
    const seen = notes[LEFT];
    const writer = way === 1 ? guard.downgradeToUpgradeable() : await attempt(guard.upgradeAsync(BRIEFLY));
    if (seen !== notes[LEFT] || seen !== notes[RIGHT]) table.note(6);
    (writer === true ? guard : writer).unlock();
  },

  async hold({ all: { sharedLock }, inTime }) {
    const guard = await inTime(sharedLock.lockAsync(), 'the lock, to keep the others out');
    return () => guard.unlock();
  },

  afterDeath(victims, context, wereKeptOut) {
    if (!wereKeptOut) {
      context.mayHold += sumOf(victims.map(({ note }) => Number(note(ASKED) > 0)));
      context.holds += sumOf(victims.map(({ note }) => Number(note(HAS) > 0)));
    }
    return context.mayHold === 0;
  },

  async finish({ all: { sharedLock }, mayHold, holds, inTime }) {
    const attempt = sharedLock.lockAsync(mayHold > 0 ? BRIEFLY : {});
    const guard = await inTime(attempt.catch(() => undefined), 'the lock that all have left');
    if (mayHold === 0 || holds > 0) equal(guard !== undefined, holds === 0, 'whether it can be had');
    guard?.unlock();
  },
});

async function lateDeathsOfSenders(victims, context) {
  const { all: { channel }, memory } = context;
  const words = new Int32Array(memory, channel.byteOffset);
  for (const { number } of victims) {
    const isSending = () => Atomics.load(words, SENDER) === number;
    if (!isNode) await noticed(() => !isSending(), 'a channel is free again when its sender has ended', context);
    else if (isSending()) Atomics.store(words, SENDER, 0);
  }
  return true;
}

export const checks = {
  'the lock': lockFor(false),
  'the strict lock': lockFor(true),
  'the shared lock': sharedLockFor(false),
  'the strict shared lock': sharedLockFor(true),

  'the semaphore': {
    body: 'semaphore',
    options: { semaphore: { permits: PERMITS, maximum: PERMITS } },
    async use({ all: { semaphore }, take, random }) {
      const count = 1 + random(2);
      (await take(undefined, (options) => semaphore.acquireAsync(count, options))).release();
    },
    /// The permits of a thread that ends are lost. Others go on as long as there are some.
    afterDeath(victims, context) {
      context.mayHold += sumOf(victims.map(({ note }) => note(ASKED)));
      context.holds += sumOf(victims.map(({ note }) => note(HAS)));
      return PERMITS - context.mayHold >= 6;  // as many as are lost if two more end, and two
    },
    async finish({ all: { semaphore }, mayHold, holds, inTime }) {
      const lost = PERMITS - semaphore.available;
      equal(lost >= holds && lost <= mayHold, true, `${lost} permits are lost, of ${holds} to ${mayHold}`);
      const waits = semaphore.acquireAsync(PERMITS);
      if (lost > 0) semaphore.release(lost);
      (await inTime(waits, 'all permits')).release();
    },
  },

  'the event': {
    body: 'event',
    async use({ all: { event }, take }) {
      event.set();
      await take(undefined, (options) => event.waitAsync(options));
      await nextTask();
      event.reset();
    },
    feed: ({ all: { event } }) => event.set(),
    afterDeath: () => true,
    finish({ all: { event } }) {
      event.reset();
      equal(event.tryWait(), false);
    },
  },

  'the signal': {
    body: 'signal',
    async use(context) {
      this.feed(context);
      if (await context.all.signal.waitAsync({ timeout: context.random(3) }) === 'ok') Atomics.add(context.notes, TAKEN, 1);
    },
    feed({ all: { signal }, notes }) {
      Atomics.add(notes, SETS, 1);
      signal.set();
    },
    afterDeath: () => true,
    finish({ notes }) {
      equal(notes[TAKEN] <= notes[SETS], true, `${notes[TAKEN]} signals were taken, and ${notes[SETS]} set`);
    },
  },

  'the latch': {
    body: 'latch',
    /// Ends the latch that is used, and begins the next.
    async use(context) {
      if (context.latch && !await this.end(context)) return;
      const { notes, memory, random, alive } = context;
      const generation = notes[GENERATION] + 1;
      const participants = [...alive];
      const latch = latchIn(memory, generation, { count: participants.length + 1 });
      const own = random(2);
      if (own === 0) latch.countDown();
      context.latch = { latch, generation, participants, own, waits: latch.waitAsync() };
      Atomics.store(notes, GENERATION, generation);
      notify(notes, GENERATION);
    },
    feed(context) {
      return this.use(context);
    },
    /// A count for each that has not counted down, and never will.
    async end(context) {
      const { latch, generation, participants, own, waits } = context.latch;
      const { alive, until, inTime } = context;
      if (participants.some((one) => one.isDying)) return false;
      const hasCounted = (one) => !alive.has(one) || one.note(HAS) >= generation;
      await until(() => participants.every(hasCounted), 'all that live have counted down');
      const ended = participants.filter((one) => !alive.has(one));
      let added = 0;
      for (; !latch.tryWait(); ++added) latch.countDown();
      const [least, most] = [ASKED, HAS].map((at) => own + ended.filter((one) => one.note(at) < generation).length);
      equal(added >= least && added <= most, true, `${added} counts were missed, of ${least} to ${most}`);
      equal(await inTime(waits, 'the latch'), 'ok');
      context.latch = undefined;
      return true;
    },
    afterDeath: () => true,
    async finish(context) {
      if (context.latch) await this.end(context);
    },
  },

  'the barrier': {
    body: 'barrier',
    options: { barrier: { participants: WORKERS + 1 } },
    /// A phase. The page arrives for those that are missed.
    async use({ all: { barrier }, alive, until }) {
      let isOver = false;
      barrier.arriveAndWaitAsync().then(() => { isOver = true; });
      await until(() => {
        if (!isOver && alive.size < WORKERS) barrier.arrive();
        return isOver;
      }, 'the phase of the barrier is over');
    },
    feed(context) {
      return this.use(context);
    },
    afterDeath: () => true,
    finish(context) {
      return this.use(context);
    },
  },

  'the condition': {
    body: 'condition',
    /// A thread that has ended may have taken a notification with it, so it notifies all.
    use: (context) => withLock(context, async (guard) => {
      const { all: { condition }, notes, random, table } = context;
      notes[ITEMS] += 2;
      condition.notify();
      if (random(2) === 0) return;
      await condition.waitAsync(guard, { timeout: random(3) });
      table.comeIn(guard.wasAbandoned);
      table.goOut();
    }),
    feed(context) {
      return this.use(context);
    },
    afterDeath: abandoned,
    finish: ({ all: { lock }, inTime }) => inTime(lock.executeLocked(() => {}), 'the lock that all have left'),
  },

  'the channel': {
    body: 'channel',
    options: { channel: { capacity: CAPACITY } },
    /// A message in each direction, if the other threads let it.
    async use(context) {
      const { all: { channel }, random } = context;
      const ignore = (error) => error.name === 'TimeoutError' || Promise.reject(error);
      const message = [0, ++context.sent, textOf(context.sent)];
      if (random(2) === 0) await channel.sendAsync(message, { timeout: random(3) }).catch(ignore);
      else await channel.receiveAsync({ timeout: random(3) }).catch(ignore);
    },
    /// For the role that no worker has.
    feed(context) {
      const { all: { channel }, alive } = context;
      const senders = [...alive].filter((one) => one.isSender).length;
      if (senders === 0) channel.trySend([0, ++context.sent, textOf(context.sent)]);
      if (senders === alive.size) channel.tryReceive();
    },
    afterDeath: lateDeathsOfSenders,
    async finish({ all: { channel }, inTime }) {
      while (channel.tryReceive() !== undefined);
      equal(await inTime(channel.sendAsync('last'), 'the channel that all have left'), 'ok');
      equal((await channel.receiveAsync()).value, 'last');
    },
  },

  'select': {
    body: 'select',
    options: { semaphore: { permits: PERMITS, maximum: PERMITS }, channel: { capacity: CAPACITY } },
    async use(context) {
      const { all, take, table } = context;
      const { lock, semaphore, channel, word } = all;
      const operations = [lock.locking(), semaphore.acquiring(1), channel.receiving(), waiting(word, 0, word[0])];
      const { index, value } = await take(undefined, (options) => selectAsync(operations, options));
      if (index === 1) value.release();
      if (index !== 0) return;
      table.comeIn(value.wasAbandoned);
      table.goOut();
      value.unlock();
    },
    feed(context) {
      const { all: { signal, word, channel } } = context;
      signal.set();
      channel.trySend([0, ++context.sent, textOf(context.sent)]);
      channel.tryReceive();
      Atomics.add(word, 0, 1);
      notify(word, 0);
    },
    async afterDeath(victims, context) {
      context.mayHold += victims.length;
      await lateDeathsOfSenders(victims, context);
      await abandoned(victims, context);
      return context.mayHold < PERMITS - 4;
    },
    async finish(context) {
      const { all: { lock, semaphore }, inTime, mayHold } = context;
      await inTime(lock.executeLocked(() => {}), 'the lock that all have left');
      equal(PERMITS - semaphore.available <= mayHold, true, 'permits are lost');
    },
  },

  'a word': {
    body: 'word',
    use({ all: { word }, take }) {
      const seen = word[0];
      const waits = take(undefined, (options) => waitAsync(word, 0, seen, options).value);
      this.feed({ all: { word } });
      return waits;
    },
    feed({ all: { word } }) {
      Atomics.add(word, 0, 1);
      notify(word, 0);
    },
    afterDeath: () => true,
    finish: () => {},
  },
};
