// SPDX-License-Identifier: MIT
// The functions of the specification, and what they take beyond it.

import { requireCanBlock } from './agent.js';
import { requireElements, toCount, toElement, toIndex, toTimeout } from './coerce.js';
import { bufferOf, isShared } from './describe.js';
import { engineWait, engineWaitAsync } from './engine.js';
import { isOptionBag, readArguments } from './option_bag.js';
import { abortable, hasProcess, keepAlive, Wait } from './pending.js';
import { enqueue, wake } from './queue.js';

export { pause } from './pause.js';

const letGo = () => keepAlive(-1);

// Arrow functions, because those are not constructors.

export const wait = (typedArray, index, value, timeout, options = undefined) => {
  requireElements(typedArray, 'wait', false);
  const at = toIndex(typedArray, index, 'wait');
  const expected = toElement(typedArray, value, 'wait');
  // As the specification says, another fifth argument than an object is ignored.
  const milliseconds = readArguments(timeout, typeof options === 'object' ? options : undefined, 'wait', true).timeout;
  requireCanBlock('wait', 'waitAsync');
  return engineWait(typedArray, at, expected, milliseconds);
};

export const waitAsync = (typedArray, index, value, timeout, options = undefined) => {
  requireElements(typedArray, 'waitAsync', false);
  const at = toIndex(typedArray, index, 'waitAsync');
  const expected = toElement(typedArray, value, 'waitAsync');
  const isPlain = options === undefined && !isOptionBag(timeout);
  const read = isPlain ? { timeout: toTimeout(timeout, 'waitAsync'), ref: true } : readArguments(timeout, options, 'waitAsync', false);
  const { signal } = read;
  const wait = new Wait();
  if (signal?.aborted) return Object.assign(wait, { async: true, value: Promise.reject(signal.reason) });
  const answer = enqueue(typedArray, at, expected, read.timeout);
  if (!answer.async) return isPlain ? answer : Object.assign(wait, answer);
  if (isPlain && engineWaitAsync) {
    if (hasProcess) {
      keepAlive(1);
      answer.value.then(letGo);
    }
    return answer;
  }
  // The place in the queue of one that was aborted stays; the wake-up that reaches it goes to the next waiter.
  const promise = abortable(wait, read, () => answer.value, (result) => result === 'ok' && wake(typedArray, at, 1));
  const result = { async: true, value: promise.then((result) => (result === 'not-equal' ? 'ok' : result)) };  // a sleeper came late
  return isPlain ? result : Object.assign(wait, result);
};

export const notify = (typedArray, index, count) => {
  requireElements(typedArray, 'notify', true);
  const at = toIndex(typedArray, index, 'notify');
  const most = toCount(count, 'notify');
  return isShared(bufferOf(typedArray)) ? wake(typedArray, at, most) : 0;  // it may have been detached meanwhile
};
