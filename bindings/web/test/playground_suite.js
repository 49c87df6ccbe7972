// SPDX-License-Identifier: MIT
// The playground, in a frame of the page of the tests. Only counts are compared: no test asks how long anything takes.

import { equal, runAll as runSuite, test } from './harness.js';

let view;

const $ = (selector) => view.document.querySelector(selector);
const nextFrame = () => new Promise((resolve) => { view.requestAnimationFrame(resolve); });

/// Frames pass until the condition holds; the limit of the whole run ends a wait in vain.
async function until(condition) {
  while (!condition()) await nextFrame();
}

function choose(mode) {
  $(`[value=${mode}]`).click();
  equal(view.playground.stage.mode, mode, 'the mode');
}

function set(knob, value) {
  $(`#${knob}`).value = value;
  $(`#${knob}`).dispatchEvent(new view.Event('input'));
}

async function open() {
  const element = document.createElement('iframe');
  Object.assign(element.style, { width: '900px', height: '700px' });
  element.src = '/playground/';
  document.body.append(element);
  await new Promise((resolve) => { element.onload = resolve; });
  view = element.contentWindow;
  while (view.document.documentElement.dataset.state !== 'running') {
    const problem = view.document.getElementById('problem');
    if (!problem.hidden) throw new Error(problem.textContent);
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
}

test('ThePlaygroundStarts', async () => {
  await open();
  equal(view.crossOriginIsolated, true, 'crossOriginIsolated');
  equal($('#problem').hidden, true, 'no problem');
});

for (const mode of ['strict', 'futon', 'article']) {
  if (mode === 'article' && Atomics.waitAsync === undefined) continue;
  test(`FramesGoOnWhileWorkersBlockForTheLock ${mode}`, async () => {
    choose(mode);
    const { stage, meter } = view.playground;
    await until(() => stage.workerTurns >= 50 && stage.page.turns >= 20);
    equal(meter.count >= 20, true, `${meter.count} frames`);
    equal($('#problem').hidden, true, $('#problem').textContent);
  });
}

test('APageThatBlocksIsRefusedAndTheWorkersGoOn', async () => {
  choose('block');
  const { stage } = view.playground;
  await until(() => stage.refusals >= 5);
  const turns = stage.workerTurns;
  await until(() => stage.workerTurns >= turns + 10 && $('#message').textContent !== '');
  equal(/TypeError: .*lock/.test($('#message').textContent), true, $('#message').textContent);
});

test('APageThatSpinsHasTheLockOrGivesUp', async () => {
  choose('spin');
  const { stage } = view.playground;
  await until(() => stage.page.turns + stage.surrenders >= 5 && stage.workerTurns >= 5);
});

test('TheOrderThatIsShownIsTheOrderThatIsServed', async () => {
  const { Entry } = await import('/playground/ledger.js');
  const { showQueue } = await import('/playground/queue_view.js');
  const { stage } = view.playground;
  const shown = () => {
    showQueue($('#queue'), stage.queue());
    return [...$('#queue').children].map(({ textContent }) => textContent.replace(/ (holds|waits) \d+ ms$/, ''));
  };
  // The clock of offers stands still: none expires, however late this page's tasks are.
  const { now } = view.Date;
  const time = now();
  view.Date.now = () => time;
  try {
    stage.start('strict', 0, { hold: 0, pause: 0, work: 0 });
    // The contenders are this test's own: each is in the queue when its call has returned.
    stage.entries = Array.from({ length: 6 }, (_, i) => new Entry(stage.lock.buffer, i, stage.page.origin));
    const served = [];
    const contend = async (index) => {
      const entry = stage.entries[index];
      entry.waits();
      const guard = await stage.lock.lockAsync();
      entry.holds();
      served.push(stage.nameOf(entry));
      const chips = shown();
      equal(chips[0], served.at(-1), 'the holder');
      if (served.length > 1) equal(chips.length, 7 - served.length, 'chips');
      return () => {
        entry.pauses();
        guard.unlock();
      };
    };
    const release = await contend(2);
    const ends = [4, 1, 5, 0, 3].map((index) => contend(index).then((end) => end()));
    const promised = shown();
    equal(promised.join(), 'worker 2,worker 4,worker 1,worker 5,page,worker 3', 'the chips');
    $('#describe').click();
    equal($('#status').textContent.startsWith('Worker 2 holds the lock. In the queue: worker 4, worker 1, worker 5, page, worker 3.'),
      true, $('#status').textContent);
    release();
    await Promise.all(ends);
    if (Atomics.waitAsync === undefined) served.sort(), promised.sort();  // sleepers may change places
    equal(served.join(), promised.join(), 'the order served');
    equal(shown().length, 0, 'the queue in the end');
  } finally {
    view.Date.now = now;
  }
});

test('OneHolderAtMostIsShownBeforeThoseThatWait', async () => {
  choose('strict');
  set('workers', 6);
  set('pause', 0);
  const { stage } = view.playground;
  for (let seen = 0; seen < 30; await nextFrame()) {
    const people = stage.queue();
    equal(people.filter(({ holds }, i) => holds && i > 0).length, 0, 'holders behind the first place');
    if (people.length >= 4) ++seen;
  }
  equal($('#queue').children.length >= 1, true, 'chips');
});

test('TheKnobsReachTheWorkers', async () => {
  set('workers', 2);
  set('hold', 0);
  set('pause', 1);
  const { stage } = view.playground;
  equal(stage.entries.length, 3, 'contenders');
  equal(stage.knobs.hold, 0, 'hold');
  equal($('#hold-value').value, '0 ms', 'what is shown');
  await until(() => stage.workerTurns >= 20);
});

test('AStoppedRunStartsAgain', async () => {
  const { stage } = view.playground;
  $('#run').click();
  equal(stage.isRunning, false, 'running');
  $('#run').click();
  await until(() => stage.workerTurns >= 5);
});

test('ItIsDescribedInWords', async () => {
  $('#describe').click();
  equal(/frames a second.*The page had the lock \d+ times/.test($('#status').textContent), true, $('#status').textContent);
});

async function play(name) {
  const section = $(`[data-scene=${name}]`);
  const steps = section.querySelectorAll('li').length;
  for (let done = 1; done <= steps; ++done) {
    section.querySelector('.next').click();
    await until(() => section.dataset.done === String(done));
  }
  equal(section.querySelector('.next').disabled, true, 'the end');
  return { order: section.dataset.order, answers: [...section.querySelectorAll('output')].map(({ value }) => value) };
}

test('AWaitThatComesTooLateDoesNotSleep', async () => {
  const { order, answers } = await play('late');
  equal(order, 'T1 T2');
  equal(answers[3], '→ 0 woken');
  equal(answers[4], '→ did not sleep: not-equal');
});

test('AWokenWaiterFindsTheLockTaken', async () => {
  const { order, answers } = await play('barge');
  equal(order, 'T1 T3 T2');
  equal(answers[6], '→ it is held by another');
});

test('ThreadsAndPromisesAllGetTheLockFromOneQueue', async () => {
  const { order } = await play('queue');
  equal(order.split(' ')[0], 'T1');
  equal(order.split(' ').sort().join(), 'T1,T2,T3,page');
});

const lines = () => [...$('#own-log').children].map(({ textContent }) => textContent);

async function runOwn(worker, page) {
  if (worker !== undefined) $('#own-worker').value = worker;
  if (page !== undefined) $('#own-page').value = page;
  $('#own-run').click();
}

test('TheExampleOfOnesOwnCodeRuns', async () => {
  await runOwn();
  await until(() => lines().at(-1)?.startsWith('—'));
  equal(lines().includes('in the end: 2000'), true, lines().join('; '));
});

test('ErrorsOfOnesOwnCodeAreShown', async () => {
  await runOwn(undefined, 'export default () => { throw new RangeError("of the page"); };');
  await until(() => lines().length > 0);
  equal(lines()[0], 'RangeError: of the page');
  await runOwn('throw new Error("of the worker");', 'export default ({ startWorker }) => { startWorker({}); };');
  await until(() => lines().some((line) => line.includes('of the worker')));
  await runOwn(undefined, 'export const nothing = 0;');
  await until(() => lines().length > 0);
  equal(lines()[0], 'TypeError: the code of the page has to export a function by default');
  await runOwn(undefined, 'this is no code');
  await until(() => lines().length > 0);
  equal(lines()[0].startsWith('SyntaxError'), true, lines()[0]);
  $('#own-stop').click();
});

test('EachControlHasALabelAndEachPictureAText', () => {
  for (const control of view.document.querySelectorAll('input, textarea'))
    equal(control.labels.length > 0, true, control.id || control.value);
  for (const picture of view.document.querySelectorAll('canvas')) equal(picture.getAttribute('aria-label').length > 20, true, picture.id);
  for (const button of view.document.querySelectorAll('button')) equal(button.textContent.length > 2, true, 'button');
});

/// The order of the tests is that of the file: they share one playground, as a visitor does.
export async function runAll(log, only) {
  if (only !== '') await open();
  const failures = await runSuite(log, only);
  view?.playground?.stage.stop();
  return failures;
}
