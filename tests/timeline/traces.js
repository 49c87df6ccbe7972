// SPDX-License-Identifier: MIT
// Traces as futon::diagnostics writes them, made up: a bank, names that are hostile, many events, none.

/// Numbers that are the same in each run.
function generator(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

class Recorder {
  events = [];
  #tids = new Map();
  #wakes = 0;

  row(kind, name) {
    const tid = this.#tids.size + 1;
    this.#tids.set(name, tid);
    const about = { ph: 'M', pid: 1, tid };
    this.events.push({ ...about, name: 'thread_name', args: { name, kind } }, { ...about, name: 'thread_sort_index', args: { sort_index: tid } });
    return tid;
  }

  span(cat, tid, name, ts, end, args = {}) {
    this.events.push({ ph: 'X', pid: 1, tid, cat, name, ts: Number(ts.toFixed(3)), dur: Number((end - ts).toFixed(3)), args });
  }

  wake(from, ts, to, end) {
    const id = ++this.#wakes;
    const about = { pid: 1, cat: 'wake', id, name: 'wake' };
    this.events.push({ ph: 's', ...about, tid: from, ts: Number(ts.toFixed(3)) },
      { ph: 'f', bp: 'e', ...about, tid: to, ts: Number(end.toFixed(3)) });
  }

  json({ program = 'bank', lost = 0 } = {}) {
    return JSON.stringify({ displayTimeUnit: 'ns', otherData: { program, futon: '0.9.0', lost }, traceEvents: this.events });
  }
}

/// One wait, behind one hold, and a third object that is free: every figure of it can be told.
export function small(names = { lock: 'accounts', row: 'worker 1', where: 'bank.cpp:77' }, options = {}) {
  const recorder = new Recorder();
  const first = recorder.row('thread', names.row);
  const second = recorder.row('thread', 'worker 2');
  const loop = recorder.row('loop', 'loop 1');
  const object = { object: '0x7ffe0010', kind: 'AsyncLock' };
  recorder.span('held', first, names.lock, 1000, 1100, { ...object, mode: 'exclusive', where: 'bank.cpp:41' });
  recorder.span('waiting', second, names.lock, 1020, 1110, { ...object, operation: 'futon::AsyncLock::lock', answer: 'ok', where: names.where });
  recorder.wake(first, 1100, second, 1108);
  recorder.span('held', second, names.lock, 1110, 1120, { ...object, mode: 'exclusive' });
  recorder.span('held', first, 'journal', 1150, 1160, { object: '0x7ffe0020', kind: 'SharedLock', mode: 'shared' });
  recorder.span('job', loop, 'job', 1000, 1200);
  return recorder.json(options);
}

/// Threads, loops and coroutines at locks, as a program does it: each lock has one owner at a time, and a queue.
export function bank(spans = 900, { threads = 5, loops = 2, tasksOfLoop = 4, seed = 7, lost = 0 } = {}) {
  const random = generator(seed);
  const recorder = new Recorder();
  const rows = Array.from({ length: threads }, (_, i) => ({ tid: recorder.row('thread', i === 0 ? 'main' : `worker ${i}`), free: 0 }));
  const loopRows = Array.from({ length: loops }, (_, i) => ({ tid: recorder.row('loop', `loop ${i + 1}`), free: 0 }));
  for (const { tid } of loopRows)
    for (let i = 0; i < tasksOfLoop; ++i) rows.push({ tid: recorder.row('task', `coroutine ${tid}.${i + 1}`), free: 0, loop: true });
  const locks = ['accounts', 'journal', 'cache', 'sessions', '', 'quota', 'index', 'clock'].map((name, i) => ({
    name: name || `0x7ffe00${i}0`, free: 0, owner: rows[0].tid,
    object: { object: `0x7ffe00${i}0`, kind: i % 3 === 1 ? 'SharedLock' : 'AsyncLock' }, weight: 1 / (i + 1),
  }));
  for (let made = 0; made < spans;) {
    const row = rows.reduce((a, b) => (a.free <= b.free ? a : b));
    const lock = locks[Math.floor(random() ** 2 * locks.length)];
    const wants = row.free + 2 + random() * 60;
    const where = `bank.cpp:${40 + Math.floor(random() * 60)}`;
    let begin = wants;
    if (lock.free > wants) {
      begin = lock.free + 1.5;
      recorder.span('waiting', row.tid, lock.name, wants, begin, { ...lock.object, operation: `futon::${lock.object.kind}::lock`, answer: 'ok', where });
      recorder.wake(lock.owner, lock.free, row.tid, begin - 0.2);
      made += 2;
    }
    const end = begin + 1 + 40 * random() ** 3;
    const mode = lock.object.kind === 'SharedLock' && random() < 0.6 ? 'shared' : 'exclusive';
    recorder.span('held', row.tid, lock.name, begin, end, { ...lock.object, mode, where });
    if (random() < 0.3) {
      recorder.span('held', row.tid, 'statistics', begin + (end - begin) * 0.3, begin + (end - begin) * 0.7,
        { object: '0x7ffe0900', kind: 'AsyncLock', mode: 'exclusive' });
      ++made;
    }
    ++made;
    Object.assign(lock, { free: end, owner: row.tid });
    row.free = end;
    if (row.loop) {
      const loop = loopRows[row.tid % loops];
      if (loop.free <= begin) {
        recorder.span('job', loop.tid, 'job', begin, end + 1);
        loop.free = end + 2;
        ++made;
      }
    }
  }
  return recorder.json({ lost });
}

export const hostile = () => small({ lock: '</script><script>document.title="stolen"</script>', row: '<img src=x onerror="document.title=1">',
  where: '<!-- "\'&amp; \u2028 \u202e' }, { program: '</title><b>bank' });
export const empty = () => new Recorder().json();
