// SPDX-License-Identifier: MIT
// The recipes of docs/web_setup.md, as the page has them, in both browsers: recipes.js [NAME]. npm installs the packed package and the
// bundlers into build/recipes; nginx must be there. A page of each shares a lock and a counter with a worker.

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installTool } from '../scripts/tool.js';
import { BROWSERS, startBrowser } from './browser.js';
import { equal, runAll, test } from './harness.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const DOCUMENT = readFileSync(join(root, '../../docs/web_setup.md'), 'utf8');
const ROUNDS = 100;
const PATIENCE = 120;   // seconds

/// The first block of code in the document behind that text.
const blockBehind = (text) => DOCUMENT.slice(DOCUMENT.indexOf(text)).match(/```\w*\n([^]*?)```/)[1];

const WORKER_LINE = blockBehind('Each of these finds a worker by the same line').trim();

const main = (reportTo) => `import { AsyncLock, isSupported, whyNot } from 'futon-web';

async function run() {
  if (!isSupported()) return whyNot();
  const buffer = new SharedArrayBuffer(16);
  const lock = new AsyncLock(buffer, 0);
  const counter = new Int32Array(buffer, 8, 1);
  ${WORKER_LINE}
  const ended = new Promise((resolve, reject) => {
    worker.onmessage = resolve;
    worker.onerror = ({ message }) => reject(new Error('the worker: ' + message));
  });
  worker.postMessage(buffer);
  for (let i = 0; i < ${ROUNDS}; ++i) await lock.executeLocked(() => { counter[0] += 1; });
  await ended;
  return String(counter[0]);
}

export const report = () => run().catch(String).then((body) => fetch('${reportTo}', { method: 'POST', body }));
`;
const PAGE = "import { report } from './main.js';\n\nreport();\n";
const HTML = '<!doctype html>\n<title>A recipe</title>\n<script type="module" src="./page.js"></script>\n';
const WORKER = `import { AsyncLock } from 'futon-web';

onmessage = ({ data }) => {
  const lock = new AsyncLock(data, 0);
  const counter = new Int32Array(data, 8, 1);
  for (let i = 0; i < ${ROUNDS}; ++i) {
    const guard = lock.lock();
    counter[0] += 1;
    guard.unlock();
  }
  postMessage('ended');
};
`;

/// What a page has reported, from another origin than its own.
class Reports {
  #server = createServer((request, response) => {
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' });
    request.setEncoding('utf8');
    let body = '';
    request.on('data', (chunk) => { body += chunk; });
    request.on('end', () => { response.end(); if (request.method === 'POST') this.#resolve?.(body); });
  });
  #resolve;

  async start() {
    await new Promise((resolve) => { this.#server.listen(0, '127.0.0.1', resolve); });
    return `http://127.0.0.1:${this.#server.address().port}/`;
  }

  next() {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      setTimeout(() => resolve(`no report within ${PATIENCE} s`), PATIENCE * 1000).unref();
    });
  }

  end() {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const reports = new Reports();
const reportTo = await reports.start();
const work = installTool('recipes', 'vite@8', 'webpack@5', 'webpack-cli@6', 'webpack-dev-server@5', 'next@16', 'react@19', 'react-dom@19');
const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', work], { cwd: root, encoding: 'utf8' }).trim().split('\n').at(-1);
rmSync(join(work, 'node_modules/futon-web'), { recursive: true, force: true });
mkdirSync(join(work, 'node_modules/futon-web'));
execFileSync('tar', ['xzf', join(work, packed), '-C', join(work, 'node_modules/futon-web'), '--strip-components=1']);

/// A folder with a program and these files more.
function makeApp(name, files) {
  const folder = join(work, 'apps', name);
  rmSync(folder, { recursive: true, force: true });
  return writeApp(folder, files);
}
function writeApp(folder, files) {
  for (const [path, text] of Object.entries({ 'package.json': '{ "private": true }\n', 'main.js': main(reportTo), 'worker.js': WORKER, ...files })) {
    const file = join(folder, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

const binary = (name) => join(work, 'node_modules/.bin', name);
const run = (folder, command, ...args) => {
  try {
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe', timeout: PATIENCE * 1000, env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' } });
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')}: ${error.message}\n${error.stdout}\n${error.stderr}`);
  }
};

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => { probe.listen(0, '127.0.0.1', resolve); });
  const { port } = probe.address();
  await new Promise((resolve) => { probe.close(resolve); });
  return port;
}

