// SPDX-License-Identifier: MIT
// The functions of the specification, and what they take beyond it.

import { requireCanBlock } from './agent.js';
import { toCount, toElement, toIndex } from './coerce.js';
import { bufferOf, isShared } from './describe.js';
import { engineWait, engineWaitAsync } from './engine.js';
import { end, Wait } from './handle.js';
import { readArguments } from './option_bag.js';
import { hasProcess, pending } from './pending.js';
import { enqueue, wake } from './queue.js';

export { pause } from './pause.js';

// Arrow functions, because those are not constructors.

export const wait = (typedArray, index, value, timeout, options = undefined) => {
  const at = toIndex(typedArray, index, 'wait', false);
  const expected = toElement(typedArray, value, 'wait');
  // As the specification says, another fifth argument than an object is ignored.
  const milliseconds = readArguments(timeout, typeof options === 'object' ? options : undefined, 'wait', true).timeout;
  requireCanBlock('wait');
  return engineWait(typedArray, at, expected, milliseconds);
};

export const waitAsync = (typedArray, index, value, timeout, options = undefined) => {
  const at = toIndex(typedArray, index, 'waitAsync', false);
  const expected = toElement(typedArray, value, 'waitAsync');
  const read = readArguments(timeout, options, 'waitAsync', false);
  const { signal } = read;
  const wait = new Wait();
  let answer;
  if (signal?.aborted) {
    answer = { async: true, value: Promise.reject(signal.reason) };
  } else {
    answer = enqueue(typedArray, at, expected, read.timeout);
    if (answer.async && (signal || !engineWaitAsync)) {
      // The place in the queue of one that was aborted stays; the wake-up that reaches it goes to the next waiter. The promise
      // gets no reaction here: the program would not be told of a rejection that it does not handle.
      const { value } = answer;
      answer.value = pending({ signal }, (resolve, refuse, isOver) => value.then((result) => {
        if (isOver()) return result === 'ok' && wake(typedArray, at, 1);
        end(wait);
        return resolve(result === 'not-equal' ? 'ok' : result);  // a sleeper came late
      }, refuse), () => end(wait));
    } else if (answer.async && hasProcess) {
      answer.value.then(() => end(wait));
    }
    if (answer.async && read.ref) wait.ref();
  }
  return read.isPlain ? answer : Object.assign(wait, answer);
};

export const notify = (typedArray, index, count) => {
  const at = toIndex(typedArray, index, 'notify', true);
  const most = toCount(count, 'notify');
  return isShared(bufferOf(typedArray)) ? wake(typedArray, at, most) : 0;  // it may have been detached meanwhile
};
