// SPDX-License-Identifier: MIT
// The arrows of a drawing: from who woke to who was woken.

const MOST_ARROWS = 400;

class Wakes {
  yOfRow(row) { return row.top + row.label + (row.height - row.label) / 2; }

  yOfWoken({ span, to }) {
    const lane = to.row.lanes.findIndex(({ spans }) => {
      const at = firstIndex(0, spans.length, (i) => spans[i].start >= (span?.start ?? Infinity));
      return spans[at] === span && span !== undefined;
    });
    return lane < 0 ? this.yOfRow(to.row) : this.laneTop(to.row, lane) + this.scroll.scrollTop + to.row.bar / 2;
  }

  drawWakes(top) {
    const seen = new Set();
    const shown = [];
    const bottom = top + this.height;
    for (const wake of this.trace.wakes) {
      const { from, to } = wake;
      if (from.time > this.to && to.time > this.to) break;
      if (from.time < this.from && to.time < this.from) continue;
      if (Math.max(from.row.top, to.row.top) < top || Math.min(from.row.top, to.row.top) > bottom) continue;
      const key = (Math.floor(this.xOf(from.time) / 5) * 4096 + from.row.index) * 4096 + to.row.index;
      if (seen.has(key) && !this.concerns(wake)) continue;
      seen.add(key);
      shown.push(wake);
    }
    const stride = Math.ceil(shown.length / MOST_ARROWS);
    this.context.globalAlpha = shown.length > 150 ? 0.35 : 1;
    if (this.isSearching || this.chosen !== undefined) this.context.globalAlpha *= 0.5;
    shown.forEach((wake, i) => { if (i % stride === 0 && !this.concerns(wake)) this.drawWake(wake, top, shown.length > 150 ? 1 : 1.4); });
    this.context.globalAlpha = 1;
    for (const wake of shown) if (this.concerns(wake)) this.drawWake(wake, top, 2.5);
    this.canvas.dataset.arrows = Math.ceil(shown.length / Math.max(stride, 1));
  }

  concerns({ span, from }) {
    const { chosen } = this;
    return chosen !== undefined && (span === chosen ||
      (chosen.category === HELD && span?.object === chosen.object && from.row === chosen.row && Math.abs(from.time - chosen.end) < 1));
  }

  drawWake(wake, top, width) {
    const { context, colours } = this;
    const { from, to } = wake;
    const x0 = this.xOf(from.time);
    const x1 = this.xOf(to.time);
    const y0 = this.yOfRow(from.row) - top;
    const y1 = this.yOfWoken(wake) - top;
    const bend = Math.max(10, Math.min(60, Math.abs(x1 - x0) / 2));
    const down = Math.sign(y1 - y0) || 1;
    context.strokeStyle = colours.accent;
    context.fillStyle = colours.accent;
    context.lineWidth = width;
    context.beginPath();
    const isSteep = x1 - x0 < 24;    // then the arrow comes from above or from below
    if (isSteep) {
      context.moveTo(x0, y0);
      context.bezierCurveTo(x0, y0 + (y1 - y0) / 2, x1, y0 + (y1 - y0) / 2, x1, y1 - 8 * down);
    } else {
      context.moveTo(x0, y0);
      context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 6, y1);
    }
    context.stroke();
    const size = 3 + width;
    context.beginPath();
    context.moveTo(x1, y1);
    if (isSteep) {
      context.lineTo(x1 - size, y1 - 8 * down);
      context.lineTo(x1 + size, y1 - 8 * down);
    } else {
      context.lineTo(x1 - 8, y1 - size);
      context.lineTo(x1 - 8, y1 + size);
    }
    context.fill();
    context.beginPath();
    context.arc(x0, y0, 1 + width, 0, 7);
    context.fill();
  }
}
