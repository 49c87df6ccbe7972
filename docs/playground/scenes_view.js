// SPDX-License-Identifier: MIT
// The scenes on the page: a list of steps, of which each shows its answer and why it matters.

import { Scene, SCENES } from './scenes.js';

function beginScene(name, section, explain) {
  const list = section.querySelector('ol');
  const status = section.querySelector('[role=status]');
  const state = section.querySelector('.state');
  const next = section.querySelector('.next');
  let scene;

  function reset() {
    scene?.end();
    list.replaceChildren(...SCENES[name].map(([who, what]) => {
      const item = document.createElement('li');
      const [actor, call, answer, why] = ['b', 'code', 'span', 'p'].map((tag) => document.createElement(tag));
      answer.className = 'answer';
      actor.textContent = who;
      call.textContent = what;
      item.append(actor, ' ', call, ' ', answer, why);
      return item;
    }));
    scene = new Scene(SCENES[name], (index, result, who) => {
      const item = list.children[index];
      item.querySelector('b').textContent = who;
      item.className = result === 'waits' ? 'waits' : 'done';
      item.querySelector('.answer').textContent = `→ ${result}`;
    });
    status.textContent = '';
    state.textContent = scene.state;
    next.ariaDisabled = null;
    delete section.dataset.done;
  }

  async function step() {
    if (next.ariaDisabled === 'true') return;
    const [current, index] = [scene, scene.at];
    next.ariaDisabled = 'true';     // not `disabled`: that would take the focus away
    const item = list.children[index];
    item.setAttribute('aria-current', 'step');
    await current.step();
    if (current !== scene) return;
    item.removeAttribute('aria-current');
    const { why } = scene;
    item.querySelector('p').textContent = why;
    state.textContent = scene.state;
    const said = [...item.querySelectorAll('b, code, .answer')].map(({ textContent }) => textContent).join(' ').replace(' →', ':');
    status.textContent = `${said}. ${why} ${scene.state}`;
    next.ariaDisabled = scene.isOver ? 'true' : null;
    section.dataset.done = index + 1;
    section.dataset.order = scene.order.join(' ');
  }

  next.addEventListener('click', () => step().catch((error) => explain(error.message)));
  section.querySelector('.again').addEventListener('click', () => {
    reset();
    next.focus();
  });
  reset();
}

export function beginScenes(explain) {
  for (const section of document.querySelectorAll('[data-scene]')) beginScene(section.dataset.scene, section, explain);
}
