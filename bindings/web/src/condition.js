// SPDX-License-Identifier: MIT
// A change of what a lock protects.

import { swapTag } from './async_lock.js';
import { LONGEST_SLEEP } from './constants.js';
import { requireCount } from './count.js';
import { compareExchange, load } from './engine.js';
import { fail, failure, requireKind } from './failure.js';
import { Operation } from './operation.js';
import { readWaitOptions } from './option_bag.js';
import { blockFor, makePlace, waitFor } from './place.js';
import { placeOf, Primitive } from './primitive.js';
import { wakeAll } from './queue.js';

// Eight bytes, changed together. From the lowest bits: the notifications that members of the older group have not taken yet, the number
// of that group, its members, and those of the younger group; 16 bits each. All sleep at the lower half.
//
// A notification is for those that waited before it. If a later waiter took it, an earlier one would stay asleep: so a waiter that comes
// while notifications are pending joins the younger group. The invariant: fewer notifications are pending than the older group has
// members, or both are zero, and then the younger group is empty. As soon as there are as many, all members are served: the number
// of the group grows, which tells them so, and the younger group becomes the older. So a waiter that is given up takes no notification
// with it while another waits.
const MOST = 0xffff;

const NAME = 'Condition';
const SIZE = 8;
const WAITING = -1;  // the tag of a guard whose call waits

/// Changes the four fields as `step` says, which changes them in place; returns what it returns.
function update(fields, step) {
  while (true) {
    const seen = load(fields, 0);
    const values = [0n, 1n, 2n, 3n].map((i) => Number(seen >> 16n * i & 0xffffn));
    const result = step(values, Number(BigInt.asIntN(32, seen)));
    const next = BigInt.asIntN(64, values.reduceRight((all, value) => all << 16n | BigInt(value), 0n));
    if (compareExchange(fields, 0, seen, next) === seen) return result;
  }
}

/// Keeps the invariant; returns whether the older group has been served.
function close(values) {
  const [pending, group, members, younger] = values;
  if (pending === members) values.splice(0, 4, 0, group + 1 & MOST, younger, 0);
  return pending === members;
}

const fieldsOf = (words) => new BigInt64Array(words.buffer, words.byteOffset, 1);

/// Joins a group; and then releases the lock. A change that is made with the lock held is either seen before that, or notified after it.
function begin(words, guard, name) {
  const [state, tag] = readGuard(guard, name);
  const fields = fieldsOf(words);
  const mine = update(fields, (values) => {
    const at = values[0] ? 3 : 2;
    if (values[at] === MOST) fail(name, `${MOST} wait already`, Error);
    ++values[at];
    return values[1] + at - 2 & MOST;
  });
  swapTag(guard, WAITING);
  state.release(tag);

  const take = (values) => {
    const ahead = mine - values[1] & MOST;  // 0: in the older group, 1: in the younger, else the group was served
    if (ahead > 1) return true;
    if (ahead || !values[0]) return false;
    --values[0];
    --values[2];
    return true;
  };
  const waiter = {
    isServed: false,
    look: () => update(fields, (values, word) => (take(values) ? undefined : [word, LONGEST_SLEEP])),
    /// It may have been notified, although it has not looked since.
    leave() {
      const isClosed = update(fields, (values) => {
        if (waiter.isServed = take(values)) return false;
        --values[values[1] === mine ? 2 : 3];
        return close(values);
      });
      if (isClosed) wakeAll(words);  // the notifications that were too few for all are enough now
    },
    /// The tag of an acquisition that follows the wait.
    comeBack(acquired) {
      // The guard may have been disposed of meanwhile, or the callback of executeLocked may have ended.
      if (swapTag(guard)[1] === WAITING) swapTag(guard, acquired);
      else state.release(acquired);
    },
    state,
  };
  return waiter;
}

function readGuard(guard, name) {
  let parts;
  try {
    parts = swapTag(guard);
  } catch {
    requireKind(name, 'guard', guard, 'the guard of an AsyncLock', false);
  }
  if (!parts[0].owns(parts[1])) throw failure('EPERM', name, 'the guard does not hold the lock');
  return parts;
}

export class Condition extends Primitive {
  static byteLength = SIZE;

  constructor(buffer, byteOffset = 0, options = undefined) {
    super(NAME, SIZE, makePlace, buffer, byteOffset, options, {}, () => true);
  }

  wait(guard, options = undefined) {
    const name = 'Condition.wait';
    const place = placeOf(this, NAME, 'wait');
    let waiter;
    try {
      const result = blockFor(new Operation(place, (words) => waiter = begin(words, guard, name), 'wait'), options);
      return waiter.isServed ? 'ok' : result;
    } finally {
      if (waiter) waiter.comeBack(waiter.state.take() || waiter.state.lock(Infinity));
    }
  }

  async waitAsync(guard, options = undefined) {
    const name = 'Condition.waitAsync';
    const place = placeOf(this, NAME, 'waitAsync');
    let waiter;
    try {
      const result = await waitFor(new Operation(place, (words) => waiter = begin(words, guard, name), 'waitAsync'), options);
      return waiter.isServed ? 'ok' : result;
    } catch (error) {
      if (waiter?.isServed) return 'ok';
      throw error;
    } finally {
      if (waiter) {
        const { state } = waiter;
        const { ref } = readWaitOptions(options, name, false);
        waiter.comeBack(state.take() || await state.acquire({ timeout: Infinity, ref }, name));
      }
    }
  }

  notify(count = Infinity) {
    const { words } = placeOf(this, NAME, 'notify');
    if (count !== Infinity) requireCount(count, 'count', 'Condition.notify', 2 ** 31 - 1);
    const notified = update(fieldsOf(words), (values) => {
      let given = 0;
      // Those of the younger group after all of the older.
      for (let round = 0; round < 2 && values[2]; ++round) {
        const more = Math.min(count - given, values[2] - values[0]);
        values[0] += more;
        given += more;
        close(values);
      }
      return given;
    });
    if (notified) wakeAll(words);
    return notified;
  }
}
