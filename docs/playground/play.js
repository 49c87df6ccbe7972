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
const REFRESH = 250;      // milliseconds between two updates of the figures
const STILL = 1000;       // and of the pictures, for readers who prefer less motion

const NOTES = {
  strict: 'Each unlock hands the lock to the first in the queue, and keeps it until the event loop of that one has come. The page draws while it waits.',
  futon: 'A thread that comes while the lock is free may take it past the queue, until one in it has waited for a millisecond. More work is done; ' +
    'the page waits a bit longer.',
  article: 'Each unlock wakes the first in the queue, which then asks for the lock. A worker that comes at this moment is quicker than the page.',
  spin: 'The page asks for the lock again and again until it has it. Meanwhile there is no frame and no click. It has no place in the queue.',
  block: 'The page calls lock(), as the workers do. The browser does not let its main thread sleep: the call throws an error.',
};

const valueOf = (id) => Number($(id).value);
const modeOf = () => document.querySelector('[name=mode]:checked').value;
const milliseconds = (value) => `${value.toFixed(1)} ms`;

/// The colours of the style, for the canvases. They follow the scheme of the reader.
function readColors() {
  const probe = document.createElement('i');
  document.body.append(probe);
  const read = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colors = Object.fromEntries(['ink', 'faint', 'line', 'paper', 'hold', 'wait', 'late'].map((name) => [name, read(name)]));
  probe.remove();
  return colors;
}

export function begin(explain) {
  const stage = new Stage(explain);
  const meter = new FrameMeter();
  const stillness = matchMedia('(prefers-reduced-motion: reduce)');
  let colors = readColors();
  let isInSight = true;

  function start() {
    meter.clear();
    stage.start(modeOf(), valueOf('workers'), { hold: valueOf('hold'), pause: valueOf('pause'), work: valueOf('work') });
    $('note').textContent = NOTES[stage.mode];
    $('run').textContent = 'Stop';
    schedule();
  }

  function stop() {
    stage.stop();
    $('run').textContent = 'Start';
  }

  function showFigures() {
    const show = (id, text) => { $(id).textContent = text; };
    const workers = stage.entries.slice(1);
    show('rate', meter.rate.toFixed(0));
    show('longest', milliseconds(meter.longest));
    show('held-up', milliseconds(stage.heldUp));
    const turns = stage.page.turns + stage.workerTurns;
    const share = (field) => `${(turns === 0 ? 0 : stage.entries.reduce((sum, entry) => sum + entry[field], 0) / turns * 100).toFixed(0)} %`;
    const aSecond = (count) => `${(count / stage.seconds).toFixed(0)} / s`;
    show('passed', share('passed'));
    show('late', share('late'));
    show('page-turns', aSecond(stage.page.turns));
    show('page-wait', milliseconds(stage.page.longest));
    show('worker-turns', aSecond(stage.workerTurns));
    show('worker-wait', milliseconds(Math.max(...workers.map(({ longest }) => longest))));
    show('message', stage.message);
  }

  function describe() {
    showFigures();
    const { page, workerTurns, heldUp, message } = stage;
    $('status').textContent = `${tellQueue(stage.queue())} ${meter.rate.toFixed(0)} frames a second, the longest took ` +
      `${milliseconds(meter.longest)}. The lock stopped the page for ${milliseconds(heldUp)} at most. The page had the lock ${page.turns} ` +
      `times, the workers ${workerTurns} times. ${message}`;
  }

  let figuresAt = 0;
  let picturesAt = 0;
  let isScheduled = false;

  function draw(now) {
    meter.draw($('frames'), now, colors, !stillness.matches);
    drawTimeline($('timeline'), stage, colors);
  }

  function frame(now) {
    isScheduled = false;
    if (!stage.isRunning) return;      // what was drawn last stays
    meter.record(now);
    stage.frame();
    if (now - figuresAt > REFRESH) {
      figuresAt = now;
      showFigures();
    }
    if (!stillness.matches || now - picturesAt > STILL) {
      picturesAt = now;
      if (isInSight) draw(now);
      showQueue($('queue'), stage.queue(), stage.entries.length);
    }
    schedule();
  }

  function schedule() {
    if (!isScheduled) requestAnimationFrame(frame);
    isScheduled = true;
  }

  /// A stopped run is drawn again where the size or the colours have changed.
  function redraw() {
    colors = readColors();
    if (!stage.isRunning && meter.count > 0) draw(meter.at);
  }
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) matchMedia(query).addEventListener('change', redraw);
  new ResizeObserver(redraw).observe($('frames'));
  new IntersectionObserver(([{ isIntersecting }]) => { isInSight = isIntersecting; }).observe(document.querySelector('.stage'));

  const show = (id) => {
    const text = `${$(id).value}${KNOBS[id]}`;
    $(`${id}-value`).textContent = text;
    $(id).setAttribute('aria-valuetext', text);
  };
  for (const id of Object.keys(KNOBS)) {
    show(id);
    $(id).addEventListener('input', () => {
      show(id);
      if (id === 'workers') start();
      else if (id === 'work') stage.work = valueOf(id);
      else stage.knobs[id] = valueOf(id);
    });
  }
  for (const radio of document.querySelectorAll('[name=mode]')) radio.addEventListener('change', start);
  for (const button of document.querySelectorAll('[data-try]')) {
    button.addEventListener('click', () => {
      const { mode, ...knobs } = Object.fromEntries(button.dataset.try.split(' ').map((pair) => pair.split('=')));
      document.querySelector(`[name=mode][value=${mode}]`).checked = true;
      for (const [id, value] of Object.entries(knobs)) {
        $(id).value = value;
        show(id);
      }
      start();
      document.querySelector('.stage').scrollIntoView();
    });
    button.disabled = false;
  }
  if (Atomics.waitAsync === undefined) {        // futon's lock has a stand-in for it
    for (const control of document.querySelectorAll('[value=article], [data-try^="mode=article"]')) {
      control.disabled = true;
      if (control.type === 'button') control.after(' This browser has no Atomics.waitAsync, which this lock needs.');
    }
  }
  $('run').addEventListener('click', () => (stage.isRunning ? stop() : start()));
  $('describe').addEventListener('click', describe);
  $('controls').disabled = false;
  beginScenes(explain);
  beginOwnCode();
  start();
  document.documentElement.dataset.state = 'running';
  window.playground = { stage, meter };   // for the console and the tests
}
