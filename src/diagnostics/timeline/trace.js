// SPDX-License-Identifier: MIT
// Reads a trace: rows with lanes of spans, the objects they are of, and wakes. Times are microseconds since the first event.

const JOB = 0;
const HELD = 1;
const WAITING = 2;
const CATEGORIES = new Map([['held', HELD], ['waiting', WAITING]]);
const GROUPS = [['thread', 'Threads'], ['loop', 'Loops'], ['task', 'Coroutines'], ['', 'Others']];

const textOf = (value) => (value === undefined || value === null ? '' : String(value));

/// The first index in [low, high) for which `isBehind` holds; it holds for all behind that, too.
function firstIndex(low, high, isBehind) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/// Throws an error with a sentence for the reader if `text` is no trace.
function parseTrace(text) {
  let json;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(text.trim() === '' ? 'There is no trace in this page.' : `The trace in this page is not valid JSON: ${error.message}.`);
  }
  const events = Array.isArray(json) ? json : json?.traceEvents;
  if (!Array.isArray(events)) throw new Error('The JSON in this page is no trace: it has no list "traceEvents".');
  return { events, other: (Array.isArray(json) ? undefined : json.otherData) ?? {} };
}

function readTrace(text) {
  const { events, other } = parseTrace(text);
  const rowsByKey = new Map();
  const rowOf = ({ pid, tid }) => {
    const key = `${pid} ${tid}`;
    if (!rowsByKey.has(key)) rowsByKey.set(key, { name: '', kind: '', sort: 0, order: rowsByKey.size, tid, spans: [], lanes: [] });
    return rowsByKey.get(key);
  };
  const objects = new Map();
  const objectOf = (event) => {
    const args = event.args ?? {};
    const key = textOf(args.object) || (event.name === undefined ? '' : `"${event.name}"`);
    if (!objects.has(key)) objects.set(key, { key, address: textOf(args.object), name: '', kind: '', spans: [] });
    const object = objects.get(key);
    if (object.name === '') object.name = textOf(event.name) === object.address ? '' : textOf(event.name);
    if (object.kind === '') object.kind = textOf(args.kind);
    return object;
  };

  const spans = [];
  const starts = new Map();
  const ends = [];
  let unread = 0;
  for (const event of events) {
    if (event === null || typeof event !== 'object') {
      ++unread;
      continue;
    }
    if (event.ph === 'M') {
      const row = rowOf(event);
      if (event.name === 'thread_name') Object.assign(row, { name: textOf(event.args?.name), kind: textOf(event.args?.kind) });
      if (event.name === 'thread_sort_index') row.sort = Number(event.args?.sort_index) || 0;
    } else if (!Number.isFinite(event.ts) || (event.ph === 'X' && !(event.dur >= 0 && Number.isFinite(event.dur)))) {
      ++unread;
    } else if (event.ph === 'X') {
      const category = CATEGORIES.get(event.cat) ?? JOB;
      const object = category === JOB ? undefined : objectOf(event);
      const span = { start: event.ts, end: event.ts + event.dur, category, row: rowOf(event), object, name: textOf(event.name),
        args: event.args ?? {}, wokenBy: undefined, isHit: false };
      spans.push(span);
      span.row.spans.push(span);
      object?.spans.push(span);
    } else if (event.ph === 's') {
      starts.set(event.id, { time: event.ts, row: rowOf(event) });
    } else if (event.ph === 'f') {
      ends.push({ id: event.id, time: event.ts, row: rowOf(event) });
    }
  }

  const rows = [...rowsByKey.values()];
  for (const row of rows) {
    if (!GROUPS.some(([kind]) => kind === row.kind)) row.kind = '';
    if (row.name === '') row.name = `${row.kind || 'row'} ${textOf(row.tid)}`;
  }
  const group = ({ kind }) => GROUPS.findIndex(([name]) => name === kind);
  rows.sort((a, b) => group(a) - group(b) || a.sort - b.sort || a.order - b.order);
  rows.forEach((row, index) => { row.index = index; });

  const wakes = ends.filter(({ id }) => starts.has(id)).map(({ id, time, row }) => ({ from: starts.get(id), to: { time, row } }));
  let begin = Infinity;
  let end = -Infinity;
  for (const span of spans) {
    begin = Math.min(begin, span.start);
    end = Math.max(end, span.end);
  }
  for (const { from, to } of wakes) {
    begin = Math.min(begin, from.time);
    end = Math.max(end, to.time);
  }
  for (const span of spans) {
    span.start -= begin;
    span.end -= begin;
  }
  for (const point of new Set(wakes.flatMap(({ from, to }) => [from, to]))) point.time -= begin;
  for (const row of rows) putIntoLanes(row);
  for (const object of objects.values()) object.spans.sort((a, b) => a.start - b.start);
  for (const wake of wakes) bindWake(wake);
  wakes.sort((a, b) => a.from.time - b.from.time);
  return { program: textOf(other.program), futon: textOf(other.futon), lost: Number(other.lost) || 0, unread, rows, spans, wakes,
    objects: [...objects.values()], length: spans.length + wakes.length > 0 ? Math.max(end - begin, 0.001) : 0 };
}

/// Spans of a lane do not overlap. Jobs lie behind the lanes, unless they overlap themselves.
function putIntoLanes(row) {
  row.spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const lane = (isJobs) => ({ spans: [], end: -Infinity, isJobs });
  const jobs = lane(true);
  const lanes = [];
  for (const span of row.spans) {
    let place = span.category === JOB && jobs.end <= span.start ? jobs : lanes.find(({ end }) => end <= span.start);
    if (place === undefined) lanes.push(place = lane(false));
    place.spans.push(span);
    place.end = span.end;
  }
  row.lanes = lanes;
  row.jobs = jobs;
  for (const { spans } of [jobs, ...lanes]) spans.forEach((span, index) => { span.next = spans[index + 1]; });
  for (const place of [jobs, ...lanes]) {
    place.waits = new Uint32Array(place.spans.length + 1);
    place.hits = new Uint32Array(place.spans.length + 1);
    place.spans.forEach(({ category }, index) => { place.waits[index + 1] = place.waits[index] + (category === WAITING ? 1 : 0); });
  }
}

/// The wait that a wake ended: of those of the row that had begun, the one that ended soonest after it. The clocks of two threads
/// may differ by a little.
function bindWake(wake) {
  const { row, time } = wake.to;
  const slack = 0.002;
  const behind = firstIndex(0, row.spans.length, (at) => row.spans[at].start > time);
  let best;
  for (const span of row.spans.slice(Math.max(0, behind - 64), behind)) {
    if (span.category === WAITING && span.end + slack >= time && (best === undefined || span.end < best.end)) best = span;
  }
  if (best === undefined) return;
  best.wokenBy = wake;
  wake.span = best;
}
