// SPDX-License-Identifier: MIT
// The queue as chips in order, and as a sentence.

export function showQueue(list, people) {
  while (list.children.length > people.length) list.lastChild.remove();
  while (list.children.length < people.length) list.append(document.createElement('li'));
  people.forEach(({ name, isPage, holds, milliseconds }, i) => {
    const item = list.children[i];
    const text = `${name} ${holds ? 'holds' : 'waits'} ${milliseconds.toFixed(0)} ms`;
    if (item.textContent !== text) item.textContent = text;
    item.className = `${holds ? 'holds' : 'waits'}${isPage ? ' page' : ''}`;
  });
}

export function tellQueue(people) {
  if (people.length === 0) return 'The lock is free.';
  const waiting = people.filter(({ holds }) => !holds).map(({ name }) => name);
  const holder = people.find(({ holds }) => holds)?.name;
  const subject = holder === 'page' ? 'The page' : `W${holder?.slice(1)}`;
  return `${holder === undefined ? 'The lock is free' : `${subject} holds the lock`}. ` +
    `${waiting.length === 0 ? 'The queue is empty' : `In the queue: ${waiting.join(', ')}`}.`;
}
