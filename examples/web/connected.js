// SPDX-License-Identifier: MIT
// The page's half of connected.cpp: it draws, never blocks, and lets the threads go on after each frame.

import { connect } from 'futon-web/module';

/// Calls `draw` with the balls in each frame, until it returns false. `program` has started.
export async function animate(program, draw, nextFrame) {
  const { AsyncLock, notify } = connect(program);
  const { buffer } = program.HEAP32;
  const at = program._start();
  const lock = new AsyncLock(buffer, at);          // the lock of C++ itself
  const frame = new Int32Array(buffer, at + 4, 1);
  const balls = new Float32Array(buffer, at + 8, 3);

  while (await lock.executeLocked(() => draw(balls))) {
    Atomics.add(frame, 0, 1);
    notify(frame, 0);                              // wakes the threads that wait in C++
    await nextFrame();
  }
}
