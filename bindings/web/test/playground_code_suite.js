// SPDX-License-Identifier: MIT
// One's own code in the playground: it runs, its errors have their lines, it is stopped, kept and linked.

import { equal, runAll as runSuite, test } from './harness.js';
import { $, close, open, until, view } from './playground_view.js';

const lines = () => [...$('#own-log').children].map(({ textContent }) => textContent);

function runOwn(worker, page) {
  if (worker !== undefined) $('#own-worker').value = worker;
  if (page !== undefined) $('#own-page').value = page;
  $('#own-run').click();
}

test('TheExampleOfOnesOwnCodeRuns', async () => {
  runOwn();
  await until(() => lines().at(-1)?.startsWith('—'));
  equal(lines().includes('in the end: 200'), true, lines().join('; '));
  const seen = lines().map((line) => /^the page sees (\d+)/.exec(line)?.[1]).filter((count) => count !== undefined);
  equal(new Set(seen).size >= 3, true, `the page sees ${seen}`);
});

const QUIET = 'export default () => {};';
const STARTS = 'export default ({ startWorker }) => { startWorker({}); };';

for (const [what, worker, page, expected] of [
  ['AnErrorOfThePage', QUIET, 'export default () => {\n  throw new RangeError("early"); };',
    /^RangeError: early \(the page, line 2\)$/],
  ['AnErrorOfThePagesTimer', QUIET, 'export default () => {\n\nsetTimeout(() => { throw new Error("late"); }); };',
    /^Error: late \(the page, line 3\)$/],
  ['APromiseOfThePageThatNothingAwaits', QUIET, 'export default () => {\nPromise.reject(new Error("rejected")); };',
    /^Error: rejected \(the page, line 2\)$/],
  ['AThrownText', QUIET, 'export default () => { throw "a text"; };', /^a text \(the page\)$/],
  ['ASyntaxErrorOfThePage', QUIET, '\nexport default () => {\n  let x = ; };', /^SyntaxError: .* \(the page, line 3\)$/],
  ['AModuleWithoutAFunction', QUIET, 'export const nothing = 0;',
    /^TypeError: the code of the page has to export a function by default/],
  ['AnImportThatIsNotThere', QUIET, 'import "elsewhere";', /elsewhere.* \(the page\)$/],
  ['AnErrorOfTheWorker', '\n\nthrow new Error("early");', STARTS, /Error: early \(the worker, line 3\)$/],
  ['AnErrorOfTheWorkersPromise', '\nonmessage = async () => { throw new Error("late"); };', STARTS,
    /Error: late \(the worker, line 2\)$/],
  ['ASyntaxErrorOfTheWorker', '\nlet x = ;', STARTS, /^SyntaxError: .* \(the worker, line 2\)$/],
  ['AnImportOfTheWorkerThatIsNotThere', 'import "elsewhere";', STARTS, /could not be loaded.* \(the worker\)$/],
]) {
  test(`${what}IsShown`, async () => {
    runOwn(worker, page);
    const errors = () => [...$('#own-log').querySelectorAll('.error')].map(({ textContent }) => textContent);
    await until(() => errors().length > 0);
    equal(errors().length, 1, errors().join('; '));
    equal(expected.test(errors()[0]), true, errors()[0]);
    $('#own-stop').click();
  });
}

test('AWorkerLogs', async () => {
  runOwn('log("hello"); postMessage(7);', 'export default async ({ startWorker, log }) => log(await startWorker({}).message());');
  await until(() => lines().length >= 3);
  equal(lines().slice(0, 2).join(), 'hello,7');
});

test('AWorkerInAnEndlessLoopIsStopped', async () => {
  runOwn('postMessage(0); while (true);', 'export default async ({ startWorker, log }) => { await startWorker({}).message(); log("it runs"); };');
  await until(() => lines().includes('it runs'));
  $('#own-stop').click();
  equal(lines().at(-1), '— stopped');
  equal($('#own-stop').disabled, true, 'Stop is disabled');
  equal(view.document.activeElement.id, 'own-run', 'the focus');
});

test('CodeIsKeptAndGoesByLinks', async () => {
  const page = 'export default ({ log }) => log("ä → 日本");';
  $('#own-page').value = page;
  $('#own-page').dispatchEvent(new view.Event('input'));
  $('#own-share').click();
  await until(() => $('#own-notice').textContent !== '');
  const link = view.location.href;
  equal(/#code=[\w-]+$/.test(link), true, link);
  await open();
  equal($('#own-page').value, page, 'kept');
  $('#own-reset').click();
  await open();
  equal($('#own-page').value === page, false, 'the example again');
  await open(link);
  equal($('#own-page').value, page, 'by the link');
  equal($('#own-notice').textContent, 'This code came with the link. Read it before you run it.');
  equal(lines().length, 0, 'it has not run');
});

/// The order of the tests is that of the file: they share one playground.
export async function runAll(log, only) {
  await open();
  const failures = await runSuite(log, only);
  close();
  return failures;
}
