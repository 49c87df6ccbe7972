// SPDX-License-Identifier: MIT
import { enginePause } from './engine.js';
import { requireKind } from './failure.js';

// An arrow function, because those are not constructors.

export const pause = (duration = undefined) => (enginePause ? enginePause(duration) :
  requireKind('pause', 'duration', duration, 'an integral number', duration === undefined || Number.isInteger(duration)));
