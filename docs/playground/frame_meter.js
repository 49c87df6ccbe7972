// SPDX-License-Identifier: MIT
// How long each frame took, and the picture of it.

const SPAN = 4000;        // milliseconds that are shown
const LATE = 34;          // a frame has been left out
const TOP = 120;          // milliseconds at the upper edge

export class FrameMeter {
  count = 0;
  #frames = [];

  clear() {
    this.#frames = [];
    this.count = 0;
  }

  record(now) {
    const last = this.#frames.at(-1);
    if (last !== undefined) ++this.count;
    this.#frames.push({ at: now, gap: last === undefined ? 0 : now - last.at });
    while (this.#frames[0].at < now - SPAN) this.#frames.shift();
  }

  get longest() {
    return this.#frames.reduce((most, { gap }) => Math.max(most, gap), 0);
  }

  get rate() {
    const [first, last] = [this.#frames[0], this.#frames.at(-1)];
    return first === undefined || first === last ? 0 : (this.#frames.length - 1) * 1000 / (last.at - first.at);
  }

  draw(canvas, now, colors, moves) {
    const { paint, width, height } = prepare(canvas);
    const y = (gap) => height - Math.min(gap, TOP) / TOP * (height - 30);
    paint.fillStyle = colors.ink;
    paint.beginPath();
    paint.arc(12 + (moves ? (now / 2500) % 1 : 0.5) * (width - 24), 13, 9, 0, 7);
    paint.fill();
    paint.globalAlpha = 0.35;
    paint.fillRect(0, y(1000 / 60), width, 1);
    paint.globalAlpha = 1;
    for (const { at, gap } of this.#frames) {
      paint.fillStyle = gap > LATE ? colors.late : colors.hold;
      paint.fillRect(width - (now - at) / SPAN * width - 2, y(gap), gap > LATE ? 4 : 2, height - y(gap));
    }
    paint.fillStyle = colors.ink;
    paint.font = '11px system-ui, sans-serif';
    paint.fillText('1/60 s', 2, y(1000 / 60) - 3);
  }
}

/// A cleared canvas of the size that it has on the screen, with lengths in CSS pixels.
export function prepare(canvas) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const scale = devicePixelRatio;
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const paint = canvas.getContext('2d');
  paint.setTransform(scale, 0, 0, scale, 0, 0);
  paint.clearRect(0, 0, width, height);
  return { paint, width, height };
}
