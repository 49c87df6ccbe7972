// SPDX-License-Identifier: MIT
'use strict';

// A project of Jest, generated: files of tests that use the package, and a reporter that measures the heap after each.

const { mkdirSync, rmSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const packageFolder = path.join(__dirname, '..', '..');

/// A file of tests. In Jest each file has a realm of its own, in which it loads a copy of the package of its own.
const testFile = (futon) => `'use strict';
const { AsyncLock, notify, wait, waitAsync } = require(${futon});

// What must go with the realm: 4 MB.
globalThis.ballast = Array.from({ length: 1 << 19 }, (_, i) => i + 0.5);

const newWords = () => new Int32Array(new SharedArrayBuffer(16));

test('waits settle', async () => {
  const words = newWords();
  expect(wait(words, 0, 1)).toBe('not-equal');
  expect(wait(words, 0, 0, 1)).toBe('timed-out');
  const { value } = waitAsync(words, 0, 0);
  expect(notify(words, 0)).toBe(1);
  expect(await value).toBe('ok');
  expect(await waitAsync(words, 0, 0, 1).value).toBe('timed-out');
});

test('an aborted wait rejects', async () => {
  const controller = new AbortController();
  const { value } = waitAsync(newWords(), 0, 0, undefined, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await expect(value).rejects.toThrow('enough');
});

test('a lock serves promises in their order', async () => {
  const lock = new AsyncLock(newWords().buffer);
  const guard = lock.lock();
  const order = [];
  const done = Promise.all([1, 2, 3].map((i) => lock.executeLocked(async () => order.push(i))));
  guard.unlock();
  await done;
  (await lock.lockAsync({ timeout: 1000 })).unlock();
  expect(order).toEqual([1, 2, 3]);
});

test('promises are of this realm, however many are pending', async () => {
  const words = newWords();
  const promises = Array.from({ length: 600 }, () => waitAsync(words, 0, 0).value);
  const foreign = promises.filter((promise) => !(promise instanceof Promise) || promise.constructor !== Promise);
  expect(notify(words, 0)).toBe(600);
  expect(await Promise.all(promises)).toEqual(Array(600).fill('ok'));
  expect(foreign.length).toBe(0);
});

test('the package is loaded anew after each reset', async () => {
  let last = AsyncLock;
  for (let i = 0; i < 10; ++i) {
    jest.resetModules();
    const futon = require(${futon});
    expect(futon.AsyncLock).not.toBe(last);
    last = futon.AsyncLock;
    const words = newWords();
    const { value } = futon.waitAsync(words, 0, 0);
    futon.notify(words, 0);
    expect(value).toBeInstanceOf(Promise);
    expect(await value).toBe('ok');
    const lock = new last(words.buffer, 4);
    lock.lock().unlock();
    expect(await lock.executeLocked(() => 'done')).toBe('done');
  }
});
`;

/// Prints a line for each file. What a realm has left is collected in more than one turn of the loop.
const reporter = `'use strict';
module.exports = class {
  async onTestFileResult(test, { numPassingTests, numFailingTests, failureMessage }) {
    for (let i = 0; i < 5; ++i) {
      gc();
      await new Promise(setImmediate);
    }
    if (failureMessage) console.log(failureMessage);
    const { heapUsed } = process.memoryUsage();
    console.log(JSON.stringify({ passed: numPassingTests, failed: numFailingTests, heapUsed }));
  }
};
`;

/// Writes the project, with that many files of tests, into an empty folder.
function generateJestProject(folder, files) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const write = (name, text) => writeFileSync(path.join(folder, name), text);
  const futon = JSON.stringify(packageFolder);
  for (let i = 1; i <= files; ++i) write(`file_${i}.test.js`, testFile(futon));
  write('reporter.js', reporter);
  write('package.json', JSON.stringify({
    name: 'project',
    jest: {
      rootDir: '.',
      transform: {},
      reporters: ['<rootDir>/reporter.js'],
      // Else Jest empties the objects of a realm that has ended, and a realm that is never collected would be small.
      testEnvironmentOptions: { globalsCleanup: 'off' },
    },
  }));
}

module.exports = { generateJestProject };
