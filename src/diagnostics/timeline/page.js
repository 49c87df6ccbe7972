// SPDX-License-Identifier: MIT
// Binds the parts to the page: pointers, keys, search.

const byId = (id) => document.getElementById(id);

function start() {
  let trace;
  try {
    trace = readTrace(byId('trace').textContent);
  } catch (error) {
    byId('problem').textContent = error.message;
    byId('problem').hidden = false;
    return 'broken';
  }
  const title = trace.program === '' ? 'Timeline' : `Timeline of ${trace.program}`;
  document.title = title;
  byId('title').textContent = title;
  byId('summary').textContent = summaryOf(trace);
  const notices = [];
  if (trace.lost > 0) notices.push(`${count(trace.lost, 'event')} did not fit into the record and ${trace.lost === 1 ? 'is' : 'are'} lost: ` +
    'spans and wakes may be missing here.');
  if (trace.unread > 0) notices.push(`${count(trace.unread, 'event')} could not be read.`);
  byId('lost').textContent = notices.join(' ');
  byId('lost').hidden = notices.length === 0;
  if (trace.length === 0) {
    byId('problem').textContent = 'The trace is empty: while it was recorded, no thread or coroutine held or waited for anything.';
    byId('problem').hidden = false;
    return 'empty';
  }
  byId('page').hidden = false;
  new Page(trace);
  return 'ready';
}

function summaryOf({ futon, rows, spans, wakes, length }) {
  const of = (kind) => rows.filter((row) => row.kind === kind).length;
  const parts = [[of('thread'), 'thread'], [of('loop'), 'loop'], [of('task'), 'coroutine']].filter(([number]) => number > 0)
    .map(([number, name]) => count(number, name));
  const events = `${count(spans.length, 'span')} and ${count(wakes.length, 'wake')} in ${duration(length)}`;
  return [futon === '' ? '' : `futon ${futon}`, parts.join(', '), length > 0 ? events : ''].filter((part) => part !== '').join(' \u00b7 ');
}

