// SPDX-License-Identifier: MIT
// Who held the lock and who waited, in the last half second: a row for each contender.

import { prepare } from './frame_meter.js';
import { HOLDS, WAITS } from './ledger.js';

const SPAN = 500_000;     // microseconds
const LABEL = 68;         // pixels
const ROW = 20;
const AXIS = 18;

export function drawTimeline(canvas, stage, colors) {
  if (stage.entries.length === 0) return;
  const height = `${stage.entries.length * ROW + AXIS}px`;
  if (canvas.style.height !== height) canvas.style.height = height;
  const { paint, width } = prepare(canvas);
  const bottom = stage.entries.length * ROW;
  const now = stage.now;
  const x = (time) => LABEL + (1 - Math.min(1, (now - time) / SPAN)) * (width - LABEL);
  paint.font = '13px system-ui, sans-serif';
  paint.textBaseline = 'middle';
  paint.fillStyle = colors.line;
  for (let i = 0; i <= 5; ++i) paint.fillRect(Math.min(width - 1, x(now - SPAN * i / 5)), 0, 1, bottom);
  paint.fillStyle = colors.faint;
  paint.fillText('½ s ago', LABEL, bottom + AXIS / 2 + 1);
  paint.textAlign = 'right';
  paint.fillText('now', width, bottom + AXIS / 2 + 1);
  paint.textAlign = 'left';
  stage.entries.forEach((entry, index) => {
    const top = index * ROW;
    paint.fillStyle = colors.ink;
    paint.fillText(stage.nameOf(entry), 0, top + ROW / 2);
    const changes = entry.changesSince(now - SPAN);
    changes.forEach(({ state, time }, i) => {
      if (state !== HOLDS && state !== WAITS) return;
      const end = changes[i + 1]?.time ?? now;
      if (end < now - SPAN) return;
      paint.fillStyle = state === HOLDS ? colors.hold : colors.wait;
      const inset = state === HOLDS ? 3 : 7.5;       // told apart without colours, too
      paint.fillRect(x(time), top + inset, Math.max(1, x(end) - x(time)), ROW - 2 * inset);
    });
  });
}
