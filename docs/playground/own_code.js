// SPDX-License-Identifier: MIT
// Runs code that was written on the page: a module for the worker, and one for the page, each made of a Blob.

const PACKAGE = new URL('futon-web/index.js', import.meta.url).href;

export const EXAMPLE = {
  worker: `import { AsyncLock } from 'futon-web';

onmessage = ({ data: { buffer, name } }) => {
  const lock = new AsyncLock(buffer, 0);
  const counter = new Int32Array(buffer, 8, 1);
  for (let i = 0; i < 1000; ++i) {
    lock.lock();                 // blocks: this is a worker
    counter[0] += 1;
    lock.unlock();
  }
  postMessage(name + ' has ended');
};
`,
  page: `import { AsyncLock } from 'futon-web';

export default async function ({ startWorker, log }) {
  const buffer = new SharedArrayBuffer(16);
  const lock = new AsyncLock(buffer, 0, { strict: true });
  const counter = new Int32Array(buffer, 8, 1);
  const workers = ['one', 'two'].map((name) => startWorker({ buffer, name }));
  for (let i = 0; i < 10; ++i) {
    await lock.executeLocked(() => log('the page sees ' + counter[0]));
  }
  for (const worker of workers) log(await worker.message());
  log('in the end: ' + counter[0]);
}
`,
};

// A module of a Blob has no path: names are made absolute.
function makeModule(source) {
  const text = source.replace(/(\bfrom\s*|\bimport\s*\(?\s*)(['"])futon-web\2/g, (_, before, quote) => `${before}${quote}${PACKAGE}${quote}`);
  return URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
}

/// One run of the two modules, until it is stopped. `log` gets its lines, errors included.
export class OwnRun {
  #workers = [];
  #urls = [];
  #log;

  constructor(log) {
    this.#log = (text) => { if (!this.isStopped) log(String(text)); };
  }

  async start({ worker, page }) {
    const workerUrl = this.#makeUrl(worker);
    const startWorker = (message) => this.#startWorker(workerUrl, message);
    try {
      const { default: run } = await import(this.#makeUrl(page));
      if (typeof run !== 'function') throw new TypeError('the code of the page has to export a function by default');
      await run({ startWorker, log: this.#log });
      this.#log('— the code of the page has ended');
    } catch (error) {
      this.#log(`${error?.name ?? 'Error'}: ${error?.message ?? error}`);
    }
  }

  #makeUrl(source) {
    const url = makeModule(source);
    this.#urls.push(url);
    return url;
  }

  #startWorker(url, message) {
    const worker = new Worker(url, { type: 'module' });
    const arrived = [];
    const wanted = [];
    worker.onmessage = ({ data }) => (wanted.length > 0 ? wanted.shift()(data) : arrived.push(data));
    worker.onerror = ({ message: text }) => this.#log(`in the worker: ${text ?? 'it could not be loaded'}`);
    worker.message = () => (arrived.length > 0 ? Promise.resolve(arrived.shift()) : new Promise((resolve) => { wanted.push(resolve); }));
    worker.postMessage(message);
    this.#workers.push(worker);
    return worker;
  }

  stop() {
    this.isStopped = true;
    for (const worker of this.#workers) worker.terminate();
    for (const url of this.#urls) URL.revokeObjectURL(url);
  }
}
