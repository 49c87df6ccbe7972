// SPDX-License-Identifier: MIT
// Primitives in messages, since a structured clone cannot be one.

import { AutoResetEvent } from './auto_reset_event.js';
import { Barrier } from './barrier.js';
import { Channel } from './channel.js';
import { Condition } from './condition.js';
import { isObject } from './describe.js';
import { AsyncLock } from './engine_lock.js';
import { Event } from './event.js';
import { requireKind } from './failure.js';
import { Latch } from './latch.js';
import { Semaphore } from './semaphore.js';
import { SharedLock } from './shared_lock.js';

const classes = { AsyncLock, SharedLock, Semaphore, Event, AutoResetEvent, Latch, Barrier, Condition, Channel };

/** What another thread can be sent: there `fromShared` makes the same primitive of it. */
export const toShared = (primitive) => {
  const futon = Object.keys(classes).find((name) => primitive instanceof classes[name]);
  requireKind('toShared', 'primitive', primitive, 'a primitive of futon', futon);
  return { futon, buffer: primitive.buffer, byteOffset: primitive.byteOffset };
};

/** The primitive that `toShared` was given, in this thread. */
export const fromShared = (message) => {
  requireKind('fromShared', 'message', message, 'what toShared has returned', isObject(message) && Object.hasOwn(classes, message.futon));
  return new classes[message.futon](message.buffer, message.byteOffset);
};
