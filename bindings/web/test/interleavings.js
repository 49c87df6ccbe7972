// SPDX-License-Identifier: MIT
// The waiters of SharedLock, Semaphore and AutoResetEvent in one thread that plays several: before each access to a word another one may
// run. Each schedule is drawn by its number: interleavings.js [NAME], and SCHEDULES=n or FIRST=n in the environment.
//
// What is played besides: waiters that are given up, threads that end at any point but while they hold something, or in an upgrade, and time. A schedule fails
// if all that live sleep for ever although they are not done, if two exclude each other and do not, and if it does not end.

import { equal, runAll, test } from './harness.js';

const SCHEDULES = Number(process.env.SCHEDULES ?? 3000);
const FIRST = Number(process.env.FIRST ?? 1);
const ROUNDS = 6;
const MOST_STEPS = 20_000;
const LOOK = 1000;  // milliseconds until a waiter looks that none wakes; here it sleeps for ever, to find lost wake-ups

let seed;
const random = () => (seed = seed * 48271 % 2147483647) / 2147483647;
const oneOf = (list) => list[Math.floor(random() * list.length)];

let time;
let actors = [];
let depth = 0;

/// Another thread may run now.
function preempt() {
  if (depth >= 4 || actors.length === 0 || random() > 0.3) return;
  const ready = actors.filter((actor) => actor.isReady());
  if (ready.length > 0) oneOf(ready).step();
}

const { load, compareExchange, store } = Atomics;
Atomics.load = (words, index) => (preempt(), load(words, index));
Atomics.compareExchange = (words, index, from, to) => (preempt(), compareExchange(words, index, from, to));
Atomics.store = (words, index, value) => (preempt(), store(words, index, value));
Atomics.notify = () => {
  preempt();
  for (const actor of actors) actor.wakesAt = undefined;
  return 0;
};
performance.now = () => time;
Date.now = () => Math.floor(time);

const { FIRST: FIRST_OF_ALL } = await import('../src/claim_word.js');
const { give, makeWaiter: makeClaimant, tryTake } = await import('../src/claims.js');
const { taking } = await import('../src/semaphore.js');
const { turning } = await import('../src/shared_lock.js');
const { EXCLUSIVE, SHARED, UPGRADEABLE } = await import('../src/shared_lock_word.js');
const { makeWaiter: makeSignalled } = await import('../src/auto_reset_event.js');
const { AutoResetEvent, Semaphore } = await import('../index.js');

const lockTaking = (mode) => turning(0, mode);
const upgrade = turning(UPGRADEABLE, EXCLUSIVE);
const makeUpgrade = (words) => makeClaimant(words, upgrade, true, undefined, FIRST_OF_ALL);

/// A thread that waits, holds and releases, ROUNDS times. `wakesAt` is undefined while it is awake.
class Actor {
  wakesAt;
  isDead = false;
  #rounds = ROUNDS;
  #isRunning = false;
  #waiter;
  #release;

  /// `begin` gives a waiter, and `hold`, which is called when that is served and gives what releases it, the last step undefined. What releases
  /// may also give a waiter for more, with `keep` to release what is held if that is given up.
  constructor(words, begin, mayDie, mayGiveUp) {
    this.words = words;
    this.begin = begin;
    this.mayDie = mayDie;
    this.mayGiveUp = mayGiveUp;
  }

  isDone = () => this.isDead || this.#rounds === 0;
  isReady = () => !this.isDone() && !this.#isRunning && this.wakesAt === undefined;

  step() {
    this.#isRunning = true;
    ++depth;
    this.#run();
    --depth;
    this.#isRunning = false;
  }

  /// Its time-out comes, or its end.
  disturb() {
    if (this.isDone() || this.#isRunning || this.#waiter === undefined || this.#release !== undefined) return;
    const { keep, mayEnd = keep === undefined } = this.#waiter;
    if (this.mayDie && mayEnd && random() < 0.3) {
      this.isDead = true;
      return;
    }
    if (!this.mayGiveUp) return;
    this.#isRunning = true;
    this.#waiter.leave();
    this.#isRunning = false;
    this.#waiter = this.wakesAt = undefined;
    this.#proceed(keep);
  }

  /// To release, to wait for more, or to the next round.
  #proceed(next) {
    this.#release = this.#waiter = undefined;
    if (next === undefined) --this.#rounds;
    else if (next.look === undefined) this.#release = next;
    else this.#waiter = next;
  }