/// What the page of a server reports to each browser. `start` gives the command, its arguments and the path, for a port.
async function expectServed(folder, start) {
  const port = await freePort();
  const [command, args, path = '/'] = start(port);
  const server = spawn(command, args, { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' } });
  let said = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => { said += text; });
  const exited = new Promise((resolve) => { server.on('exit', resolve); server.on('error', (error) => { said += error; resolve(); }); });
  try {
    const url = `http://127.0.0.1:${port}${path}`;
    for (let tries = 0; !await fetch(url).then(({ ok }) => ok, () => false); ++tries) {
      if (tries === PATIENCE * 10 || server.exitCode !== null) throw new Error(`${command} does not serve ${url}: ${said}`);
      await new Promise((resolve) => { setTimeout(resolve, 100); });
    }
    for (const browser of Object.keys(BROWSERS)) {
      const report = reports.next();
      const { end } = startBrowser(browser, url);
      try {
        equal(await report, String(2 * ROUNDS), `${browser}; ${said}`);
      } finally {
        await end();
      }
    }
  } finally {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGTERM');
    await exited;
  }
}

const LOCAL = ['--host', '127.0.0.1'];
const vite = () => makeApp('vite', { 'index.html': HTML, 'page.js': PAGE, 'vite.config.js': blockBehind('Vite, `vite.config.js`') });

test('ViteServesThePageWhileItIsDeveloped', () =>
  expectServed(vite(), (port) => [binary('vite'), [...LOCAL, '--port', port, '--strictPort']]));

test('VitePreviewsTheBundle', async () => {
  const folder = vite();
  run(folder, binary('vite'), 'build');
  await expectServed(folder, (port) => [binary('vite'), ['preview', ...LOCAL, '--port', port, '--strictPort']]);
});

test('WebpackServesTheBundle', async () => {
  const folder = makeApp('webpack', {
    'page.js': PAGE, 'webpack.config.js': blockBehind('webpack 5, `webpack.config.js`'),
    'public/index.html': '<!doctype html>\n<title>A recipe</title>\n<script defer src="main.js"></script>\n',
  });
  await expectServed(folder, (port) => [binary('webpack'), ['serve', '--entry', './page.js', '--mode', 'development', ...LOCAL, '--port', port,
    '--no-client', '--no-hot', '--no-live-reload']]);
});

test('NextServesThePageAndLoadsThePackageOnItsServer', async () => {
  // Next demands that the packages are installed in the program's own folder.
  const folder = writeApp(work, {
    'next.config.js': blockBehind('Next, `next.config.js`'),
    'pages/index.js': "import { useEffect } from 'react';\nimport { report } from '../main.js';\n\n" +
      'export default function Page() {\n  useEffect(() => { report(); }, []);\n  return <p>A recipe</p>;\n}\n',
  });
  run(folder, binary('next'), 'build');
  await expectServed(folder, (port) => [binary('next'), ['start', '-H', '127.0.0.1', '-p', port]]);
});

test('NginxServesTheBundle', async () => {
  const folder = vite();
  run(folder, binary('vite'), 'build');
  const headers = blockBehind('nginx. A block that has');
  await expectServed(folder, (port) => {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
    writeFileSync(join(folder, 'nginx.conf'), `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}
http {
  access_log off; ${temporary} types { text/html html; text/javascript js; }
  server {
    listen 127.0.0.1:${port}; root ${folder}/dist;
    ${headers}
  }
}
`);
    return ['nginx', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')]];
  });
});

const failures = await runAll(console.log, process.argv[2] ?? '');
reports.end();
process.exitCode = failures === 0 ? 0 : 1;
