// SPDX-License-Identifier: MIT
// What the page must show, each with a trace of its own.

import assert from 'node:assert/strict';
import { bank, empty, hostile, small } from './traces.js';

const CANVAS = `document.getElementById('canvas')`;
const FOCUS = `${CANVAS}.focus()`;
const SPAN_LENGTH = `document.getElementById('range').textContent`;
const cells = (row) => `[...document.querySelectorAll('#table tbody tr:nth-child(${row}) td')].map((cell) => cell.innerText.trim().split('\\n')[0]
  .replaceAll('\\u00a0', ' ')).join()`;
const names = `[...document.querySelectorAll('#table tbody td:first-child button')].map(({ innerText }) => innerText).join()`;
const luminance = (colour) => `(([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b)(getComputedStyle(document.body).${colour}.match(/[\\d.]+/g).map(Number))`;

export const CHECKS = {
  async 'says what it is of, and how much was lost'(page) {
    await page.open(small(undefined, { lost: 12 }));
    await page.is('document.title', 'Timeline of bank');
    assert.equal(await page.text('#summary'), 'futon 0.9.0 · 2 threads, 1 loop · 5 spans and 1 wake in 200 µs');
    assert.match(await page.text('#lost'), /^12 events did not fit .* are lost/);
    assert.equal(await page.evaluate(`document.getElementById('problem').hidden`), true);
  },

  async 'draws each kind of span in its colour, and the arrow'(page) {
    await page.open(small());
    await page.is(`${CANVAS}.dataset.marks`, '5');
    await page.is(`${CANVAS}.dataset.arrows`, '1');
    for (const colour of ['held', 'wait', 'wait-paper', 'shared', 'job', 'accent'])
      assert.ok(await page.pixels(colour) > 20, `${colour}: ${await page.pixels(colour)} pixels`);
  },

  async 'tells the worst locks, and sorts them'(page) {
    await page.open(small());
    await page.is(cells(1), 'accounts,90 µs,90 µs,100 µs,50 %');
    await page.is(cells(2), 'journal,0 ns,–,10 µs,0 %');
    const sort = (column) => page.click(`#table th:nth-child(${column}) button`);
    await sort(2);
    await page.is(names, 'journal,accounts');
    await sort(3);
    await page.is(names, 'accounts,journal');
    await sort(3);
    await page.is(names, 'accounts,journal');    // what has no wait is last in both directions
    await sort(1);
    await page.is(names, 'accounts,journal');
    await page.is(`document.querySelector('#table th:nth-child(1)').getAttribute('aria-sort')`, 'ascending');
    await sort(1);
    await page.is(names, 'journal,accounts');
  },

  async 'says of a wait who held meanwhile and who woke it, and leads there'(page) {
    await page.open(small());
    await page.click('#table tbody tr td:nth-child(3) button');
    const said = (await page.text('#chosen')).replaceAll(/\s+/g, ' ');
    for (const part of ['Waiting for AsyncLock accounts', 'By worker 2', 'For 90 µs', 'From 20.000 µs', 'Called futon::AsyncLock::lock',
      'At bank.cpp:77', 'Object 0x7ffe0010', 'Answer ok', 'Woken by worker 1', 'Held meanwhile by worker 1 80 µs'])
      assert.ok(said.includes(part), `"${part}" is not in "${said}"`);
    await page.evaluate(FOCUS);
    await page.press('g');
    await page.until(`document.querySelector('#chosen h3').innerText === 'Holding AsyncLock accounts'`);
    assert.match((await page.text('#chosen')).replaceAll(/\s+/g, ' '), /By worker 1 For 100 µs .* Waited for it meanwhile worker 2 80 µs/);
  },

  async 'goes along rows and zooms by keys'(page) {
    await page.open(small());
    const title = `document.querySelector('#chosen h3').innerText + document.querySelector('#chosen dd').innerText`;
    await page.evaluate(FOCUS);
    await page.press('ArrowRight');
    await page.is(title, 'Holding AsyncLock accountsworker 1');
    await page.press('ArrowRight');
    await page.is(title, 'Holding SharedLock journal, sharedworker 1');
    await page.press('ArrowDown');
    await page.is(title, 'Holding AsyncLock accountsworker 2');
    await page.press('ArrowLeft');
    await page.is(title, 'Waiting for AsyncLock accountsworker 2');
    await page.press('ArrowDown');
    await page.is(title, 'A job of the looploop 1');
    await page.press('ArrowUp');
    await page.is(title, 'Waiting for AsyncLock accountsworker 2');
    await page.press('Enter');
    await page.is(`${SPAN_LENGTH}.split('\\u00a0')[0]`, '142');
    await page.press('+');
    await page.is(`${SPAN_LENGTH}.split('\\u00a0')[0]`, '86.4');
    const before = await page.evaluate(SPAN_LENGTH);
    await page.press('d');
    await page.until(`${SPAN_LENGTH} !== ${JSON.stringify(before)}`);
    await page.press('0');
    await page.is(SPAN_LENGTH, '200\u00a0µs from 0\u00a0µs');
    await page.press('/');
    await page.is('document.activeElement.id', 'query');
  },

  async 'keeps the time under the pointer when the wheel zooms, and moves when dragged'(page) {
    await page.open(small());
    const box = await page.evaluate(`(({ left, top, width }) => ({ left, top, width }))(${CANVAS}.getBoundingClientRect())`);
    const [x, y] = [Math.round(box.left + box.width * 0.6), Math.round(box.top + 60)];
    await page.wheel(x, y, -240);
    await page.until(`!${SPAN_LENGTH}.startsWith('200')`);
    const zoomed = await page.evaluate(SPAN_LENGTH);
    await page.drag([[x, y], [x - 20, y], [x - 80, y]]);
    await page.until(`${SPAN_LENGTH} !== ${JSON.stringify(zoomed)}`);
    assert.equal((await page.evaluate(SPAN_LENGTH)).split(' ')[0], zoomed.split(' ')[0]);
    await page.drag([[x + 80, y], [x + 20, y], [x, y]]);
    await page.wheel(x, y, 900);
    await page.wheel(x, y, 900);
    await page.wheel(x, y, 900);
    await page.is(SPAN_LENGTH, '200\u00a0µs from 0\u00a0µs');
  },

  async 'zooms when two fingers part'(page) {
    await page.open(small(), { width: 360, height: 700 });
    await page.evaluate(`${CANVAS}.scrollIntoView()`);
    const y = await page.evaluate(`Math.round(${CANVAS}.getBoundingClientRect().top + 100)`);
    await page.pinch(y, [150, 200], [80, 280]);
    await page.until(`parseFloat(${SPAN_LENGTH}) < 100`);
  },

  async 'finds names, addresses and places'(page) {
    await page.open(small());
    for (const [text, found] of [['ACCOUNTS', '3 spans'], ['0x7ffe0020', '1 span'], ['bank.cpp:77', '1 span'], ['worker 1', '2 spans'],
      ['AsyncLock::lock', '1 span'], ['no such thing', 'nothing found'], ['', '']]) {
      await page.type(text);
      await page.is(`document.getElementById('found').textContent`, found);
    }
    await page.type('accounts');
    await page.evaluate(`document.getElementById('query').focus()`);
    await page.press('Enter');
    await page.is(`document.getElementById('found').textContent`, '1 of 3');
    await page.press('Enter');
    await page.is(`document.getElementById('found').textContent`, '2 of 3');
    await page.is(`document.querySelector('#chosen h3').innerText`, 'Waiting for AsyncLock accounts');
    await page.click('#previous');
    await page.is(`document.getElementById('found').textContent`, '1 of 3');
    await page.until(`${CANVAS}.dataset.marks === '5'`);
    assert.ok(await page.pixels('mark') > 20);
    await page.click('#table tbody tr:nth-child(2) td button');
    await page.is(`document.getElementById('query').value`, '0x7ffe0020');
  },

  async 'shows hostile names as they are'(page) {
    await page.open(hostile());
    await page.is('document.title', 'Timeline of </title><b>bank');
    assert.equal(await page.evaluate(`document.querySelectorAll('img, b').length`), 0);
    assert.equal(await page.evaluate(`document.querySelector('#table tbody button').textContent`), '</script><script>document.title="stolen"</script>');
    await page.type('<!-- "\'&amp;');
    await page.is(`document.getElementById('found').textContent`, '1 span');
  },

  async 'has a sentence for an empty trace and for one that is none'(page) {
    const problem = `document.getElementById('problem').textContent`;
    for (const [trace, sentence] of [[empty(), /^The trace is empty/], ['', /^There is no trace/], ['{"traceEvents": [', /is not valid JSON/],
      ['{"a": 1}', /no list "traceEvents"/], ['null', /no list/], ['{"traceEvents": []}', /^The trace is empty/]]) {
      await page.open(trace);
      assert.match(await page.evaluate(problem), sentence);
      assert.equal(await page.evaluate(`document.getElementById('page').hidden`), true);
    }
  },

  async 'reads on where single events make no sense'(page) {
    const trace = JSON.parse(small());
    trace.traceEvents.push(null, 7, { ph: 'X', cat: 'held', name: 'x', ts: 'soon', dur: 1 }, { ph: 'X', pid: 1, tid: 1, ts: 1, dur: -1 },
      { ph: 'f', id: 99, pid: 1, tid: 1, ts: 1100 }, { ph: 'X', pid: 9, tid: 9, cat: 'held', ts: 1001, dur: 1 });
    await page.open(JSON.stringify(trace));
    await page.is(`${CANVAS}.dataset.marks`, '6');
    assert.equal(await page.text('#lost'), '4 events could not be read.');
  },

  async 'draws 100,000 events in a few marks for each pixel'(page) {
    await page.open(bank(100_000, { threads: 24, loops: 4, tasksOfLoop: 12 }));
    const marks = Number(await page.evaluate(`${CANVAS}.dataset.marks`));
    const { width, lanes } = await page.evaluate(`({ width: ${CANVAS}.width, lanes: ${CANVAS}.height / 20 })`);
    assert.ok(marks > 500 && marks < width * lanes, `${marks} marks`);
    assert.ok(Number(await page.evaluate(`${CANVAS}.dataset.arrows`)) <= 400);
    const times = [];
    for (let i = 0; i < 4; ++i) {
      await page.evaluate(`[delete ${CANVAS}.dataset.ms, ${CANVAS}.focus()][0]`);
      await page.press(i % 2 === 0 ? '+' : '-');
      await page.until(`${CANVAS}.dataset.ms`);
      times.push(await page.evaluate(`${CANVAS}.dataset.ms`));
    }
    console.log(`      ${marks} marks; frames of ${times.join(', ')} ms`);
    for (let i = 0; i < 12; ++i) await page.click('#in');
    await page.until(`Number(${CANVAS}.dataset.marks) < 200`);
    await page.type('quota');
    await page.until(`/^[\\d,]+ spans$/.test(document.getElementById('found').textContent)`);
    await page.click('#next');
    await page.until(`/^1 of /.test(document.getElementById('found').textContent) && document.querySelector('#chosen dl')`);
  },

  async 'fits a screen of 320 pixels'(page) {
    await page.open(bank(600, { lost: 5 }), { width: 320, height: 640 });
    await page.click('#table tbody td:nth-child(3) button');
    await page.click('#keys summary');
    await page.until(`document.querySelector('#chosen dl')`);
    assert.equal(await page.evaluate('innerWidth'), 320);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    assert.equal(await page.evaluate(`[...document.querySelectorAll('main *')].filter((item) => item.getBoundingClientRect().right > innerWidth + 0.5)
      .map(({ outerHTML }) => outerHTML.slice(0, 80)).join()`), '');
    const names = `[...document.querySelectorAll('button, input')].filter((item) => !(item.ariaLabel || item.innerText)).length`;
    assert.equal(await page.evaluate(names), 0);
  },

  async 'is dark where the reader wants it so'(page) {
    for (const isDark of [false, true]) {
      await page.open(small(), { isDark });
      const [paper, ink] = [await page.evaluate(luminance('backgroundColor')), await page.evaluate(luminance('color'))];
      assert.equal(paper < 60, isDark, `background ${paper}`);
      assert.equal(ink > 180, isDark, `text ${ink}`);
      assert.ok(await page.pixels('page') > 20_000);
      assert.ok(await page.pixels('held') > 20);
    }
  },

  async 'needs no other file'(page) {
    await page.open(small());
    assert.equal(await page.evaluate(`performance.getEntriesByType('resource').filter(({ name }) => !name.startsWith('data:')).length`), 0);
    assert.equal(await page.evaluate('location.protocol'), 'file:');
  },
};
