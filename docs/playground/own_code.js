// SPDX-License-Identifier: MIT
// Runs code that was written on the page: a module for the worker, and one for the page, each made of a Blob.

const PACKAGE = new URL('futon-web/index.js', import.meta.url).href;

export const EXAMPLE = {
  worker: `import { AsyncLock } from 'futon-web';

onmessage = ({ data: { buffer, name } }) => {
  const lock = new AsyncLock(buffer, 0);
  const counter = new Int32Array(buffer, 8, 1);
  postMessage(name + ' begins');
  for (let i = 0; i < 100; ++i) {
    lock.lock();               // blocks this worker
    const seen = counter[0];
    compute(2);                // without the lock, what the other adds meanwhile is lost
    counter[0] = seen + 1;
    lock.unlock();
  }
  postMessage(name + ' has ended');
};

function compute(milliseconds) {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}
`,
  page: `import { AsyncLock } from 'futon-web';

export default async ({ startWorker, log }) => {
  const buffer = new SharedArrayBuffer(16);
  const lock = new AsyncLock(buffer, 0, { strict: true });
  const counter = new Int32Array(buffer, 8, 1);

  const one = startWorker({ buffer, name: 'one' });
  const two = startWorker({ buffer, name: 'two' });
  log(await one.message());
  log(await two.message());
  for (let i = 0; i < 5; ++i) {
    const began = performance.now();
    await lock.executeLocked(() => {       // the page goes on drawing
      const waited = performance.now() - began;
      log('the page sees ' + counter[0] + ', and waited ' + waited.toFixed(1) + ' ms');
    });
    await new Promise(requestAnimationFrame);
  }
  log(await one.message());
  log(await two.message());
  log('in the end: ' + counter[0]);
};
`,
};

// Before the first line of the worker's module, in its first line: `log`, and promises that nothing awaits are errors, too.
const LOG = 'futon-playground-log';
const PRELUDE = `globalThis.log = (text) => postMessage({ '${LOG}': String(text) }); ` +
  'addEventListener("unhandledrejection", ({ reason }) => reportError(reason)); ';

// A module of a Blob has no path: names are made absolute. The lines stay what they are.
function makeModule(source, prelude = '') {
  const text = source.replace(/(\bfrom\s*|\bimport\s*\(?\s*)(['"])futon-web\2/g, (_, before, quote) => `${before}${quote}${PACKAGE}${quote}`);
  return URL.createObjectURL(new Blob([prelude, text], { type: 'text/javascript' }));
}

/// One run of the two modules, until it is stopped. `log(text, kind)` gets what they say, and errors with their lines.
export class OwnRun {
  #workers = [];
  #names = new Map();      // of the modules, by their URLs
  #log;
  #listeners = new AbortController();
  isStopped = false;

  constructor(log) {
    this.#log = (text, kind) => { if (!this.isStopped) log(String(text), kind); };
  }

  async start({ worker, page }) {
    const workerUrl = this.#add('the worker', makeModule(worker, PRELUDE));
    const pageUrl = this.#add('the page', makeModule(page));
    const options = { signal: this.#listeners.signal };
    addEventListener('error', (event) => {
      if (event.filename === pageUrl) this.#fail(event.error ?? event.message, `the page, line ${event.lineno}`);
    }, options);
    addEventListener('unhandledrejection', ({ reason }) => {
      if (this.#placeIn(reason) !== undefined) this.#fail(reason);
    }, options);
    try {
      const { default: run } = await import(pageUrl);
      if (typeof run !== 'function') throw new TypeError('the code of the page has to export a function by default');
      await run({ startWorker: (message) => this.#startWorker(workerUrl, worker, message), log: (text) => this.#log(text) });
      this.#log('— the code of the page has ended', 'note');
    } catch (error) {
      const found = this.#placeIn(error) === undefined && error?.name === 'SyntaxError' ? await this.#findSyntaxError(page) : undefined;
      this.#fail(error, found && `the page, line ${found.line}`);
    }
  }

  #add(name, url) {
    this.#names.set(url, name);
    return url;
  }

  #fail(error, place = this.#placeIn(error) ?? 'the page') {
    this.#log(`${error?.message === undefined ? error : `${error.name}: ${error.message}`} (${place})`, 'error');
  }

  /// The first line of these modules in the stack of an error.
  #placeIn(error) {
    if (typeof error?.stack !== 'string') return undefined;
    const [, url, line] = /(blob:[^\s()]*):(\d+):\d+/.exec(error.stack) ?? [];
    return this.#names.has(url) ? `${this.#names.get(url)}, line ${line}` : undefined;
  }

  /// The syntax error of a module, which only the window is told with its line. An import that cannot be found keeps the module
  /// from running.
  async #findSyntaxError(source) {
    const url = URL.createObjectURL(new Blob([source, "\nimport 'none:';"], { type: 'text/javascript' }));
    const script = Object.assign(document.createElement('script'), { type: 'module', src: url });
    const listener = new AbortController();
    try {
      return await new Promise((resolve) => {
        addEventListener('error', (event) => {
          if (event.filename === url && event.error?.name === 'SyntaxError') resolve({ error: event.error, line: event.lineno });
        }, listener);
        script.onload = script.onerror = () => setTimeout(resolve);
        document.head.append(script);
      });
    } finally {
      listener.abort();
      script.remove();
      URL.revokeObjectURL(url);
    }
  }

  #startWorker(url, source, message) {
    const worker = new Worker(url, { type: 'module' });
    const arrived = [];
    const wanted = [];
    worker.addEventListener('message', (event) => {
      if (typeof event.data?.[LOG] === 'string') {
        this.#log(event.data[LOG]);
        event.stopImmediatePropagation();
      } else if (wanted.length > 0) {
        wanted.shift()(event.data);
      } else {
        arrived.push(event.data);
      }
    });
    worker.addEventListener('error', async (event) => {
      event.preventDefault();
      const found = event.message === undefined ? await this.#findSyntaxError(source) : undefined;
      if (found !== undefined) return this.#fail(found.error, `the worker, line ${found.line}`);
      const text = event.message?.replace(/^Uncaught /, '') ?? 'Error: the module could not be loaded; is there what it imports?';
      this.#log(`${text} (the worker${event.lineno > 0 ? `, line ${event.lineno}` : ''})`, 'error');
    });
    worker.message = () => (arrived.length > 0 ? Promise.resolve(arrived.shift()) : new Promise((resolve) => { wanted.push(resolve); }));
    worker.postMessage(message);
    this.#workers.push(worker);
    return worker;
  }

  stop() {
    this.isStopped = true;
    this.#listeners.abort();
    for (const worker of this.#workers) worker.terminate();
    for (const url of this.#names.keys()) URL.revokeObjectURL(url);
  }
}
