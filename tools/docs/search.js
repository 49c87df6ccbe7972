// SPDX-License-Identifier: MIT
// Finds the names of the library that contain what is typed: first those that begin with it, then the shorter ones.
'use strict';

(function () {
  const field = document.getElementById('search');
  const list = document.getElementById('found');

  function rank(name, wanted) {
    const lower = name.toLowerCase();
    const last = lower.slice(lower.lastIndexOf('::') + 1).replace(':', '');
    if (lower === wanted || last === wanted) return 0;
    if (lower.startsWith(wanted)) return 1;
    return last.startsWith(wanted) ? 2 : 3;
  }

  function show() {
    const wanted = field.value.trim().toLowerCase().replace(/^futon::/, '');
    list.replaceChildren();
    if (wanted.length < 2) return;
    const found = futonNames.filter(([name]) => name.toLowerCase().includes(wanted));
    found.sort(([a], [b]) => rank(a, wanted) - rank(b, wanted) || a.length - b.length);
    for (const [name, place] of found.slice(0, 12)) {
      const link = document.createElement('a');
      link.href = field.dataset.root + place;
      link.textContent = name;
      list.appendChild(document.createElement('li')).appendChild(link);
    }
  }

  field.addEventListener('input', show);
  field.addEventListener('keydown', (event) => { if (event.key === 'Escape') { field.value = ''; show(); } });
  field.form.addEventListener('submit', (event) => {
    event.preventDefault();
    const first = list.querySelector('a');
    if (first) location.href = first.href;
  });
  show();
}());
