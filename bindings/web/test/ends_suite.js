// SPDX-License-Identifier: MIT
// Threads that end while they hold a lock or wait for it: workers, frames and windows. For pages with Web Locks.

import { AsyncLock, Channel, notify, toShared, whenWatched } from '../index.js';
import { equal, startActor, test } from './harness.js';

export { runAll } from './harness.js';

const both = [false, true];
const NOTICE = 1000;   // milliseconds in which the end of a thread is noticed
const LATE = 2500;     // milliseconds that terminate() takes in Chromium while the worker blocks

const makeBuffer = () => new SharedArrayBuffer(64);
const isHeld = (buffer) => (Atomics.load(new Int32Array(buffer), 0) & 1) === 1;
const hasWaiters = (buffer) => (Atomics.load(new Int32Array(buffer), 0) & 2) === 2;
const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

async function until(isSo, what) {
  for (let polls = 0; !isSo(); ++polls, await pause(5)) if (polls === 2000) throw new Error(`never: ${what}`);
}

/// A page in a frame, or in a window of its own.
async function openFrame(isWindow) {
  const url = new URL('./frame.html', import.meta.url).href;
  let frame;
  let page;
  if (isWindow) {
    page = open(url, '_blank', 'popup');
  } else {
    frame = document.createElement('iframe');
    frame.src = url;
    document.body.append(frame);
    page = frame.contentWindow;
  }
  await until(() => page.isReady !== undefined, 'the frame is ready');
  equal(await page.isReady, true, 'the frame is watched');
  return {
    page,
    /// A window is left some time after it was told to close.
    end() {
      const left = new Promise((resolve) => { page.addEventListener('pagehide', resolve); });
      if (isWindow) page.close();
      else frame.remove();
      return left;
    },
  };
}

test('EachThreadIsWatched', async () => {
  equal(await whenWatched(), true);
  const actor = await startActor();
  equal(await actor.run('isWatched'), true);
  actor.end();
});

for (const [how, end, limit] of [
  ['IsTerminated', (actor) => actor.end(), LATE + NOTICE],
  ['ClosesItself', (actor, buffer) => {
    Atomics.store(new Int32Array(buffer), 15, 1);
    notify(new Int32Array(buffer), 15);
  }, NOTICE],
]) {
  test(`ALockOfAWorkerThat${how}IsAbandoned`, async () => {
    for (const strict of both) {
      const buffer = makeBuffer();
      const lock = new AsyncLock(buffer, 0, { strict });
      const [owner, other] = [await startActor(), await startActor()];
      owner.run('holdUntilTheEnd', buffer).catch(() => {});
      await owner.told('held');
      const abandoned = other.run('lockAbandoned', buffer);
      await other.told('waits');
      await until(() => hasWaiters(buffer), 'a worker is queued');
      const here = lock.executeLocked((guard) => guard.wasAbandoned);
      const began = performance.now();
      end(owner, buffer);
      // If the worker is late for its offer, this thread is first. The first is told, and the other is not.
      const found = (await Promise.all([abandoned, here])).join('; ');
      const took = performance.now() - began;
      equal(found === 'true, true; false' || found === 'false, false; true', true, found);
      equal(took <= limit, true, `${took} ms`);
      other.end();
    }
  });
}

test('APromiseIsNotLeftBehindByAWorkerThatTakesItsOfferBackAndEnds', async () => {
  const buffer = makeBuffer();
  const words = new Int32Array(buffer);
  const lock = new AsyncLock(buffer, 0, { strict: true });
  const owner = await startActor({ stopsAtNotify: true });
  owner.run('takeBackAndStop', buffer).catch(() => {});
  await owner.told('held');
  Atomics.or(words, 0, 2);  // as a waiter does that gives up before it is queued
  const set = (index) => {
    Atomics.store(words, index, 1);
    notify(words, index);
  };
  set(15);
  await owner.told('offers');
  const taken = lock.lockAsync();
  set(14);
  // Unless the offer has expired first.
  await Promise.race([owner.told('stops'), taken]);
  owner.end();
  (await taken).unlock();
});

