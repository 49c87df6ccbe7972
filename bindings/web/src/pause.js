// SPDX-License-Identifier: MIT
import { requireKind } from './failure.js';

const { pause: enginePause } = Atomics;  // as in engine.js

// An arrow function, because those are not constructors.

export const pause = (duration = undefined) => (enginePause ? enginePause(duration) :
  requireKind('pause', 'duration', duration, 'an integral number', duration === undefined || Number.isInteger(duration)));
