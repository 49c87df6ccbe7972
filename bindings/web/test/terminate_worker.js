// SPDX-License-Identifier: MIT
// A worker of terminate_suite.js: uses one primitive for ever, in all ways to wait, until it is terminated.

import { AsyncLock, select, selectAsync, wait, waitAsync, waiting, whenSelectable, whenWatched } from '../index.js';
import { isNode, nextTask } from './harness.js';
import {
  ASKED, EXCLUSIVE, GENERATION, HAS, ITEMS, LEFT, makeRandom, makeTable, makeTake, MOVES, notesIn, notesOf, PERMITS,
  primitivesIn, RIGHT, SETS, SHARED, TAKEN, textOf, UPGRADEABLE, USERS, WAY, latchIn,
} from './terminate_places.js';

const { parentPort } = isNode ? await import('node:worker_threads') : {};
const send = isNode ? (message) => parentPort.postMessage(message) : (message) => postMessage(message);

/// What it does again and again. If it `isStubborn` it never returns to its event loop, so it only blocks.
function bodiesOf({ memory, slot, seed, isStubborn, isSender, generation }) {
  const notes = notesIn(memory);
  const mine = notesOf(slot);
  const { lock, condition, sharedLock, semaphore, event, signal, barrier, channel, word } = primitivesIn(memory);
  const random = makeRandom(seed);
  const take = makeTake(random, true, !isStubborn, (way) => Atomics.store(notes, mine + WAY, way));
  const { comeIn, goOut, note } = makeTable(notes, slot + 1);
  const ask = (what) => Atomics.store(notes, mine + ASKED, what);
  const have = (what) => Atomics.store(notes, mine + HAS, what);
  const last = new Map();
  let sent = 0;
  let latched = generation;

  function visit(guard) {
    comeIn(guard.wasAbandoned);
    goOut();
  }

  function write() {
    notes[LEFT] += 1;
    Atomics.load(notes, LEFT);
    notes[RIGHT] += 1;
  }

  /// Messages of one sender come in their order, and whole.
  function check({ value: [sender, number, text] }) {
    if (number <= (last.get(sender) ?? -1) || text !== textOf(number)) note(8);
    last.set(sender, number);
  }

  const nextMessage = () => [seed, ++sent, textOf(sent)];

  const takeLock = () => take((options) => lock.lock(options), (options) => lock.lockAsync(options));

  const bodies = {
    async lock() {
      const way = isStubborn ? 0 : random(5);
      if (way === 4) {
        await Promise.all([0, 1, 2].map(async () => {
          const guard = await lock.lockAsync();
          visit(guard);
          guard.unlock();
        }));
      } else if (way === 3) {
        await lock.executeLocked(async (guard) => {
          comeIn(guard.wasAbandoned);
          await (random(2) === 0 ? null : nextTask());
          goOut();
        });
      } else {
        const guard = (way === 2 && lock.tryLock()) || await takeLock();
        visit(guard);
        guard.unlock();
      }
    },

    async condition() {
      const guard = await takeLock();
      visit(guard);
      if (random(2) === 0) {
        ++notes[ITEMS];
        condition.notify(...(random(2) === 0 ? [1] : []));
      } else {
        for (; notes[ITEMS] === 0; visit(guard))
          await take((options) => condition.wait(guard, options), (options) => condition.waitAsync(guard, options));
        --notes[ITEMS];
      }
      guard.unlock();
    },

    async sharedLock() {
      const mode = [SHARED, SHARED, EXCLUSIVE, UPGRADEABLE][random(4)];
      const verb = { [SHARED]: 'lockShared', [EXCLUSIVE]: 'lock', [UPGRADEABLE]: 'lockUpgradeable' }[mode];
      ask(mode === SHARED ? SHARED : EXCLUSIVE);
      let guard = await take((options) => sharedLock[verb](options), (options) => sharedLock[`${verb}Async`](options));
      have(mode);
      const seen = notes[LEFT];
      if (seen !== notes[RIGHT]) note(5);
      if (mode === UPGRADEABLE && random(3) > 0) {
        const reader = guard;
        guard = await take((options) => reader.upgrade(options), (options) => reader.upgradeAsync(options));
        have(EXCLUSIVE);
        if (seen !== notes[LEFT] || seen !== notes[RIGHT]) note(6);
      }
      if (!guard.isShared && !guard.isUpgradeable) {
        write();
        have(SHARED);
        if (random(3) === 0) guard = random(2) === 0 ? guard.downgrade() : guard.downgradeToUpgradeable();
      }
      have(0);
      guard.unlock();
      ask(0);
    },

    async semaphore() {
      const count = 1 + random(2);
      ask(count);
      const block = (options) => semaphore.acquire(count, options);
      const permits = await take(block, (options) => semaphore.acquireAsync(count, options));
      have(count);
      if (Atomics.add(notes, USERS, count) + count > PERMITS) note(7);
      Atomics.sub(notes, USERS, count);
      have(0);
      permits.release();
      ask(0);
    },

    async event() {
      if (random(3) === 0) event.set();
      await take((options) => event.wait(options), (options) => event.waitAsync(options));
    },

    async signal() {
      await take((options) => signal.wait(options), (options) => signal.waitAsync(options));
      Atomics.add(notes, TAKEN, 1);
      if (random(2) === 0) return;
      Atomics.add(notes, SETS, 1);
      signal.set();
    },

    /// Counts each latch down once, the next when the generation is that of the next.
    async latch() {
      if (isStubborn) wait(notes, GENERATION, latched);
      else await waitAsync(notes, GENERATION, latched).value;
      latched = Atomics.load(notes, GENERATION);
      const latch = latchIn(memory, latched);
      ask(latched);
      const now = { timeout: 0 };
      if (random(2) === 0) await (isStubborn ? latch.arriveAndWait(1, now) : latch.arriveAndWaitAsync(1, now));
      else latch.countDown();
      have(latched);
      await take((options) => latch.wait(options), (options) => latch.waitAsync(options));
    },

    barrier: () => take((options) => barrier.arriveAndWait(options), (options) => barrier.arriveAndWaitAsync(options)),

    async channel() {
      if (isSender) {
        const message = nextMessage();
        await take((options) => channel.send(message, options), (options) => channel.sendAsync(message, options));
      } else {
        check(await take((options) => channel.receive(options), (options) => channel.receiveAsync(options)));
      }
    },

    async select() {
      const operations = [lock.locking(), semaphore.acquiring(1), signal.waiting(), channel.receiving(),
        channel.sending(nextMessage()), waiting(word, 0, Atomics.load(word, 0))];
      const finish = [(guard) => {
        visit(guard);
        guard.unlock();
      }, (permits) => permits.release(), () => Atomics.add(notes, TAKEN, 1), check, () => {}, () => {}];
      const chosen = operations.map((_, i) => i).filter(() => random(2) === 0);
      if (chosen.length === 0) chosen.push(0);
      const list = chosen.map((i) => operations[i]);
      ask(1);
      const { index, value } = await take((options) => select(list, options), (options) => selectAsync(list, options));
      finish[chosen[index]](value);
      ask(0);
    },

    async word() {
      const seen = Atomics.load(word, 0);
      await take((options) => wait(word, 0, seen, options), (options) => waitAsync(word, 0, seen, options).value);
    },
  };
  return { bodies, notes, mine, random };
}

async function begin(task) {
  const { name, isStubborn, lifeline } = task;
  await whenWatched();
  // The page has this Web Lock when this worker has ended.
  if (lifeline) await new Promise((resolve) => { navigator.locks.request(lifeline, () => new Promise(() => resolve())); });
  if (name === 'select') await whenSelectable();
  // Its number is in the word of a lock that it holds.
  const held = new SharedArrayBuffer(4);
  new AsyncLock(held).lock();
  const { bodies, notes, mine, random } = bodiesOf(task);
  send({ number: new Int32Array(held)[0] >> 17 & 8191 });
  while (true) {
    await bodies[name]();
    Atomics.add(notes, mine + MOVES, 1);
    if (!isStubborn && random(4) === 0) await nextTask();
  }
}

const receive = (task) => begin(task).catch((error) => send({ error: error?.stack ?? String(error) }));
if (isNode) parentPort.on('message', receive);
else onmessage = ({ data }) => receive(data);
