// SPDX-License-Identifier: MIT
// The stage with its knobs, pictures and figures.

import { FrameMeter } from './frame_meter.js';
import { beginOwnCode } from './own_code_view.js';
import { showQueue, tellQueue } from './queue_view.js';
import { beginScenes } from './scenes_view.js';
import { Stage } from './stage.js';
import { drawTimeline } from './timeline.js';

const $ = (id) => document.getElementById(id);
const KNOBS = { workers: '', hold: ' ms', pause: ' ms', work: ' ms' };
const REFRESH = 250;      // milliseconds between two looks at the figures

const NOTES = {
  strict: 'Each unlock offers the lock to the first in the queue, for a millisecond or two. The page is served in its turn, and draws while it waits.',
  futon: 'A worker that finds the lock free may take it past the queue, until one has waited for a millisecond. More work is done; ' +
    'the page waits a bit longer.',
  article: 'The lock that articles show. Each unlock wakes one, who has to ask anew: the page, woken as a task, often comes too late.',
  spin: 'The page asks for the lock again and again, and cannot do anything else: no frame, no click. See the frame graph.',
  block: 'The page calls lock(), as a worker does. The browser does not allow it: an error, and nothing has changed.',
};

const valueOf = (id) => Number($(id).value);
const modeOf = () => document.querySelector('[name=mode]:checked').value;
const milliseconds = (value) => `${value.toFixed(1)} ms`;

export function begin(explain) {
  const stage = new Stage(explain);
  const meter = new FrameMeter();
  const stillness = matchMedia('(prefers-reduced-motion: reduce)');

  const colors = () => {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(name).trim();
    return { ink: getComputedStyle(document.body).color, hold: read('--hold'), wait: read('--wait'), late: read('--late') };
  };

  function start() {
    meter.clear();
    stage.start(modeOf(), valueOf('workers'), { hold: valueOf('hold'), pause: valueOf('pause'), work: valueOf('work') });
    $('note').textContent = NOTES[stage.mode];
    $('run').textContent = 'Stop';
  }

  function stop() {
    stage.stop();
    $('run').textContent = 'Start';
  }

  function showFigures() {
    const workers = stage.entries.slice(1);
    $('rate').value = meter.rate.toFixed(0);
    $('longest').value = milliseconds(meter.longest);
    $('page-turns').value = stage.page.turns;
    $('page-wait').value = milliseconds(stage.page.longest);
    $('worker-turns').value = stage.workerTurns;
    $('worker-wait').value = milliseconds(Math.max(...workers.map(({ longest }) => longest)));
    $('overtaken').value = stage.entries.reduce((sum, { overtaken }) => sum + overtaken, 0);
    $('message').textContent = stage.message;
  }

  function describe() {
    showFigures();
    $('status').textContent = `${tellQueue(stage.queue())} ${meter.rate.toFixed(0)} frames a second, the longest took ` +
      `${milliseconds(meter.longest)}. The page had the lock ${stage.page.turns} times, the workers ${stage.workerTurns} times. ${stage.message}`;
  }

  let looked = 0;
  function frame(now) {
    meter.record(now);
    stage.frame();
    const tints = colors();
    meter.draw($('frames'), now, tints, !stillness.matches);
    if (stage.isRunning) {
      drawTimeline($('timeline'), stage, tints);
      showQueue($('queue'), stage.queue());
      if (now - looked > REFRESH) {
        looked = now;
        showFigures();
      }
    }
    requestAnimationFrame(frame);
  }

  for (const [id, unit] of Object.entries(KNOBS)) {
    const show = () => {
      $(`${id}-value`).value = `${$(id).value}${unit}`;
      $(id).setAttribute('aria-valuetext', `${$(id).value}${unit}`);
    };
    show();
    $(id).addEventListener('input', () => {
      show();
      if (id === 'workers') start();
      else if (id === 'work') stage.work = valueOf(id);
      else stage.knobs[id] = valueOf(id);
    });
  }
  for (const radio of document.querySelectorAll('[name=mode]')) radio.addEventListener('change', start);
  $('run').addEventListener('click', () => (stage.isRunning ? stop() : start()));
  $('describe').addEventListener('click', describe);
  $('controls').disabled = false;
  beginScenes(explain);
  beginOwnCode();
  start();
  requestAnimationFrame(frame);
  document.documentElement.dataset.state = 'running';
  window.playground = { stage, meter };   // to look at in the console, and for the tests
}
