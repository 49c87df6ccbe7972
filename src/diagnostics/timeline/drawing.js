// SPDX-License-Identifier: MIT
// The picture: which part of the trace is in sight, where things lie in it, and how they are drawn.

const AXIS = 26;
const HEADING = 26;
const BAR = 17;
const GAP = 3;
const ROW_PADDING = 5;
const FONT = '12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

class Drawing extends Wakes {
  constructor(trace, canvas, scroll, extent) {
    super();
    Object.assign(this, { trace, canvas, scroll, extent, context: canvas.getContext('2d'), chosen: undefined, row: undefined });
    this.isSearching = false;
    this.pad = trace.length * 0.01;
    this.showAll();
    this.resize();
  }

  // The part in sight.

  showAll() {
    this.from = -this.pad;
    this.to = this.trace.length + this.pad;
  }

  /// Keeps the part in sight within the trace, and not below a nanosecond.
  show(from, to) {
    const whole = this.trace.length + 2 * this.pad;
    const length = Math.min(Math.max(to - from, 0.001), whole);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - length / 2, -this.pad), whole - this.pad - length);
    this.to = this.from + length;
  }

  /// Shows more or less, with the time at `x` where it is.
  zoom(factor, x = this.gutter + this.plot / 2) {
    const share = Math.min(Math.max((x - this.gutter) / this.plot, 0), 1);
    const time = this.timeAt(x);
    const length = Math.min(Math.max((this.to - this.from) * factor, 0.001), this.trace.length + 2 * this.pad);
    this.show(time - share * length, time + (1 - share) * length);
  }

  pan(pixels) {
    const by = (pixels / this.plot) * (this.to - this.from);
    this.show(this.from + by, this.to + by);
  }

  /// Brings a span in sight, and leaves the zoom as it is if the span can be seen with it.
  reveal(span) {
    const length = this.to - this.from;
    if (span.end < this.from + length * 0.05 || span.start > this.to - length * 0.05) {
      const middle = span.end - span.start > length * 0.8 ? span.start + length * 0.3 : (span.start + span.end) / 2;
      this.show(middle - length / 2, middle + length / 2);
    }
    if ((span.end - span.start) * this.scale < 2) this.zoomTo(span, 40);
    this.revealRow(span.row);
  }

  zoomTo({ start, end, row }, share = 1.6) {
    const length = Math.max(end - start, 0.02) * share;
    this.show((start + end - length) / 2, (start + end + length) / 2);
    this.revealRow(row);
  }

  revealRow(row) {
    const { scrollTop, clientHeight } = this.scroll;
    if (row.top < scrollTop + AXIS) this.scroll.scrollTop = row.top - AXIS - HEADING;
    else if (row.top + row.height > scrollTop + clientHeight) this.scroll.scrollTop = row.top + row.height - clientHeight + HEADING;
  }

  get scale() { return this.plot / (this.to - this.from); }
  xOf(time) { return this.gutter + (time - this.from) * this.scale; }
  timeAt(x) { return this.from + (x - this.gutter) / this.scale; }

  // Where things lie.

  resize() {
    this.width = this.scroll.clientWidth;
    this.isNarrow = this.width < 560;
    this.gutter = this.isNarrow ? 0 : Math.min(190, Math.round(this.width * 0.2));
    this.plot = this.width - this.gutter;
    this.headings = [];
    let y = AXIS;
    let kind;
    for (const row of this.trace.rows) {
      if (row.kind !== kind) {
        kind = row.kind;
        this.headings.push({ top: y, text: GROUPS.find(([name]) => name === kind)[1] });
        y += HEADING;
      }
      const lanes = Math.max(row.lanes.length, 1);
      row.bar = lanes <= 6 ? BAR : Math.max(4, Math.floor((6 * BAR) / lanes));
      row.label = this.isNarrow ? 18 : 0;
      row.top = y;
      row.height = row.label + 2 * ROW_PADDING + lanes * (row.bar + GAP) - GAP;
      y += row.height;
    }
    this.total = y + 8;
    this.extent.style.height = `${this.total}px`;
    this.height = Math.min(this.scroll.clientHeight, Math.max(this.total, 80));
    this.canvas.style.cssText = `width: ${this.width}px; height: ${this.height}px`;
    this.ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this.width = this.scroll.clientWidth;
    this.readColours();
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    this.colours = {};
    for (const name of ['page', 'paper', 'ink', 'faint', 'line', 'edge', 'accent', 'held', 'on-held', 'shared', 'wait', 'wait-paper',
      'job', 'mark']) this.colours[name] = style.getPropertyValue(`--${name}`).trim();
    const size = 7;
    const tile = element('canvas', { width: size * this.ratio, height: size * this.ratio });
    const context = tile.getContext('2d');
    context.scale(this.ratio, this.ratio);
    context.fillStyle = this.colours['wait-paper'];
    context.fillRect(0, 0, size, size);
    context.strokeStyle = this.colours.wait;
    context.lineWidth = 1.3;
    context.beginPath();
    for (const shift of [-size, 0, size]) {
      context.moveTo(shift, size);
      context.lineTo(shift + size, 0);
    }
    context.stroke();
    this.hatch = this.context.createPattern(tile, 'repeat');
    this.hatch.setTransform(new DOMMatrix().scale(1 / this.ratio));
  }

  laneTop(row, index) { return row.top + row.label + ROW_PADDING + index * (row.bar + GAP) - this.scroll.scrollTop; }

  rowAt(y) {
    const at = y + this.scroll.scrollTop;
    const index = firstIndex(0, this.trace.rows.length, (i) => this.trace.rows[i].top + this.trace.rows[i].height > at);
    const row = this.trace.rows[index];
    return row !== undefined && at >= row.top && y > AXIS ? row : undefined;
  }

  /// The span at a point, or within three pixels of it.
  spanAt(x, y) {
    const row = x < this.gutter ? undefined : this.rowAt(y);
    if (row === undefined) return undefined;
    const time = this.timeAt(x);
    const reach = 3 / this.scale;
    const nearest = ({ spans }) => {
      const behind = firstIndex(0, spans.length, (i) => spans[i].end >= time);
      const distance = (span) => Math.max(span.start - time, time - span.end, 0);
      return [spans[behind - 1], spans[behind]].filter((span) => span !== undefined && distance(span) <= reach)
        .sort((a, b) => distance(a) - distance(b))[0];
    };
    const index = Math.floor((y - this.laneTop(row, 0) + GAP / 2) / (row.bar + GAP));
    const lane = row.lanes[index];
    return (lane && nearest(lane)) ?? nearest(row.jobs);
  }

  // Drawing.

  draw() {
    const { context, colours, width, height } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.font = FONT;
    context.textBaseline = 'middle';
    context.fillStyle = colours.page;
    context.fillRect(0, 0, width, height);
    this.marks = 0;
    const top = this.scroll.scrollTop;
    const { rows } = this.trace;
    const first = firstIndex(0, rows.length, (i) => rows[i].top + rows[i].height > top);
    const inSight = [];
    for (let i = first; i < rows.length && rows[i].top < top + height; ++i) inSight.push(rows[i]);
    const step = this.step();
    this.drawGrid(step);
    context.save();
    context.beginPath();
    context.rect(this.gutter, AXIS, this.plot, height - AXIS);
    context.clip();
    for (const row of inSight) this.drawRow(row);
    this.drawWakes(top);
    context.restore();
    this.drawNames(inSight, top);
    this.drawAxis(step);
    this.canvas.dataset.marks = this.marks;
  }

  step() {
    const least = (90 / this.plot) * (this.to - this.from);
    const power = 10 ** Math.floor(Math.log10(least));
    return Math.max([1, 2, 5, 10].find((factor) => factor * power >= least * 0.999) * power, 0.001);
  }

  ticks(step, use) {
    for (let i = Math.ceil(this.from / step); i * step <= this.to; ++i) use(Math.round(this.xOf(i * step)) + 0.5, i * step + 0);
  }

  drawGrid(step) {
    const { context, colours } = this;
    context.fillStyle = colours.line;
    context.globalAlpha = 0.5;
    this.ticks(step, (x) => context.fillRect(x - 0.5, AXIS, 1, this.height));
    context.globalAlpha = 1;
  }

  drawAxis(step) {
    const { context, colours } = this;
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, this.width, AXIS);
    context.fillStyle = colours.line;
    context.fillRect(0, AXIS - 1, this.width, 1);
    this.ticks(step, (x, time) => {
      if (x < this.gutter) return;
      context.fillStyle = colours.edge;
      context.fillRect(x - 0.5, AXIS - 6, 1, 5);
      context.fillStyle = colours.faint;
      const text = timePoint(time, step);
      if (x + 4 + context.measureText(text).width < this.width) context.fillText(text, x + 4, AXIS / 2);
    });
  }

  drawNames(inSight, top) {
    const { context, colours, gutter } = this;
    if (gutter > 0) {
      context.fillStyle = colours.page;
      context.fillRect(0, AXIS, gutter, this.height);
      context.fillStyle = colours.line;
      context.fillRect(gutter - 1, AXIS, 1, this.height);
    }
    for (const row of inSight) {
      const y = row.top - top;
      context.fillStyle = colours.line;
      context.fillRect(0, Math.round(y + row.height) - 1, this.width, 1);
      if (row === this.row) {
        context.fillStyle = colours.accent;
        context.fillRect(0, y, 3, row.height - 1);
      }
      context.fillStyle = this.isSearching && row.isHit ? colours.mark : colours.ink;
      const middle = row.label > 0 ? y + 3 + row.label / 2 : y + row.height / 2;
      context.fillText(this.fitting(row.name, (gutter || this.width) - 22), 12, middle);
    }
    for (const { top: at, text } of this.headings) {
      context.fillStyle = colours.paper;
      context.fillRect(0, at - top, this.width, HEADING - 1);
      context.fillStyle = colours.line;
      context.fillRect(0, at - top + HEADING - 1, this.width, 1);
      context.fillStyle = colours.faint;
      context.font = `600 ${FONT}`;
      context.fillText(text, 12, at - top + HEADING / 2);
      context.font = FONT;
    }
  }

  /// As much of a text as fits, or nothing of it.
  fitting(text, width) {
    const { context } = this;
    if (text.length > 200) text = text.slice(0, 200);
    if (context.measureText(text).width <= width) return text;
    const letters = [...text];
    const length = firstIndex(0, letters.length, (n) => context.measureText(`${letters.slice(0, n + 1).join('')}\u2026`).width > width);
    return length < 2 ? '' : `${letters.slice(0, length).join('')}\u2026`;
  }

  drawRow(row) {
    const y = row.top - this.scroll.scrollTop + row.label;
    this.drawLane(row.jobs, y + 2, row.height - row.label - 5);
    row.lanes.forEach((lane, index) => this.drawLane(lane, this.laneTop(row, index), row.bar));
  }

  drawLane(lane, y, height) {
    const { spans } = lane;
    let i = firstIndex(0, spans.length, (at) => spans[at].end >= this.from);
    while (i < spans.length && spans[i].start <= this.to) {
      const span = spans[i];
      const left = this.xOf(span.start);
      const right = this.xOf(span.end);
      if (right - left >= 1.5) {
        this.drawSpan(span, Math.max(left, -8), Math.min(right, this.width + 8), y, height, left);
        ++i;
        continue;
      }
      // All that begins within this pixel is one mark.
      const limit = this.timeAt(Math.floor(left) + 1);
      const behind = Math.max(i + 1, firstIndex(i, spans.length, (at) => spans[at].start >= limit));
      const last = spans[behind - 1];
      const isLong = behind - 1 > i && (last.end - last.start) * this.scale >= 1.5;
      this.drawThin(lane, i, isLong ? behind - 1 : behind, Math.floor(left), y, height);
      i = isLong ? behind - 1 : behind;
    }
  }

  drawThin(lane, i, behind, x, y, height) {
    const { context, colours } = this;
    const hasWait = lane.waits[behind] > lane.waits[i];
    const hasHit = lane.hits[behind] > lane.hits[i];
    context.globalAlpha = this.isSearching && !hasHit ? 0.2 : 1;
    context.fillStyle = lane.spans[i].category === JOB ? colours.edge : colours.held;
    if (!hasWait || lane.waits[behind] - lane.waits[i] < behind - i) context.fillRect(x, y, 1, height);
    context.fillStyle = colours.wait;
    if (hasWait) for (let dash = y; dash < y + height; dash += 4) context.fillRect(x, dash, 1, Math.min(2, y + height - dash));
    context.globalAlpha = 1;
    if (this.isSearching && hasHit) {
      context.fillStyle = colours.mark;
      context.fillRect(x, y - 1, 1, 3);
      context.fillRect(x, y + height - 2, 1, 3);
    }
    ++this.marks;
  }

  drawSpan(span, left, right, y, height, begin) {
    const { context, colours } = this;
    const width = right - left;
    const isShared = span.category === HELD && span.args.mode !== undefined && span.args.mode !== 'exclusive';
    const [fill, edge, ink] = span.category === WAITING ? [this.hatch, colours.wait, colours.ink] :
      span.category === JOB ? [colours.job, colours.edge, colours.faint] :
        isShared ? [colours.shared, colours.held, colours.ink] : [colours.held, colours.held, colours['on-held']];
    context.globalAlpha = this.isSearching && !span.isHit ? 0.22 : 1;
    if (span.category === WAITING) this.hatch.setTransform(new DOMMatrix().translate(begin, y).scale(1 / this.ratio));
    context.fillStyle = fill;
    context.fillRect(left, y, Math.max(width - 0.5, 1), height);
    if (width > 3) {
      context.strokeStyle = edge;
      context.lineWidth = isShared ? 1.5 : 1;
      context.setLineDash(span.category === JOB ? [3, 3] : []);
      context.strokeRect(left + 0.5, y + 0.5, width - 1.5, height - 1);
      context.setLineDash([]);
    }
    const seen = Math.max(left, this.gutter);
    const text = span.category === JOB || height < 13 || right - seen < 26 ? '' :
      this.fitting(objectName(span.object), Math.min(right, this.width) - seen - 10);
    if (text !== '') {
      if (span.category === WAITING) {
        context.fillStyle = colours['wait-paper'];
        context.fillRect(seen + 2, y + 1, context.measureText(text).width + 6, height - 2);
      }
      context.fillStyle = ink;
      context.fillText(text, seen + 5, y + height / 2 + 0.5);
    }
    context.globalAlpha = 1;
    const isChosen = span === this.chosen;
    if (isChosen || (this.isSearching && span.isHit)) {
      context.strokeStyle = isChosen ? colours.ink : colours.mark;
      context.lineWidth = isChosen ? 2.5 : 2;
      context.strokeRect(left - 0.5, y - 0.5, width + 0.5, height + 1);
    }
    ++this.marks;
  }
}
