// SPDX-License-Identifier: MIT
// The playground in a frame of the page of the tests. The tests share one, as a visitor does.

export let view;

export const $ = (selector) => view.document.querySelector(selector);
export const $$ = (selector) => [...view.document.querySelectorAll(selector)];
export const nextFrame = () => new Promise((resolve) => { view.requestAnimationFrame(resolve); });

/// Frames pass until the condition holds; the limit of the whole run ends a wait in vain.
export async function until(condition) {
  while (!condition()) await nextFrame();
}

/// Opens the playground in a frame, instead of the one before.
export async function open(address = '/playground/') {
  close();
  const element = document.createElement('iframe');
  Object.assign(element.style, { width: '1200px', height: '700px' });
  element.src = address;
  document.body.append(element);
  await new Promise((resolve) => { element.onload = resolve; });
  view = element.contentWindow;
  while (view.document.documentElement.dataset.state !== 'running') {
    const problem = view.document.getElementById('problem');
    if (!problem.hidden) throw new Error(problem.textContent);
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
}

export function close() {
  view?.playground?.stage.stop();
  view?.frameElement?.remove();
  view = undefined;
}

export function choose(mode) {
  $(`[value=${mode}]`).click();
}

export function set(knob, value) {
  $(`#${knob}`).value = value;
  $(`#${knob}`).dispatchEvent(new view.Event('input'));
}
