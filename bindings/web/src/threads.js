// SPDX-License-Identifier: MIT
// Threads that end. Each holds a Web Lock whose name has its number. A thread that may not block, such as a page, asks for those of all
// others, and has one when the browser has ended its thread: by terminate(), by close(), or with its frame or window.

import { engineMayBlock } from './agent.js';
import { ATTEMPTS, WATCHED } from './constants.js';
import { hasProcess } from './pending.js';

const NAME = 'futon-web thread ';

const draw = () => 1 + Math.random() * (WATCHED - 1) | 0;
const locks = !hasProcess && globalThis.navigator?.locks;

/// The number of this thread, in the words of the locks that it takes.
export let number = WATCHED + draw();

/// Whether the page or frame of this thread was left: then it takes no lock any more, unless it is shown again.
export let isLeft = false;

const waits = new Set();   // of the promises of this page that are pending: functions that end them
const owners = new Set();  // weak references to what `watch` was given
const registry = new FinalizationRegistry((ref) => owners.delete(ref));
const asked = new Set();   // names of the others' Web Locks that this thread asks for
let begun;

/// Calls `end` with an error when the page is left, unless the function that is returned was called before.
export function endWith(name, end) {
  const wait = () => end(new DOMException(`${name}: the page was left`, 'AbortError'));
  waits.add(wait);
  if (isLeft) wait();
  return () => waits.delete(wait);
}

/// Registers this thread, and calls `owner.abandon` with the number of each thread that has ended, as long as the owner is used.
export function watch(owner) {
  const ref = new WeakRef(owner);
  owners.add(ref);
  registry.register(owner, ref);
  whenWatched();
  return owner;
}

function ask(name) {
  if (asked.has(name) || name === NAME + number) return;
  asked.add(name);
  locks.request(name, { mode: 'shared' }, () => {
    asked.delete(name);
    for (const ref of owners) ref.deref()?.abandon(+name.slice(NAME.length));
  }).catch(() => {});      // this thread ends itself
}

/// Gives this thread a number that no other thread of the origin has; returns whether it has one.
const register = (attempts) => new Promise((resolve) => {
  const mine = draw();
  locks.request(NAME + mine, { ifAvailable: true }, (lock) => {
    if (!lock) return void resolve(attempts > 0 && register(attempts - 1));
    number = mine;
    resolve(true);
    return new Promise(() => {});
  }).catch(() => resolve(false));
});

async function begin() {
  if (!locks || !globalThis.BroadcastChannel || !await register(ATTEMPTS)) return false;
  const channel = new BroadcastChannel(NAME);
  channel.postMessage(NAME + number);
  if (engineMayBlock) {
    channel.close();
  } else {
    channel.onmessage = ({ data }) => ask(data);
    for (const { name } of (await locks.query()).held) if (name.startsWith(NAME)) ask(name);
  }
  return true;
}

/// Registers this thread, unless it has been done. Returns a promise of whether its end will be noticed.
export const whenWatched = () => begun ??= begin();

// A page does so for its first lock. A worker may not come back to its event loop then.
if (locks && engineMayBlock) whenWatched();

if (globalThis.document) {
  addEventListener('pagehide', () => {
    isLeft = true;
    for (const end of waits) end();
  });
  addEventListener('pageshow', () => { isLeft = false; });
}
