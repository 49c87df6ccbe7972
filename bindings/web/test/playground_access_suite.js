// SPDX-License-Identifier: MIT
// What the playground is for those who see it on a narrow screen or in the dark, who hear it, and who use no mouse.
// playground_keys.js presses the keys.

import { equal, runAll as runSuite, test } from './harness.js';
import { $, $$, choose, close, nextFrame, open, set, until, view } from './playground_view.js';

test('EachControlHasALabelAndEachPictureAText', () => {
  for (const control of $$('input, textarea')) equal(control.labels.length > 0, true, control.id || control.value);
  for (const picture of $$('canvas')) equal(picture.getAttribute('role') === 'img' && picture.ariaLabel.length > 20, true, picture.id);
  for (const button of $$('button')) equal(button.textContent.length > 2, true, 'button');
  for (const list of $$('section')) equal($(`#${list.getAttribute('aria-labelledby')}`).textContent.length > 5, true, 'section');
  equal($$('h1').length, 1, 'headings of the page');
});

test('OnlyControlsAndTheLogAreInTheTabOrder', () => {
  equal($$('[tabindex]').map(({ id, tabIndex }) => `${id} ${tabIndex}`).join(), 'own-log 0');
  for (const item of $$('[onclick], [role=button]')) equal(item.tagName, 'BUTTON');
});

test('WhatRunsIsNotReadOut', async () => {
  choose('strict');
  const { stage } = view.playground;
  equal($$('output').length, 0, 'outputs, which are read out');
  let changes = 0;
  const observer = new view.MutationObserver((records) => { changes += records.length; });
  for (const region of $$('[role=status], [role=alert], [role=log], [aria-live]'))
    observer.observe(region, { childList: true, characterData: true, subtree: true });
  const turns = stage.workerTurns;
  await until(() => stage.workerTurns >= turns + 50);
  for (let i = 0; i < 30; ++i) await nextFrame();
  observer.disconnect();
  equal(changes, 0, 'changes of live regions');
});

test('AChoiceIsExplainedAloud', () => {
  const notes = new Set(['strict', 'futon', 'article', 'spin', 'block'].map((mode) => {
    choose(mode);
    return $('#note').textContent;
  }));
  equal(notes.size, 5, 'notes');
  equal($('#note').getAttribute('role'), 'status');
  choose('strict');
});

test('NothingMovesBelowTheQueue', async () => {
  set('workers', 3);
  const places = new Set();
  for (const mode of ['strict', 'spin', 'block', 'futon']) {
    choose(mode);
    const { stage } = view.playground;
    const turns = stage.workerTurns;
    await until(() => {
      places.add(`${Math.round($('.figures').offsetTop)} ${$('.stage').offsetHeight}`);
      return stage.workerTurns >= turns + 30;
    });
  }
  choose('strict');
  equal(places.size, 1, [...places].join('; '));
});

test('NothingIsWiderThanTheWindow', async () => {
  choose('block');
  await until(() => $('#message').textContent !== '');
  $('#describe').click();
  set('workers', 8);
  for (const width of [320, 360, 500, 768, 960, 1400]) {
    view.frameElement.style.width = `${width}px`;
    await nextFrame();
    await nextFrame();
    const { scrollWidth, clientWidth } = view.document.documentElement;
    equal(scrollWidth <= clientWidth, true, `${scrollWidth} in ${clientWidth}`);
    const cut = $$('main *').filter((item) => item.scrollWidth > item.clientWidth + 1 && item.clientWidth > 1 && item.tagName !== 'TEXTAREA');
    equal(cut.map(({ tagName, id, className }) => `${tagName}#${id}.${className}`).join(), '', `cut at ${width}`);
  }
  view.frameElement.style.width = '1200px';
  set('workers', 3);
  choose('strict');
});

test('TheQueueIsInSightOnAPhone', async () => {
  Object.assign(view.frameElement.style, { width: '375px', height: '667px' });
  await nextFrame();
  const top = $('.stage').getBoundingClientRect().top;
  const { bottom } = $('#queue').getBoundingClientRect();
  equal(bottom - top <= 667, true, `it ends ${bottom - top} px below the top of the stage`);
  Object.assign(view.frameElement.style, { width: '1200px', height: '700px' });
});

const partsOf = (color) => color.match(/[\d.]+/g).map(Number);

function luminance(color) {
  const [r, g, b] = partsOf(color).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function backgroundOf(item) {
  for (let box = item; box !== null; box = box.parentElement) {
    const color = view.getComputedStyle(box).backgroundColor;
    if (partsOf(color)[3] !== 0) return color;
  }
  return 'rgb(255, 255, 255)';
}

for (const scheme of ['light', 'dark']) {
  test(`TextHasContrast ${scheme}`, async () => {
    const root = view.document.documentElement;
    root.style.colorScheme = scheme;
    choose('block');
    await until(() => $('#message').textContent !== '' && $('#queue .holds') !== null);
    $('#describe').click();
    $('#own-log').innerHTML = '<div>text</div><div class="error">error</div><div class="note">note</div>';
    equal(luminance(view.getComputedStyle(view.document.body).backgroundColor) > 0.5, scheme === 'light', 'the background is light');
    let count = 0;
    for (const item of $$('main *')) {
      const hasText = [...item.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '');
      if (!hasText || item.matches('option, .for-readers')) continue;
      const { color } = view.getComputedStyle(item);
      const found = contrast(color, backgroundOf(item));
      equal(found >= 4.5, true, `${item.tagName}#${item.id}.${item.className} ${color} on ${backgroundOf(item)}: ${found.toFixed(2)}`);
      ++count;
    }
    equal(count > 60, true, `${count} texts`);
    const probe = $('main').appendChild(view.document.createElement('i'));
    for (const name of ['hold', 'wait', 'late', 'edge', 'accent']) {
      probe.style.color = `var(--${name})`;
      equal(contrast(view.getComputedStyle(probe).color, backgroundOf($('.stage'))) >= 3, true, `--${name}`);
    }
    probe.remove();
    root.style.colorScheme = '';
    choose('strict');
  });
}

test('WithReducedMotionTheBallIsNotDrawn', async () => {
  const { meter } = view.playground;
  await until(() => meter.count > 0);
  const canvas = $('#frames');
  const colors = { ink: '#000', faint: '#000', line: '#000', paper: '#fff', hold: '#000', late: '#000' };
  const isEmpty = (moves) => {
    meter.draw(canvas, view.performance.now(), colors, moves);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, Math.round(26 * view.devicePixelRatio));
    return data.every((value) => value === 0);
  };
  equal(isEmpty(true), false, 'with motion');
  equal(isEmpty(false), true, 'without');
});

/// The order of the tests is that of the file: they share one playground.
export async function runAll(log, only) {
  await open();
  const failures = await runSuite(log, only);
  close();
  return failures;
}
