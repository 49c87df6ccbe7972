// SPDX-License-Identifier: MIT
// The playground, in a frame of the page of the tests. Only counts are compared: no test asks how long anything takes.

import { equal, runAll as runSuite, test } from './harness.js';
import { $, choose, close, nextFrame, open, set, until, view } from './playground_view.js';

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
    equal(stage.mode, mode, 'the mode');
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
    showQueue($('#queue'), stage.queue(), stage.entries.length);
    return [...$('#queue').children].filter(({ ariaHidden }) => ariaHidden === null)
      .map(({ textContent }) => textContent.replace(/ (holds|waits) \d+ ms$/, '').trim());
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
      const cells = shown();
      equal(cells[0], served.at(-1), 'the holder');
      if (served.length > 1) equal(cells.length, 7 - served.length, 'cells');
      equal($('#queue').children.length, 7, 'cells, empty ones included');
      return () => {
        entry.pauses();
        guard.unlock();
      };
    };
    const release = await contend(2);
    const ends = [4, 1, 5, 0, 3].map((index) => contend(index).then((end) => end()));
    const promised = shown();
    equal(promised.join(), 'worker 2,worker 4,worker 1,worker 5,page,worker 3', 'the cells');
    $('#describe').click();
    equal($('#status').textContent.replace(/\d+ ms/g, 'TIME').startsWith('Worker 2 has held the lock for TIME. In the queue: worker 4 for TIME, ' +
      'worker 1 for TIME, worker 5 for TIME, page for TIME, worker 3 for TIME.'), true, $('#status').textContent);
    release();
    await Promise.all(ends);
    if (Atomics.waitAsync === undefined) served.sort(), promised.sort();  // sleepers may change places
    equal(served.join(), promised.join(), 'the order served');
    equal(shown().join(), 'free', 'the queue in the end');
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
});

test('TheKnobsReachTheWorkers', async () => {
  set('workers', 2);
  set('hold', 0);
  set('pause', 1);
  const { stage } = view.playground;
  equal(stage.entries.length, 3, 'contenders');
  equal(stage.knobs.hold, 0, 'hold');
  equal($('#hold-value').textContent, '0 ms', 'what is shown');
  equal($('#hold').getAttribute('aria-valuetext'), '0 ms', 'what is read out');
  await until(() => stage.workerTurns >= 20);
});

test('AStoppedRunDrawsNothingAndStartsAgain', async () => {
  const { stage } = view.playground;
  $('#run').click();
  equal(stage.isRunning, false, 'running');
  await nextFrame();
  const { requestAnimationFrame } = view;
  let asked = 0;
  view.requestAnimationFrame = () => ++asked;
  for (let frames = 0; frames < 5; ++frames) await new Promise((resolve) => { requestAnimationFrame.call(view, resolve); });
  view.requestAnimationFrame = requestAnimationFrame;
  equal(asked, 0, 'frames asked for');
  equal(stage.now, stage.now, 'the time stands still');
  $('#run').click();
  await until(() => stage.workerTurns >= 5);
});

test('APassedWaiterIsToldFromALateOne', async () => {
  const { Entry, makeBuffer } = await import('/playground/ledger.js');
  const buffer = makeBuffer(3);
  const [owner, first, second] = [0, 1, 2].map((index) => new Entry(buffer, index, performance.timeOrigin));
  let time = 0;
  for (const entry of [owner, first, second]) entry.now = () => time;
  const at = (milliseconds, run) => {
    time = milliseconds * 1000;
    run();
  };
  at(1, () => owner.waits());
  at(1, () => owner.holds());
  at(2, () => first.waits());
  at(5, () => second.waits());
  at(10, () => owner.pauses());
  at(10.1, () => second.holds());          // at once: the first is passed
  at(11, () => second.pauses());
  at(11.1, () => first.holds());
  equal(`${first.passed} ${first.late}`, '1 0', 'passed');
  at(12, () => second.waits());
  at(15, () => owner.waits());
  at(16, () => first.pauses());
  at(20, () => owner.holds());             // the lock was kept for the second meanwhile
  at(21, () => owner.pauses());
  at(21.1, () => second.holds());
  equal(`${second.passed} ${second.late}`, '0 1', 'late');
  at(22, () => first.waits());
  at(22.5, () => owner.waits());           // both came at the same time
  at(23, () => second.pauses());
  at(23.1, () => owner.holds());
  at(24, () => owner.pauses());
  at(24.1, () => first.holds());
  equal(`${first.passed} ${first.late}`, '1 0', 'neither');
});

test('EachExperimentShowsFiveLinesAndLinksToFilesThatAreThere', async () => {
  const experiments = [...view.document.querySelectorAll('.experiments li')];
  equal(experiments.length, 4);
  for (const item of experiments) {
    equal(item.querySelector('pre').textContent.split('\n').length, 5, item.querySelector('h3').textContent);
    equal(item.querySelectorAll('a').length > 0, true, 'links');
  }
  const links = [...view.document.querySelectorAll('a')].map(({ href }) => href).filter((href) => href.startsWith(location.origin));
  for (const link of links) equal((await fetch(link)).ok, true, link);
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
  equal(section.querySelector('.next').ariaDisabled, 'true', 'the end');
  const texts = (selector) => [...section.querySelectorAll(selector)].map(({ textContent }) => textContent);
  return { order: section.dataset.order, answers: texts('.answer'), reasons: texts('li p'), state: section.querySelector('.state').textContent };
}

test('AWaitThatComesTooLateDoesNotSleep', async () => {
  const { order, answers, state } = await play('late');
  equal(order, 'T1 T2');
  equal(answers[3], '→ 0 woken');
  equal(answers[4], '→ did not sleep: “not-equal”');
  equal(state, 'The word is 0: free. Queue: empty.');
});

test('AWokenWaiterFindsTheLockTaken', async () => {
  const { order, answers, state } = await play('barge');
  equal(order, 'T1 T3 T2');
  equal(answers[2], '→ slept, and was woken: “ok”');
  equal(answers[6], '→ is held by another');
  equal(state, 'The word is 1: held by T2. Queue: empty.');
});

test('ThreadsAndPromisesAllGetTheLockFromOneQueue', async () => {
  const { order, reasons, state } = await play('queue');
  equal(order.split(' ')[0], 'T1');
  equal(order.split(' ').sort().join(), 'T1,T2,T3,page');
  // On a busy machine a waiter may be late for its offer. Then the scene says so.
  const wasInOrder = order === 'T1 page T2 T3';
  equal(reasons.some((why) => why.includes('did not come')), !wasInOrder, `${order}: ${reasons.join('; ')}`);
  equal(state, 'The lock is free. Queue: empty.');
});

test('AnExperimentSetsTheModeAndTheKnobs', async () => {
  $('[data-try^="mode=article"]').click();
  const { stage } = view.playground;
  equal(stage.mode, 'article');
  equal($('[value=article]').checked, true, 'the choice');
  equal([stage.entries.length, stage.knobs.hold, stage.knobs.pause, $('#pause-value').textContent].join(), '5,5,0,0 ms');
  $('[data-try^="mode=strict"]').click();
  equal($('[value=strict]').checked, true, 'the choice');
});

/// The order of the tests is that of the file: they share one playground, as a visitor does.
export async function runAll(log, only) {
  if (only !== '') await open();
  const failures = await runSuite(log, only);
  close();
  return failures;
}