test('AnAbandonmentStaysUntilAnOwnerHasLookedAtIt', async () => {
  for (const strict of both) {
    const buffer = makeBuffer();
    const lock = new AsyncLock(buffer, 0, { strict });
    const { page, end } = await openFrame(false);
    equal(new page.AsyncLock(buffer).tryLock() !== undefined, true);
    end();
    await until(() => !isHeld(buffer), 'it is released');
    equal(lock.wasAbandoned, false, 'no owner');
    const unread = await lock.lockAsync();
    unread.unlock();
    equal(unread.wasAbandoned, false, 'not the owner any more');
    equal(lock.tryLock() !== undefined, true);
    lock.unlock();
    await lock.executeLocked((guard) => {
      equal(guard.wasAbandoned, true, 'of the callback');
      equal(guard.wasAbandoned, true, 'looked at once more');
      equal(guard.ownsLock, true);
    });
    equal(await lock.executeLocked((guard) => guard.wasAbandoned), false, 'the next');
    equal(lock.tryLock() !== undefined, true);
    equal(lock.wasAbandoned, false);
    lock.unlock();
    equal(Atomics.load(new Int32Array(buffer), 0), strict ? 4 : 0, 'the word');
  }
});

for (const isWindow of both) {
  const name = isWindow ? 'AClosedWindow' : 'ARemovedFrame';

  test(`TheWaitsOf${name}EndWithIt`, async () => {
    for (const strict of both) {
      const buffer = makeBuffer();
      const lock = new AsyncLock(buffer, 0, { strict });
      const guard = await lock.lockAsync();
      const { page, end } = await openFrame(isWindow);
      const inFrame = new page.AsyncLock(buffer);
      let taken = 0;
      for (let i = 0; i < 3; ++i) inFrame.lockAsync().then(() => ++taken, () => {});
      inFrame.executeLocked(() => new Promise(() => { ++taken; })).catch(() => {});
      const other = await startActor();
      const behind = other.run('lockAbandoned', buffer);
      await other.told('waits');
      await end();
      const began = performance.now();
      guard.unlock();
      equal(await behind, 'false, false');
      (await lock.lockAsync()).unlock();
      const took = performance.now() - began;
      equal(took <= NOTICE, true, `${took} ms`);
      equal(taken, 0, 'taken by what is gone');
      other.end();
    }
  });

  test(`${name}TakesNoLock`, async () => {
    const buffer = makeBuffer();
    const { page, end } = await openFrame(isWindow);
    const inFrame = new page.AsyncLock(buffer);
    await end();
    equal(inFrame.tryLock(), undefined);
    inFrame.lockAsync().catch(() => {});
    equal(isHeld(buffer), false);
  });
}

test('AChannelIsFreeAgainWhenAThreadHasEndedThatWasSending', async () => {
  const channel = new Channel(new SharedArrayBuffer(Channel.byteLengthFor(64)), 0, { capacity: 64 });
  const actor = await startActor();
  equal(await actor.run('isWatched'), true);
  actor.run('sendForEver', toShared(channel)).catch(() => {});
  await actor.told('sends');
  equal(channel.trySend(1), 'full');
  const sent = channel.sendAsync(2);
  const began = performance.now();
  actor.end();
  equal(await sent, 'ok');
  const took = performance.now() - began;
  equal(took <= LATE + NOTICE, true, `${took} ms`);
  equal(channel.tryReceive().value, 2);
  equal(channel.tryReceive(), undefined);
});

test('WhatOthersHoldIsNotAbandonedWhenAThreadEnds', async () => {
  const buffers = [makeBuffer(), makeBuffer()];
  const [lock] = buffers.map((buffer) => new AsyncLock(buffer));
  const guard = await lock.lockAsync();
  const { page, end } = await openFrame(false);
  new page.AsyncLock(buffers[1]).tryLock();
  end();
  await until(() => !isHeld(buffers[1]), 'it is released');
  equal(guard.ownsLock, true);
  equal(guard.wasAbandoned, false);
  guard.unlock();
});
