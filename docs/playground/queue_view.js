// SPDX-License-Identifier: MIT
// The queue as cells in order, and as a sentence.

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function makeCell() {
  const cell = document.createElement('li');
  cell.append(document.createElement('span'), ' ', document.createElement('span'));
  return cell;
}

/// Shows the queue in cells: the first is the holder's. There are as many as contenders and one, so that what is below stays where
/// it is; those behind the last waiter are empty.
export function showQueue(list, people, contenders) {
  while (list.children.length > contenders + 1) list.lastChild.remove();
  while (list.children.length < contenders + 1) list.append(makeCell());
  const seen = people[0]?.holds ? people : [undefined, ...people];
  [...list.children].forEach((cell, i) => {
    const person = seen[i];
    const [name, since] = cell.children;
    const none = i > 0 ? '' : people.length === 0 ? 'free' : 'no holder yet';
    setText(name, person?.name ?? none);
    setText(since, person === undefined ? '' : `${person.holds ? 'holds' : 'waits'} ${person.milliseconds.toFixed(0)} ms`);
    const kind = person === undefined ? (i === 0 ? 'none' : '') : `${person.holds ? 'holds' : 'waits'}${person.isPage ? ' page' : ''}`;
    if (cell.className !== kind) cell.className = kind;
    cell.ariaHidden = person === undefined && i > 0 ? 'true' : null;
  });
}

const capitalized = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;

export function tellQueue(people) {
  if (people.length === 0) return 'The lock is free, and the queue is empty.';
  const time = ({ milliseconds }) => `${milliseconds.toFixed(0)} ms`;
  const holder = people.find(({ holds }) => holds);
  const waiting = people.filter(({ holds }) => !holds).map((person) => `${person.name} for ${time(person)}`);
  const first = holder === undefined ? 'The lock has no holder yet'
    : `${capitalized(holder.isPage ? 'the page' : holder.name)} has held the lock for ${time(holder)}`;
  return `${first}. ${waiting.length === 0 ? 'The queue is empty' : `In the queue: ${waiting.join(', ')}`}.`;
}
