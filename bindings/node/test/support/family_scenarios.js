// SPDX-License-Identifier: MIT
'use strict';

// What a thread of JavaScript does in each scenario of both_languages.test.js; addon/family_scenarios.hpp is the same in C++.

const { notify, select, selectAsync, waitAsync } = require('../..');
const {
  primitivesIn, COUNT, INSIDE, FAILED, FIRST, SECOND, ITEMS, PUT, TAKEN, CHOSEN, NEXT, READY, ORDER,
} = require('./family_memory');

/// A time-out and an abort: both give up. Any other error is one.
function givenUp(error) {
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return undefined;
  throw error;
}

const isDone = (result) => ![undefined, false, 'timed-out', 'full'].includes(result);

/// Two ways to wait. Each attempt is, in turn, without options, with a short time-out, a try, and one that cannot wait for
/// long: it is aborted soon, or its time-out is zero.
class Way {
  #attempts = 0;
  #isBlocking;

  constructor(isBlocking) {
    this.#isBlocking = isBlocking;
  }

  /// Calls lock.lock or lock.lockAsync, and so on, once.
  async once(primitive, verb, ...args) {
    if (!this.#isBlocking) return primitive[`${verb}Async`](...args);
    return primitive[verb](...args);
  }

  options() {
    const kind = this.#attempts++ % 3;
    if (kind === 0) return {};
    if (kind === 1) return { timeout: 0.02 };
    if (this.#isBlocking) return { timeout: 0 };
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    return { signal: controller.signal };
  }

  /// Attempts until one is done.
  async untilDone(primitive, verb, ...args) {
    const tries = `try${verb[0].toUpperCase()}${verb.slice(1)}`;
    while (true) {
      const result = this.#attempts % 4 === 3 ? primitive[tries](...args) :
        await this.once(primitive, verb, ...args, this.options()).catch(givenUp);
      if (isDone(result)) return result;
      ++this.#attempts;
    }
  }

  async select(operations) {
    return this.#isBlocking ? select(operations, this.options()) : selectAsync(operations, this.options());
  }
}

/// One thread's part. `primitives` are of `primitivesIn`.
class Run {
  constructor(words, isBlocking, id, participants, rounds) {
    this.words = words;
    this.primitives = primitivesIn(words, { isMade: true });
    this.way = new Way(isBlocking);
    this.id = id;
    this.participants = participants;
    this.rounds = rounds;
  }

  /// Waits until all others are there.
  async begin() {
    Atomics.add(this.words, READY, 1);
    notify(this.words, READY);
    for (let there = Atomics.load(this.words, READY); there < this.participants; there = Atomics.load(this.words, READY))
      await waitAsync(this.words, READY, there).value;
  }

  expect(holds) {
    if (!holds) Atomics.add(this.words, FAILED, 1);
  }

  /// One owner at a time counts.
  countAlone(counter = COUNT) {
    this.expect(Atomics.exchange(this.words, INSIDE, 1) === 0);
    this.words[counter] = this.words[counter] + 1;
    Atomics.store(this.words, INSIDE, 0);
  }

  /// Notes that the thread has been served.
  note() {
    Atomics.store(this.words, ORDER + Atomics.add(this.words, COUNT, 1), this.id);
    Atomics.add(this.words, NEXT, 1);
    notify(this.words, NEXT);
  }
}

const scenarios = {
  async lock(run, { lock }) {
    for (let i = 0; i < run.rounds; ++i) {
      const guard = await run.way.untilDone(lock, 'lock');
      run.countAlone();
      guard.unlock();
    }
  },

  async sharedLock(run, { sharedLock }) {
    const read = () => run.expect(run.words[FIRST] === run.words[SECOND]);
    const upgraded = async () => {
      const reader = await run.way.untilDone(sharedLock, 'lockUpgradeable');
      read();
      const seen = run.words[FIRST];
      const writer = await run.way.untilDone(reader, 'upgrade');
      run.expect(seen === run.words[FIRST] && !reader.ownsLock);
      return writer;
    };
    for (let i = 0; i < run.rounds; ++i) {
      if (i % 3 !== 0) {
        const reader = await run.way.untilDone(sharedLock, 'lockShared');
        read();
        reader.unlock();
        continue;
      }
      const writer = i % 4 === 0 ? await upgraded() : await run.way.untilDone(sharedLock, 'lock');
      run.words[FIRST] = run.words[FIRST] + 1;
      run.countAlone(SECOND);
      if (i % 8 === 0) {
        const again = writer.downgradeToUpgradeable();
        read();
        again.downgrade().unlock();
        continue;
      }
      if (i % 2 !== 0) {
        writer.unlock();
        continue;
      }
      const reader = writer.downgrade();
      read();
      reader.unlock();
    }
  },

  async semaphore(run, { semaphore }) {
    for (let i = 0; i < run.rounds; ++i) {
      const n = 1 + i % 2;
      const permits = await run.way.untilDone(semaphore, 'acquire', n);
      run.expect(Atomics.add(run.words, INSIDE, n) + n <= 3);
      Atomics.add(run.words, COUNT, n);
      Atomics.sub(run.words, INSIDE, n);
      permits.release();
    }
  },

  async event(run, { events }) {
    for (let i = 0; i < run.rounds; ++i) {
      await run.way.untilDone(events[i % 2], 'wait');
      const passed = Atomics.add(run.words, COUNT, 1) + 1;
      run.expect(passed > i * run.participants && passed <= (i + 1) * run.participants);
      if (passed !== (i + 1) * run.participants) continue;
      events[i % 2].reset();
      events[(i + 1) % 2].set();
    }
  },

  async signal(run, { signal }) {
    for (let i = 0; i < run.rounds; ++i) {
      await run.way.untilDone(signal, 'wait');
      run.countAlone();
      signal.set();
    }
  },

  async latch(run, { latchOf }) {
    for (let i = 0; i < run.rounds; ++i) {
      const latch = latchOf(i);
      Atomics.add(run.words, COUNT, 1);
      if (i % 2 === 0) {
        await run.way.once(latch, 'arriveAndWait');
      } else {
        latch.countDown();
        await run.way.untilDone(latch, 'wait');
      }
      run.expect(Atomics.load(run.words, COUNT) >= (i + 1) * run.participants);
    }
  },

  async barrier(run, { barrier }) {
    for (let i = 0; i < run.rounds; ++i) {
      Atomics.add(run.words, COUNT, 1);
      await run.way.once(barrier, 'arriveAndWait');
      const arrived = Atomics.load(run.words, COUNT);
      run.expect(arrived >= (i + 1) * run.participants && arrived < (i + 2) * run.participants);
    }
    barrier.arriveAndDrop();
  },

  async condition(run, { lock, condition: notEmpty, otherCondition: notFull }) {
    const { words } = run;
    for (let i = 0; i < run.rounds; ++i) {
      for (const puts of [true, false]) {
        const guard = await run.way.untilDone(lock, 'lock');
        while (words[ITEMS] === (puts ? 2 : 0)) {
          await run.way.once(puts ? notFull : notEmpty, 'wait', guard, run.way.options()).catch(givenUp);
          run.expect(guard.ownsLock);
        }
        words[ITEMS] = words[ITEMS] + (puts ? 1 : -1);
        words[puts ? PUT : TAKEN] = words[puts ? PUT : TAKEN] + 1;
        run.expect(words[ITEMS] >= 0 && words[ITEMS] <= 2);
        (puts ? notEmpty : notFull).notify(1);
        guard.unlock();
      }
    }
  },

  async channel(run, { channel, events }) {
    const last = new Array(run.participants).fill(-1);
    for (let i = 0; i < run.rounds; ++i) {
      run.expect(await run.way.untilDone(channel, 'send', new Uint8Array(new Int32Array([run.id, i]).buffer)) === 'ok');
      const { value } = await run.way.untilDone(channel, 'receive');
      const [sender, number] = new Int32Array(value.buffer);
      run.expect(number > last[sender]);
      last[sender] = number;
      Atomics.add(run.words, PUT, i);
      Atomics.add(run.words, TAKEN, number);
    }
    if (Atomics.add(run.words, COUNT, 1) + 1 === run.participants) {
      channel.close();
      events[0].set();
    }
    await run.way.once(events[0], 'wait');
    run.expect((await run.way.once(channel, 'receive')).done);
  },

  async select(run, { lock, semaphore, signal, channel }) {
    const operations = [lock.locking(), semaphore.acquiring(1), signal.waiting(), channel.receiving()];
    const finish = [
      (guard) => guard.unlock(),
      (permit) => permit.release(),
      () => signal.set(),
      ({ value }) => run.expect(channel.trySend(value) === 'ok'),
    ];
    for (let i = 0; i < run.rounds; ) {
      const chosen = await run.way.select(operations).catch(givenUp);
      if (chosen === undefined || chosen.index < 0) continue;
      const { index, value } = chosen;
      run.expect(Atomics.exchange(run.words, ORDER + index, 1) === 0);
      run.words[CHOSEN + index] = run.words[CHOSEN + index] + 1;
      Atomics.store(run.words, ORDER + index, 0);
      finish[index](value);
      ++i;
    }
  },

  async lockInOrder(run, { lock }) {
    const guard = await run.way.once(lock, 'lock');
    run.note();
    guard.unlock();
  },

  async sharedLockInOrder(run, { sharedLock }) {
    const writer = await run.way.once(sharedLock, 'lock');
    run.note();
    writer.unlock();
  },

  async semaphoreInOrder(run, { semaphore }) {
    const permit = await run.way.once(semaphore, 'acquire', 1);
    run.note();
    permit.release();
  },

  async signalInOrder(run, { signal }) {
    await run.way.once(signal, 'wait');
    run.note();
  },

  async conditionInOrder(run, { lock, condition }) {
    const guard = await run.way.once(lock, 'lock');
    await run.way.once(condition, 'wait', guard);
    run.note();
    guard.unlock();
  },
};

/// Plays one thread's part, which ends when it has done all its rounds.
async function play(words, name, isBlocking, id, participants, rounds) {
  const run = new Run(words, isBlocking, id, participants, rounds);
  if (rounds > 1) await run.begin();
  await scenarios[name](run, run.primitives);
}

module.exports = { play };
