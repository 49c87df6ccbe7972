// SPDX-License-Identifier: MIT
// Runs a module's `runAll` in the page, or in a worker of it: page.html?run=suite.js&worker&sleeper&only=NAME.

const query = new URLSearchParams(location.search);
const send = (path, text) => fetch(path, { method: 'POST', body: text });
const lines = [];
const log = (line) => lines.push(line);

const flush = async () => { if (lines.length > 0) await send('/log', lines.splice(0).join('\n')); };
setInterval(flush, 5000);   // so that a run which does not end shows how far it came

async function end(failures) {
  await flush();
  await send('/end', String(failures));
}

addEventListener('error', ({ message }) => end(`an error of the page: ${message}`));
addEventListener('unhandledrejection', ({ reason }) => end(`an unhandled rejection: ${reason?.stack ?? reason}`));

if (query.has('worker')) {
  const worker = new Worker(new URL(`page_worker.js${location.search}`, import.meta.url), { type: 'module' });
  worker.onmessage = ({ data: { line, failures } }) => (line === undefined ? end(failures) : log(line));
  worker.onerror = ({ message }) => end(`an error of the worker: ${message}`);
} else {
  if (query.has('sleeper')) await (await import('./remove_wait_async.js')).removeWaitAsync();
  const { runAll } = await import(`./${query.get('run')}`);
  end(await runAll(log, query.get('only') ?? ''));
}
