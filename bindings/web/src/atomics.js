// SPDX-License-Identifier: MIT
// The functions of the specification, and what they take beyond it.

import { requireCanBlock } from './agent.js';
import { requireElements, toCount, toElement, toIndex, toTimeout } from './coerce.js';
import { bufferOf, isShared } from './describe.js';
import { enginePause, engineWait, engineWaitAsync } from './engine.js';
import { typeError } from './failure.js';
import { hasProcess, Keeper } from './keep_alive.js';
import { isOptionBag, readArguments } from './option_bag.js';
import { enqueue, wake } from './queue.js';

/// The result of `waitAsync` with options: that of the specification, and a handle of the wait.
class Wait {
  async;
  value;
  #keeper;

  constructor(async, value, keeper) {
    this.async = async;
    this.value = value;
    this.#keeper = keeper;
  }

  ref() {
    this.#keeper?.set(true);
    return this;
  }

  unref() {
    this.#keeper?.set(false);
    return this;
  }

  hasRef() {
    return this.#keeper?.hasRef ?? false;
  }
}

/// The promise of a wait that is enqueued. If the signal aborts, the promise rejects at once. Its place in the queue stays; the
/// wake-up that reaches it goes to the next waiter.
function settle(answer, signal, keeper, passOn) {
  return new Promise((resolve, reject) => {
    let isAborted = false;
    const end = () => {
      keeper.end();
      signal?.removeEventListener('abort', abort);
    };
    const abort = () => {
      isAborted = true;
      end();
      reject(signal.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    answer.then((result) => {
      if (isAborted) {
        if (result === 'ok') passOn();
        return;
      }
      end();
      resolve(result === 'not-equal' ? 'ok' : result);  // a sleeper came late
    }, (error) => {
      end();
      reject(error);
    });
  });
}

// Arrow functions, because those are not constructors.

export const wait = (typedArray, index, value, timeout, options = undefined) => {
  requireElements(typedArray, 'wait', false);
  const at = toIndex(typedArray, index, 'wait');
  const expected = toElement(typedArray, value, 'wait');
  // As the specification says, another fifth argument than an object is ignored.
  const milliseconds = typeof options === 'object' || isOptionBag(timeout) ?
    readArguments(timeout, options, 'wait', true).timeout : toTimeout(timeout, 'wait');
  requireCanBlock('wait', 'waitAsync');
  return engineWait(typedArray, at, expected, milliseconds);
};

export const waitAsync = (typedArray, index, value, timeout, options = undefined) => {
  requireElements(typedArray, 'waitAsync', false);
  const at = toIndex(typedArray, index, 'waitAsync');
  const expected = toElement(typedArray, value, 'waitAsync');
  const hasOptions = options !== undefined || isOptionBag(timeout);
  const { timeout: milliseconds, signal, ref } = hasOptions ? readArguments(timeout, options, 'waitAsync', false) :
    { timeout: toTimeout(timeout, 'waitAsync'), ref: true };
  if (signal?.aborted) return new Wait(true, Promise.reject(signal.reason));
  const answer = enqueue(typedArray, at, expected, milliseconds);
  if (!answer.async) return hasOptions ? new Wait(false, answer.value) : answer;
  if (!hasOptions && !hasProcess && engineWaitAsync !== undefined) return answer;
  const keeper = new Keeper(ref);
  const promise = settle(answer.value, signal, keeper, () => wake(typedArray, at, 1));
  return hasOptions ? new Wait(true, promise, keeper) : { async: true, value: promise };
};

export const notify = (typedArray, index, count) => {
  requireElements(typedArray, 'notify', true);
  const at = toIndex(typedArray, index, 'notify');
  const most = toCount(count, 'notify');
  return isShared(bufferOf(typedArray)) ? wake(typedArray, at, most) : 0;  // it may have been detached meanwhile
};

export const pause = (duration = undefined) => {
  if (enginePause !== undefined) return enginePause(duration);
  if (duration !== undefined && !Number.isInteger(duration))
    throw typeError('pause', 'duration must be an integral number, or undefined');
  return undefined;
};
