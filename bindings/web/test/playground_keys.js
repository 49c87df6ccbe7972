// SPDX-License-Identifier: MIT
// The playground without a mouse: real keys, in both browsers.

import { playgroundAt } from '../scripts/playground.js';
import { serve } from '../scripts/server.js';
import { equal, test } from './harness.js';
import { drive } from './remote.js';

const pause = () => new Promise((resolve) => { setTimeout(resolve, 20); });

/// Where the focus is: the id, or what else tells a control from others.
const NAME = `(({ id, name, dataset, href, className, parentElement: parent }) => id || name || dataset.try?.split(' ')[0] || href ||
  className + ' ' + parent?.closest('section')?.dataset.scene)`;
const FOCUS = `(document.activeElement === document.body ? '' : ${NAME}(document.activeElement))`;

/// The controls in the order of the document; of radio buttons the chosen one.
const CONTROLS = `[...document.querySelectorAll('a, button, input, textarea, [tabindex="0"]')]
  .filter((item) => !item.disabled && (item.type !== 'radio' || item.checked)).map(${NAME}).join()`;

const hasRing = `(({ outlineStyle, outlineWidth }) => outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2)(getComputedStyle(document.activeElement))`;
const isInSight = `(({ top, bottom }) => bottom > 0 && top < innerHeight)(document.activeElement.getBoundingClientRect())`;

async function operate({ evaluate, press }) {
  /// A key has its effect soon after it was pressed. The limit of polls is for the message of a failure.
  async function becomes(expression, expected, what) {
    let found;
    for (let polls = 0; polls < 1500; ++polls, await pause()) if ((found = await evaluate(expression)) === expected) return;
    equal(found, expected, what);
  }
  const until = (expression) => becomes(`Boolean(${expression})`, true, expression);
  await until(`document.documentElement?.dataset.state === 'running'`);

  /// To the next control, at which the focus comes soon after the key was pressed.
  async function tab() {
    const before = await evaluate(FOCUS);
    await press('Tab');
    await until(`${FOCUS} !== ${JSON.stringify(before)}`);
    return evaluate(FOCUS);
  }
  async function tabTo(name) {
    while (await tab() !== name);
  }

  const controls = await evaluate(CONTROLS);
  const reached = [];
  for (let i = 0; i < controls.split(',').length; ++i) {
    reached.push(await tab());
    await becomes(hasRing, true, `a focus ring at ${reached.at(-1)}`);
    await until(isInSight);    // scrolling may be smooth
  }
  equal(reached.join(), controls, 'the order of the focus');

  // Later, so that this is answered before the page is left.
  await evaluate(`void (document.documentElement.dataset.state = 'old', setTimeout(() => location.reload()))`);
  await until(`document.documentElement?.dataset.state === 'running'`);
  await tabTo('mode');
  await press('ArrowDown');
  await becomes(`document.querySelector('[name=mode]:checked').value`, 'futon', 'the mode');
  await tabTo('workers');
  await press('ArrowRight');
  await becomes(`document.getElementById('workers-value').textContent`, '4', 'workers');
  await until(`document.getElementById('queue').children.length === 6`);
  await tabTo('run');
  for (const text of ['Start', 'Stop']) {
    await press('Space');
    await becomes(`document.activeElement.textContent`, text, 'the button');
  }
  await tabTo('describe');
  await press('Enter');
  await becomes(`document.getElementById('status').textContent.includes('frames a second')`, true, 'it is described');
  await tabTo('mode=block');
  await press('Enter');
  await becomes(`document.querySelector('[name=mode]:checked').value`, 'block', 'the mode of the experiment');

  const scene = `document.querySelector('[data-scene=late]')`;
  await tabTo('next late');
  const steps = await evaluate(`${scene}.querySelectorAll('li').length`);
  for (let step = 1; step <= steps; ++step) {
    await press(step % 2 === 0 ? 'Enter' : 'Space');
    await until(`${scene}.dataset.done === '${step}'`);
    await becomes(FOCUS, 'next late', 'the focus after a step');
  }
  await press('Enter');
  await becomes(`${scene}.dataset.done`, String(steps), 'no step after the last');
  await tabTo('again late');
  await press('Space');
  await becomes(`${scene}.dataset.done ?? 'none'`, 'none', 'again');
  await becomes(FOCUS, 'next late', 'the focus at the beginning');

  await tabTo('own-page');
  await press('Enter', true);
  await until(`document.getElementById('own-log').textContent.includes('in the end: 200')`);
  equal(await tab(), 'own-run', 'behind the editor');
  await tabTo('own-stop');
  await press('Space');
  await until(`document.getElementById('own-log').textContent.includes('stopped')`);
  await becomes(FOCUS, 'own-run', 'after the stop');
}

export function testKeys(browsers) {
  for (const browser of browsers) {
    test(`playground: TheKeyboardOperatesEachControl in ${browser}`, async () => {
      const server = await serve(playgroundAt('/'));
      try {
        await drive(browser, `http://127.0.0.1:${server.address().port}/`, operate);
      } finally {
        server.close();
        server.closeAllConnections();
      }
    });
  }
}
