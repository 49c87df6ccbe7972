// SPDX-License-Identifier: MIT
// Who held the lock and who waited, in the last half second: a row for each contender.

import { prepare } from './frame_meter.js';
import { HOLDS, WAITS } from './ledger.js';

const SPAN = 500_000;     // microseconds
const LABEL = 64;         // pixels

export function drawTimeline(canvas, stage, colors) {
  const row = 18;
  canvas.style.height = `${Math.max(2, stage.entries.length) * row}px`;
  const { paint, width } = prepare(canvas);
  paint.font = '12px system-ui, sans-serif';
  paint.textBaseline = 'middle';
  if (stage.entries.length === 0) return;
  const now = stage.page.now();
  const x = (time) => LABEL + (1 - Math.min(1, (now - time) / SPAN)) * (width - LABEL);
  stage.entries.forEach((entry, index) => {
    const top = index * row;
    paint.fillStyle = colors.ink;
    paint.fillText(stage.nameOf(entry), 0, top + row / 2);
    const changes = entry.changesSince(now - SPAN);
    changes.forEach(({ state, time }, i) => {
      if (state !== HOLDS && state !== WAITS) return;
      const end = changes[i + 1]?.time ?? now;
      if (end < now - SPAN) return;
      paint.fillStyle = state === HOLDS ? colors.hold : colors.wait;
      const inset = state === HOLDS ? 2 : 6;       // told apart without colours, too
      paint.fillRect(x(time), top + inset, Math.max(1, x(end) - x(time)), row - 2 * inset);
    });
  });
}
