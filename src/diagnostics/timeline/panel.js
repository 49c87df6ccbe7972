// SPDX-License-Identifier: MIT
// What is known of the chosen span, and of the one under the pointer.

const link = (text, use, title = '') => {
  const button = element('button', { type: 'button', className: 'link', title }, text);
  button.addEventListener('click', use);
  return button;
};

/// The spans of one object that overlap `span`, by row: how long, and the first of them. Longest first.
function meanwhile(span, category) {
  const rows = new Map();
  for (const other of span.object.spans) {
    if (other.start >= span.end) break;
    if (other.category !== category || other === span || other.end <= span.start) continue;
    const entry = rows.get(other.row) ?? { row: other.row, first: other, length: 0, times: 0 };
    entry.length += Math.min(other.end, span.end) - Math.max(other.start, span.start);
    ++entry.times;
    rows.set(other.row, entry);
  }
  return [...rows.values()].sort((a, b) => b.length - a.length);
}

function describe(panel, span, choose, zoomTo) {
  if (span === undefined) {
    panel.replaceChildren(element('p', {}, 'Choose a span: by a click, or with the arrow keys when the timeline has the focus.'));
    return;
  }
  const { args, object, category } = span;
  const facts = element('dl');
  const fact = (name, ...values) => {
    if (values.length > 0 && values[0] !== '' && values[0] !== undefined) facts.append(element('dt', {}, name), element('dd', {}, ...values));
  };
  fact('By', span.row.name);
  fact('For', duration(span.end - span.start));
  fact('From', exactTime(span.start));
  fact('Called', textOf(args.operation));
  fact('At', textOf(args.where));
  fact('Object', object === undefined ? '' : object.address);
  fact('Mode', textOf(args.mode));
  fact('Answer', textOf(args.answer));
  if (category === WAITING) {
    const { wokenBy } = span;
    fact('Woken by', wokenBy === undefined ? 'no wake was recorded' : link(wokenBy.from.row.name, () => goToWaker(span, choose)));
  }
  if (object !== undefined) {
    const others = meanwhile(span, category === WAITING ? HELD : WAITING);
    const list = others.slice(0, 6).map(({ row, first, length, times }) => element('li', {}, link(row.name, () => choose(first)),
      element('span', {}, `${duration(length)}${times > 1 ? ` in ${times}` : ''}`)));
    if (others.length > 6) list.push(element('li', {}, `and ${others.length - 6} more`));
    const name = category === WAITING ? 'Held meanwhile by' : 'Waited for it meanwhile';
    facts.append(element('div', {}, element('dt', {}, name), element('dd', {}, list.length > 0 ? element('ul', {}, ...list) : 'none')));
  }
  const zoom = element('button', { type: 'button' }, 'Zoom');
  zoom.setAttribute('aria-label', 'Zoom to this span');
  zoom.addEventListener('click', () => zoomTo(span));
  panel.replaceChildren(element('div', { className: 'top' }, element('h3', {}, spanTitle(span)), zoom), facts);
}

/// Chooses what the waker did when it woke: its hold of the object, or else its job, or else what began last.
function goToWaker(span, choose) {
  if (span?.wokenBy === undefined) return;
  const { row, time } = span.wokenBy.from;
  const near = row.spans.filter(({ start, end }) => start <= time + 1 && end >= time - 1);
  choose(near.find(({ object, category }) => object === span.object && category === HELD) ?? near.at(-1) ??
    row.spans.findLast(({ start }) => start <= time), { row, start: time, end: time });
}

function showTip(tip, span, x, y, bounds) {
  tip.hidden = span === undefined;
  if (span === undefined) return;
  tip.replaceChildren(element('b', {}, spanTitle(span)),
    `${duration(span.end - span.start)}, ${span.row.name}${span.args.where ? `, ${span.args.where}` : ''}`);
  const { offsetWidth, offsetHeight } = tip;
  tip.style.left = `${Math.max(4, Math.min(x + 14, bounds.width - offsetWidth - 4))}px`;
  tip.style.top = `${y + 18 + offsetHeight > bounds.height ? y - offsetHeight - 10 : y + 18}px`;
}
