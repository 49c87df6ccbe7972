// SPDX-License-Identifier: MIT
// Opens a page in a headless browser, and gives what it reports. A server of its own adds the headers of isolation.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { playgroundAt } from '../scripts/playground.js';
import { ISOLATION, serve } from '../scripts/server.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const FIREFOX_PREFERENCES = {
  'app.update.enabled': false, 'browser.aboutwelcome.enabled': false, 'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore', 'datareporting.policy.dataSubmissionEnabled': false,
  'dom.disable_open_during_load': false, 'marionette.port': 0, 'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false,
  'toolkit.telemetry.enabled': false,
};

export const BROWSERS = {
  chromium: (profile, url) => ['chromium', '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-sync',
    '--disable-background-networking', '--disable-popup-blocking', '--disable-component-update', `--user-data-dir=${profile}`, url],
  firefox: (profile, url) => {
    writeFileSync(join(profile, 'user.js'), Object.entries(FIREFOX_PREFERENCES)
      .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
    return [process.env.FIREFOX ?? 'firefox-esr', '--headless', '--no-remote', '--profile', profile, url];
  },
};

/// Starts a browser with a profile of its own, which `end` removes when it has killed the browser.
export function startBrowser(browser, url, extraArgs = [], stdio = 'ignore') {
  const profile = mkdtempSync(join(tmpdir(), 'futon-web-'));
  const [program, ...args] = BROWSERS[browser](profile, url);
  const child = spawn(program, [...extraArgs, ...args], { detached: true, stdio, env: { ...process.env, HOME: profile } });
  const hasExited = new Promise((resolve) => { child.on('exit', resolve); });
  return {
    child,
    profile,
    async end() {
      try {
        process.kill(-child.pid, 'SIGKILL');  // the group of the browser that was started here
        await hasExited;
      } catch {
        // It has not started, or has ended itself.
      }
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

/// Runs `page`, a path below the package with its query. Returns what the page has posted to /end; throws if it takes longer than
/// `seconds`. `headers` are those of all answers. If `file` is given, the request of it is the end, too. `folders` are served besides,
/// as `serve` takes them; `onGet` gets the path of each file that is served.
export async function openPage(browser, page, { seconds = 120, headers = ISOLATION, log = console.log, file, folders, onGet = () => {} } = {}) {
  let report;
  const ended = new Promise((resolve, reject) => { report = { resolve, reject }; });
  const server = await serve({ '/': root, ...playgroundAt('/playground/'), ...folders }, {
    headers,
    onPost(path, body) {
      if (path === '/log') log(body);
      if (path === '/end') report.resolve(body);
    },
    onGet(path) {
      onGet(path);
      if (path === file) report.resolve(path);
    },
  });
  const { child, end } = startBrowser(browser, `http://127.0.0.1:${server.address().port}/${page}`);
  const limit = setTimeout(() => report.reject(new Error(`${browser}: no end of ${page} within ${seconds} s`)), seconds * 1000);
  child.on('error', report.reject);
  try {
    return await ended;
  } finally {
    clearTimeout(limit);
    await end();
    server.close();
    server.closeAllConnections();
  }
}
