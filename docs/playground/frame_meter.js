// SPDX-License-Identifier: MIT
// How long each frame took, and the picture of it.

const SPAN = 4000;        // milliseconds that are shown
const LATE = 25;          // milliseconds: a frame has been left out
const TOP = 120;          // milliseconds at the upper edge
const TRAIL = 500;        // milliseconds for which the ball leaves a trail

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

  /// When the last frame was.
  get at() {
    return this.#frames.at(-1)?.at ?? 0;
  }

  get longest() {
    return this.#frames.reduce((most, { gap }) => Math.max(most, gap), 0);
  }

  get rate() {
    const [first, last] = [this.#frames[0], this.#frames.at(-1)];
    return first === undefined || first === last ? 0 : (this.#frames.length - 1) * 1000 / (last.at - first.at);
  }

  /// A bar covers the time between two frames: it is as wide as that, and as high.
  draw(canvas, now, colors, moves) {
    const { paint, width, height } = prepare(canvas);
    const floor = height - 1;
    const x = (time) => width - (now - time) / SPAN * width;
    const y = (gap) => floor - Math.min(gap, TOP) / TOP * (floor - 40);
    if (moves) this.#drawBall(paint, now, width, colors);
    for (const { at, gap } of this.#frames) {
      const isLate = gap > LATE;
      paint.fillStyle = isLate ? colors.late : colors.hold;
      const wide = gap / SPAN * width;
      paint.fillRect(x(at) - wide, y(gap), isLate ? wide : Math.max(0.5, wide - 1), floor - y(gap));
    }
    paint.fillStyle = colors.faint;
    paint.fillRect(0, floor, width, 1);
    paint.font = '12px system-ui, sans-serif';
    paint.strokeStyle = colors.paper;     // so that late frames do not hide the text
    paint.lineWidth = 4;
    paint.lineJoin = 'round';
    for (const [gap, text] of [[1000 / 60, '1/60 s'], [100, '0.1 s']]) {
      paint.globalAlpha = 0.5;
      for (let left = 0; left < width; left += 6) paint.fillRect(left, Math.round(y(gap)), 3, 1);
      paint.globalAlpha = 1;
      paint.strokeText(text, 2, y(gap) - 4);
      paint.fillText(text, 2, y(gap) - 4);
    }
  }

  /// The ball where it is now, and fainter where it was drawn before: late frames leave holes in its trail.
  #drawBall(paint, now, width, colors) {
    const place = (time) => 12 + (time / 2500) % 1 * (width - 24);
    paint.fillStyle = colors.ink;
    for (const frame of this.#frames) {
      const isLast = frame === this.#frames.at(-1);
      const age = (now - frame.at) / TRAIL;
      if (!isLast && (age > 1 || place(frame.at) > place(now))) continue;
      paint.globalAlpha = isLast ? 1 : 0.3 * (1 - age);
      paint.beginPath();
      paint.arc(place(frame.at), 13, isLast ? 10 : 7, 0, 7);
      paint.fill();
    }
    paint.globalAlpha = 1;
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
