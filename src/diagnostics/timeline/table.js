// SPDX-License-Identifier: MIT
// The worst locks: a row for each object that was waited for or held.

const FIRST_ROWS = 12;

function figuresOf(object) {
  const figures = { object, total: 0, wait: undefined, hold: undefined, share: undefined };
  let holds = 0;
  let waits = 0;
  const longer = (span, other) => (other === undefined || span.end - span.start > other.end - other.start ? span : other);
  for (const span of object.spans) {
    if (span.category === WAITING) {
      figures.total += span.end - span.start;
      figures.wait = longer(span, figures.wait);
      if ((span.args.answer ?? 'ok') === 'ok') ++waits;
    } else {
      ++holds;
      figures.hold = longer(span, figures.hold);
    }
  }
  if (holds > 0) figures.share = Math.min(1, waits / holds);
  return figures;
}

const lengthOf = (span) => (span === undefined ? undefined : span.end - span.start);
const COLUMNS = [
  ['Object', ({ object }) => objectName(object).toLowerCase()],
  ['Total wait', ({ total }) => total],
  ['Longest wait', ({ wait }) => lengthOf(wait)],
  ['Longest hold', ({ hold }) => lengthOf(hold)],
  ['Contended', ({ share }) => share],
];

class Table {
  constructor(trace, table, more, mark, choose) {
    Object.assign(this, { table, more, mark, choose, column: 1, isDescending: true, isWhole: false, marked: '' });
    this.figures = trace.objects.map(figuresOf);
    const cells = COLUMNS.map(([name], index) => {
      const button = element('button', { type: 'button' }, name);
      button.addEventListener('click', () => this.sortBy(index));
      const cell = element('th', { scope: 'col' }, button);
      cell.setAttribute('role', 'columnheader');
      return cell;
    });
    table.tHead.replaceChildren(element('tr', {}, ...cells));
    table.tHead.rows[0].setAttribute('role', 'row');
    more.addEventListener('click', () => {
      this.isWhole = true;
      this.show();
    });
    this.show();
  }

  sortBy(index) {
    this.isDescending = index === this.column ? !this.isDescending : index > 0;
    this.column = index;
    this.show();
  }

  show() {
    const value = COLUMNS[this.column][1];
    const direction = this.isDescending ? -1 : 1;
    this.figures.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);    // last in both directions
      return x === y ? b.total - a.total : x < y ? -direction : direction;
    });
    [...this.table.tHead.rows[0].cells].forEach((cell, index) => {
      if (index === this.column) cell.setAttribute('aria-sort', this.isDescending ? 'descending' : 'ascending');
      else cell.removeAttribute('aria-sort');
    });
    const shown = this.isWhole ? this.figures : this.figures.slice(0, FIRST_ROWS);
    this.table.tBodies[0].replaceChildren(...shown.map((figures) => this.row(figures)));
    this.more.hidden = shown.length === this.figures.length;
    this.more.textContent = `Show all ${this.figures.length.toLocaleString('en')}`;
  }

  row({ object, total, wait, hold, share }) {
    const name = objectName(object);
    const about = [object.kind, object.address].filter((text) => text !== '' && text !== name).join(' ');
    const jump = (span) => (span === undefined ? '\u2013' : link(duration(lengthOf(span)), () => this.choose(span), 'Show this span'));
    const parts = [
      [link(name, () => this.mark(object.address || name), 'Mark all spans of it'), element('small', {}, about)],
      [duration(total)], [jump(wait)], [jump(hold)], share === undefined ? ['\u2013'] : this.share(share),
    ];
    const row = element('tr', {}, ...parts.map((content, index) => {
      const cell = element('td', {}, ...content);
      cell.setAttribute('role', 'cell');
      cell.dataset.label = COLUMNS[index][0];
      return cell;
    }));
    row.setAttribute('role', 'row');
    return row;
  }

  share(share) {
    const bar = element('i');
    bar.style.width = `${share * 100}%`;
    return [element('span', { className: 'share', ariaHidden: 'true' }, bar),
      element('span', { className: 'percent' }, `${Math.round(share * 100)}\u00a0%`)];
  }
}
