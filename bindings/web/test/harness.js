// SPDX-License-Identifier: MIT
// The suite runs in pages, in their workers, and in Node: no test runner fits all of them.

const tests = [];

export function test(name, run) {
  tests.push({ name, run });
}

export function equal(actual, expected, what = 'value') {
  if (!Object.is(actual, expected)) throw new Error(`${what}: ${String(actual)}, expected ${String(expected)}`);
}

/// The error that `run` throws or rejects with; its name or code must be as expected, and its message must match.
export async function fails(run, name, message = /./) {
  let error;
  try {
    await run();
  } catch (caught) {
    error = caught;
  }
  if (error === undefined) throw new Error(`no error, expected ${name}`);
  if (error.name !== name && error.code !== name) throw new Error(`${error.name}: ${error.message}, expected ${name}`);
  if (!message.test(error.message)) throw new Error(`the message ${error.message} does not match ${message}`);
  return error;
}

export const isNode = typeof process === 'object' && typeof process.versions?.node === 'string';

/// A worker that runs functions of actions.js, one after another. It has started when the promise is fulfilled.
export async function startActor(options = {}) {
  const url = new URL('./actor.js', import.meta.url);
  const worker = isNode ? new (await import('node:worker_threads')).Worker(url) : new Worker(url, { type: 'module' });
  const waiting = new Map();
  const waitFor = (key) => new Promise((resolve, reject) => waiting.set(key, { resolve, reject }));
  const receive = ({ key, value, error }) => {
    const { resolve, reject } = waiting.get(key);
    waiting.delete(key);
    if (error === undefined) resolve(value);
    else reject(new Error(`in the actor: ${error}`));
  };
  const fail = (error) => waiting.forEach(({ reject }) => reject(new Error(`the actor failed: ${error.message}`)));
  if (isNode) {
    worker.on('message', receive);
    worker.on('error', fail);
  } else {
    worker.onmessage = ({ data }) => receive(data);
    worker.onerror = fail;
  }
  let key = 0;
  const ready = waitFor('ready');
  worker.postMessage({ key: 'ready', lacksWaitAsync: Atomics.waitAsync === undefined, ...options });
  await ready;
  return {
    /// What the function returns.
    run(name, ...args) {
      const result = waitFor(++key);
      worker.postMessage({ key, name, args });
      return result;
    },
    /// A message that the function sends under that name meanwhile.
    told: waitFor,
    end: () => worker.terminate(),
  };
}

/// Runs `use` with that many actors, and ends them.
export async function withActors(count, use) {
  const actors = await Promise.all(Array.from({ length: count }, () => startActor()));
  try {
    return await use(...actors);
  } finally {
    await Promise.all(actors.map((actor) => actor.end()));
  }
}

/// A task of the event loop passes.
export const nextTask = () => new Promise((resolve) => setTimeout(resolve, 0));

/// What has become of a promise after some tasks: 'pending', or 'settled'.
export async function stateOf(promise) {
  let state = 'pending';
  const settle = () => { state = 'settled'; };
  promise.then(settle, settle);
  for (let i = 0; i < 5; ++i) await nextTask();
  return state;
}

/// A primitive in memory of its own.
export const fresh = (Class, options) => new Class(new SharedArrayBuffer(Class.byteLength), 0, options);

/// Runs all tests, those whose name contains `only` if it is given; returns the number of failures.
export async function runAll(log, only = '') {
  let failures = 0;
  let count = 0;
  for (const { name, run } of tests) {
    if (!name.includes(only)) continue;
    ++count;
    const slow = setInterval(() => log(`slow  ${name}`), 10_000);  // a test that does not end has a name
    try {
      await run();
      log(`ok    ${name}`);
    } catch (error) {
      ++failures;
      log(`FAIL  ${name}: ${error?.name}: ${error?.message}\n${error?.stack}`);
    } finally {
      clearInterval(slow);
    }
  }
  log(`${count - failures} passed, ${failures} failed`);
  return failures;
}