  #run() {
    if (this.#release !== undefined) return this.#proceed(this.#release());
    this.#waiter ??= this.begin();
    const step = this.#waiter.look();
    if (step === undefined) {
      const { hold } = this.#waiter;
      this.#waiter = undefined;
      return this.#proceed(hold());
    }
    preempt();
    const [value, limit] = step;
    // As the engine compares and queues.
    if (load(this.words, 0) === value) this.wakesAt = limit === LOOK ? Infinity : time + limit;
    return undefined;
  }
}

/// Plays until all are done; `whenIdle` may do something if all sleep, and says whether it has.
function play(whenIdle = () => false) {
  for (let steps = 0; actors.some((actor) => !actor.isDone()); ++steps) {
    if (steps > MOST_STEPS) throw new Error('does not end');
    time += random() < 0.02 ? random() * 200 : random() * 0.5;
    if (random() < 0.2) oneOf(actors).disturb();
    for (const actor of actors) if (actor.wakesAt <= time) actor.wakesAt = undefined;
    const ready = actors.filter((actor) => actor.isReady());
    if (ready.length > 0) {
      oneOf(ready).step();
    } else if (!whenIdle()) {
      const alarms = actors.filter((actor) => !actor.isDone()).map((actor) => actor.wakesAt);
      if (alarms.length === 0) return;
      time = Math.min(...alarms);
      if (time === Infinity) throw new Error('all sleep for ever');
    }
  }
}

function schedules(name, run) {
  test(name, () => {
    for (let number = FIRST; number < FIRST + SCHEDULES; ++number) {
      seed = 1 + number * 7919 % 2147483646;
      for (let i = 0; i < 5; ++i) random();
      time = 1e6 + random() * 1e7;
      actors = [];
      depth = 0;
      try {
        run();
      } catch (error) {
        throw new Error(`schedule ${number}: ${error.message}`);
      }
    }
    actors = [];
  });
}

const makeWords = (size) => new Int32Array(new SharedArrayBuffer(size));
const addActors = (count, words, begin) => {
  const mayGiveUp = random() < 0.5;
  actors = Array.from({ length: count }, (_, i) => new Actor(words, () => begin(i), i % 2 === 0, mayGiveUp));
};

/// A lock, and a function that gives a waiter to hold it in a mode; holds are checked to exclude each other. `mayEnd`: whether a thread may end
/// while its upgrade waits.
function makeLock(mayEnd = false) {
  const words = makeWords(8);
  const isStrict = random() < 0.5;
  const held = { [SHARED]: 0, [UPGRADEABLE]: 0, [EXCLUSIVE]: 0 };
  let changes = 0;  // by those that hold it exclusively
  const holds = (mode) => {
    ++held[mode];
    const isRight = held[EXCLUSIVE] ? held[EXCLUSIVE] + held[UPGRADEABLE] + held[SHARED] === 1 : held[UPGRADEABLE] <= 1;
    equal(isRight, true, `held ${JSON.stringify(held)}`);
    if (mode === EXCLUSIVE) ++changes;
    return steps[mode];
  };
  const leave = (mode, kept = 0) => {
    --held[mode];
    if (kept) ++held[kept];
    equal(give(words, turning(mode, kept)), true, 'none is in the way');
    return kept ? steps[kept] : undefined;
  };
  const upgraded = (seen) => {
    equal(changes, seen, 'changes while it was held upgradeable');
    --held[UPGRADEABLE];
    return holds(EXCLUSIVE);
  };
  const steps = {
    [SHARED]: () => leave(SHARED),
    [UPGRADEABLE]() {
      const seen = changes;
      const way = random();
      if (way < 0.2) return leave(UPGRADEABLE);
      if (way < 0.4) return leave(UPGRADEABLE, SHARED);
      if (way < 0.5) return give(words, upgrade) ? upgraded(seen) : steps[UPGRADEABLE];
      return { ...makeUpgrade(words), hold: () => upgraded(seen), keep: () => leave(UPGRADEABLE), mayEnd };
    },
    [EXCLUSIVE]() {
      const way = random();
      return leave(EXCLUSIVE, way < 0.6 ? 0 : way < 0.8 ? SHARED : UPGRADEABLE);
    },
  };
  const begin = (mode) => {
    const take = lockTaking(mode);
    const hold = () => holds(mode);
    if (random() < 0.2 && tryTake(words, take)) return { look() {}, leave() {}, hold };
    return { ...makeClaimant(words, take, isStrict), hold };
  };
  return { words, begin, held };
}