class Page {
  constructor(trace) {
    this.trace = trace;
    this.canvas = byId('canvas');
    this.scroll = byId('scroll');
    this.drawing = new Drawing(trace, this.canvas, this.scroll, byId('extent'));
    this.pointers = new Map();
    this.hits = [];
    this.choose = (span, place) => this.chooseSpan(span, place);
    this.table = new Table(trace, byId('table'), byId('more'), (text) => this.search(text, true), (span) => {
      this.chooseSpan(span);
      byId('chart').scrollIntoView({ block: 'nearest' });
    });
    this.bindButtons();
    this.bindPointers();
    this.canvas.addEventListener('keydown', (event) => this.onKey(event));
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.target.tagName === 'INPUT' || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      byId('query').focus();
    });
    this.scroll.addEventListener('scroll', () => this.redraw());
    new ResizeObserver(() => this.relayout()).observe(this.scroll);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.relayout());
    describe(byId('chosen'), undefined);
    this.redraw();
  }

  relayout() {
    this.drawing.resize();
    this.redraw();
  }

  redraw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      const { drawing } = this;
      const begin = performance.now();
      drawing.draw();
      this.canvas.dataset.ms = (performance.now() - begin).toFixed(1);
      const from = Math.max(drawing.from, 0);
      const to = Math.min(drawing.to, this.trace.length);
      byId('range').textContent = `${duration(to - from)} from ${timePoint(from, 10 ** Math.floor(Math.log10(to - from) - 1))}`;
      byId('out').disabled = byId('all').disabled = from === 0 && to === this.trace.length;
    });
  }

  zoom(factor, x) {
    this.drawing.zoom(factor, x);
    this.redraw();
  }

  zoomTo(span) {
    this.drawing.zoomTo(span);
    this.redraw();
  }

  showAll() {
    this.drawing.showAll();
    this.redraw();
  }

  chooseSpan(span, place = span) {
    if (place === undefined) return;
    this.drawing.chosen = span;
    this.drawing.row = place.row;
    this.drawing.reveal(place);
    describe(byId('chosen'), span, this.choose, (chosen) => this.zoomTo(chosen));
    this.redraw();
  }

  // Search.

  bindButtons() {
    byId('in').addEventListener('click', () => this.zoom(0.5));
    byId('out').addEventListener('click', () => this.zoom(2));
    byId('all').addEventListener('click', () => this.showAll());
    byId('query').addEventListener('input', () => this.search(byId('query').value));
    byId('query').addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      this.jump(event.shiftKey ? -1 : 1);
    });
    byId('search').addEventListener('submit', (event) => {
      event.preventDefault();
      this.jump(1);
    });
    byId('previous').addEventListener('click', () => this.jump(-1));
  }

  search(text, isFromTable = false) {
    if (isFromTable) byId('query').value = text;
    const wanted = text.trim().toLowerCase();
    const { drawing, trace } = this;
    drawing.isSearching = wanted !== '';
    this.hits = [];
    const contains = (...texts) => wanted !== '' && texts.some((candidate) => candidate.toLowerCase().includes(wanted));
    for (const object of trace.objects) object.isHit = contains(object.name, object.address, object.kind);
    for (const row of trace.rows) row.isHit = contains(row.name);
    for (const span of trace.spans) {
      const { args, object, row, name } = span;
      span.isHit = row.isHit || (object?.isHit ?? contains(name)) || contains(textOf(args.where), textOf(args.operation));
      if (span.isHit) this.hits.push(span);
    }
    this.hits.sort((a, b) => a.start - b.start);
    for (const row of trace.rows)
      for (const lane of [row.jobs, ...row.lanes])
        lane.spans.forEach(({ isHit }, index) => { lane.hits[index + 1] = lane.hits[index] + (isHit ? 1 : 0); });
    this.at = -1;
    this.showFound();
    if (isFromTable) this.jump(1);
    this.redraw();
  }

  showFound() {
    const { length } = this.hits;
    byId('found').textContent = !this.drawing.isSearching ? '' : length === 0 ? 'nothing found' :
      this.at < 0 ? count(length, 'span') : `${(this.at + 1).toLocaleString('en')} of ${length.toLocaleString('en')}`;
  }

  jump(by) {
    const { length } = this.hits;
    if (length === 0) return;
    this.at = this.at < 0 ? (by > 0 ? 0 : length - 1) : (this.at + by + length) % length;
    this.chooseSpan(this.hits[this.at]);
    this.showFound();
  }

  // Pointers.

  place(event) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top, width, height };
  }

  bindPointers() {
    const { canvas, drawing, pointers } = this;
    const tip = byId('tip');
    canvas.addEventListener('wheel', (event) => {
      const { x } = this.place(event);
      const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
      const [across, down] = [event.deltaX * unit, event.deltaY * unit];
      if (x < drawing.gutter && !event.ctrlKey) return;    // scrolls the rows
      event.preventDefault();
      if (event.shiftKey || Math.abs(across) > Math.abs(down)) drawing.pan(across || down);
      else drawing.zoom(Math.exp(Math.max(-240, Math.min(240, down)) * (event.ctrlKey ? 0.01 : 0.0022)), x);
      tip.hidden = true;
      this.redraw();
    }, { passive: false });
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, this.place(event));
      this.travelled = pointers.size > 1 ? Infinity : 0;
    });
    canvas.addEventListener('pointermove', (event) => {
      const now = this.place(event);
      const before = pointers.get(event.pointerId);
      if (before === undefined) {
        const span = drawing.spanAt(now.x, now.y);
        canvas.style.cursor = span === undefined ? '' : 'pointer';
        showTip(tip, span, now.x, now.y, now);
        return;
      }
      tip.hidden = true;
      this.travelled += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      if (this.travelled < 4) return;
      canvas.classList.add('dragged');
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other !== undefined) {
        const [far, near] = [Math.abs(before.x - other.x), Math.abs(now.x - other.x)].map((distance) => Math.max(distance, 12));
        drawing.zoom(far / near, (now.x + other.x) / 2);
        drawing.pan((before.x - now.x) / 2);
      } else {
        drawing.pan(before.x - now.x);
        if (event.pointerType === 'mouse') this.scroll.scrollTop -= now.y - before.y;
      }
      pointers.set(event.pointerId, now);
      this.redraw();
    });
    const release = (event) => {
      if (!pointers.delete(event.pointerId)) return;
      canvas.classList.remove('dragged');
      if (event.type !== 'pointerup' || this.travelled >= 4) return;
      const { x, y } = this.place(event);
      const row = drawing.rowAt(y);
      drawing.chosen = drawing.spanAt(x, y);
      drawing.row = row;
      describe(byId('chosen'), drawing.chosen, this.choose, (chosen) => this.zoomTo(chosen));
      this.redraw();
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
  }

  // Keys.

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { drawing } = this;
    const shift = drawing.plot * 0.2;
    const pan = (by) => {
      drawing.pan(by);
      this.redraw();
    };
    const actions = {
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), ArrowUp: () => this.stepRow(-1), ArrowDown: () => this.stepRow(1),
      '+': () => this.zoom(0.6), '=': () => this.zoom(0.6), w: () => this.zoom(0.6), '-': () => this.zoom(1 / 0.6),
      s: () => this.zoom(1 / 0.6), a: () => pan(-shift), d: () => pan(shift), 0: () => this.showAll(),
      Enter: () => drawing.chosen && this.zoomTo(drawing.chosen), g: () => goToWaker(drawing.chosen, this.choose),
      Escape: () => this.search('', true),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  /// The next or previous span of the row; the first key chooses the first span in sight.
  step(by) {
    const { drawing, trace } = this;
    const row = drawing.row ?? trace.rows.find(({ spans }) => spans.length > 0);
    if (row === undefined) return;
    const at = row.spans.indexOf(drawing.chosen);
    const first = firstIndex(0, row.spans.length, (i) => row.spans[i].start >= drawing.from);
    this.chooseSpan(row.spans[at < 0 ? Math.min(first, row.spans.length - 1) : at + by]);
  }

  /// In the next row with spans, the one that is nearest in time.
  stepRow(by) {
    const { drawing, trace } = this;
    const time = drawing.chosen?.start ?? drawing.from;
    for (let i = drawing.row === undefined ? (by > 0 ? 0 : -1) : drawing.row.index + by; trace.rows[i] !== undefined; i += by) {
      const { spans } = trace.rows[i];
      if (spans.length === 0) continue;
      this.chooseSpan(spans[Math.max(0, firstIndex(0, spans.length, (at) => spans[at].start > time) - 1)]);
      return;
    }
  }
}

document.documentElement.dataset.state = start();