schedules('HoldersOfEachScheduleExcludeAndEnd', () => {
  const { words, begin } = makeLock();
  addActors(2 + Math.floor(random() * 4), words, () => {
    const way = random();
    return begin(way < 0.5 ? SHARED : way < 0.75 ? UPGRADEABLE : EXCLUSIVE);
  });
  play();
  equal(load(words, 0) & 0x7fffffff, 0, 'what is held at the end');
});

// What it holds stays held, upgradeable.
schedules('ReadersOfEachScheduleGoOnIfAThreadEndsInItsUpgrade', () => {
  const { words, begin, held } = makeLock(true);
  addActors(2 + Math.floor(random() * 4), words, (i) => begin(i === 0 ? UPGRADEABLE : SHARED));
  play();
  equal(load(words, 0) & 0x7fffffff, held[UPGRADEABLE] * UPGRADEABLE, 'what is held at the end');
});

// Else each would wait for the other.
schedules('AnUpgradeOfEachScheduleIsBeforeAllThatWait', () => {
  const words = makeWords(8);
  equal(tryTake(words, lockTaking(UPGRADEABLE)) && tryTake(words, lockTaking(SHARED)), true);
  const reader = makeClaimant(words, lockTaking(SHARED), true);
  time += random() * 3.6e6;  // an hour
  const writer = makeClaimant(words, lockTaking(EXCLUSIVE), true);
  equal(writer.look()[1], LOOK, 'the writer sleeps');
  time += random() * 1000;
  const upgrading = makeUpgrade(words);
  equal(upgrading.look()[1], LOOK, 'the upgrade sleeps');
  equal(writer.look()[1], LOOK, 'the writer sleeps on');
  equal(reader.look()[1] < LOOK, true, 'the reader, which came first, sleeps until the deadline');
  equal(upgrading.look()[1], LOOK, 'the upgrade sleeps on');
  equal(tryTake(words, lockTaking(SHARED)), false, 'another reader');
  give(words, turning(SHARED, 0));
  if (random() < 0.5) {
    store(words, 1, 0);  // the upgrade was late, and the writer claims
    writer.look();
  }
  equal(upgrading.look(), undefined, 'upgraded');
  for (const one of [reader, writer]) one.leave();
  equal(load(words, 0) & 0x7fffffff, EXCLUSIVE);
});

schedules('PermitsOfEachScheduleAreConservedAndAcquired', () => {
  const semaphore = new Semaphore(new SharedArrayBuffer(16), 0, { permits: 3 });
  const words = new Int32Array(semaphore.buffer);
  const isStrict = random() < 0.5;
  let used = 0;
  addActors(2 + Math.floor(random() * 4), words, () => {
    const count = 1 + Math.floor(random() * 3);
    return {
      ...makeClaimant(words, taking(count), isStrict),
      hold() {
        used += count;
        equal(used <= 3, true, `${used} permits`);
        return () => {
          used -= count;
          semaphore.release(count);
        };
      },
    };
  });
  play();
  equal(semaphore.available, 3);
});

schedules('EachSignalOfAScheduleReleasesAWaiter', () => {
  const event = new AutoResetEvent(new SharedArrayBuffer(4));
  const words = new Int32Array(event.buffer);
  const signal = { look: () => void event.set(), leave() {}, hold() {} };
  addActors(2 + Math.floor(random() * 4), words, (i) => (i % 3 === 2 ? signal : { ...makeSignalled(words), hold() {} }));
  // Once all sleep, as many signals as living waiters have to release all of them.
  play(() => {
    const asleep = actors.filter((actor) => !actor.isDone());
    if (asleep.length > 0) equal(event.isSet, false, 'a signal, while all that live sleep');
    for (const actor of asleep) if (actor.wakesAt !== undefined) event.set();
    return asleep.length > 0;
  });
});

process.exitCode = await runAll(console.log, process.argv[2] ?? '') === 0 ? 0 : 1;
