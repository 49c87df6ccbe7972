// SPDX-License-Identifier: MIT
// Drives a headless browser: evaluates expressions in a page, and presses keys as a user does. Chromium by the DevTools protocol
// over a pipe, Firefox by Marionette over a socket.

import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startBrowser } from './browser.js';

// name: [virtual key code, text, code point of WebDriver]
const KEYS = {
  Tab: [9, undefined, '\uE004'], Enter: [13, '\r', '\uE007'], Space: [32, ' ', ' '], ArrowRight: [39, undefined, '\uE014'],
  ArrowDown: [40, undefined, '\uE015'], Control: [17, undefined, '\uE009'],
};

/// Calls over a stream of messages, each with its answer.
class Calls {
  #pending = new Map();
  #id = 0;

  constructor(send) {
    this.send = send;
  }

  call(name, parameters) {
    return new Promise((resolve, reject) => {
      this.#pending.set(++this.#id, { resolve, reject });
      this.send(this.#id, name, parameters);
    });
  }

  settle(id, error, result) {
    const { resolve, reject } = this.#pending.get(id) ?? {};
    this.#pending.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  }
}

async function driveChromium(child, url) {
  const [, , , input, output] = child.stdio;
  let session;
  const calls = new Calls((id, method, params) => input.write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`));
  let text = '';
  output.setEncoding('utf8').on('data', (data) => {
    const messages = (text + data).split('\0');
    text = messages.pop();
    for (const { id, error, result } of messages.map((message) => JSON.parse(message))) if (id !== undefined) calls.settle(id, error, result);
  });
  const { targetId } = await calls.call('Target.createTarget', { url: 'about:blank' });
  ({ sessionId: session } = await calls.call('Target.attachToTarget', { targetId, flatten: true }));
  await calls.call('Page.navigate', { url });
  /// A page that is left does not answer any more: then the one that follows it is asked.
  async function ask(expression) {
    while (true) {
      try {
        return await calls.call('Runtime.evaluate', { expression, returnByValue: true });
      } catch (error) {
        if (!error.message.includes('navigated or closed')) throw error;
      }
    }
  }
  return {
    async evaluate(expression) {
      const { result, exceptionDetails } = await ask(expression);
      if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    async press(name, hasControl = false) {
      const [windowsVirtualKeyCode, keyText] = KEYS[name];
      const event = { key: name === 'Space' ? ' ' : name, code: name, windowsVirtualKeyCode, modifiers: hasControl ? 2 : 0 };
      const isText = keyText !== undefined && !hasControl;
      await calls.call('Input.dispatchKeyEvent', { ...event, type: isText ? 'keyDown' : 'rawKeyDown', text: isText ? keyText : undefined });
      await calls.call('Input.dispatchKeyEvent', { ...event, type: 'keyUp' });
    },
    /// A command of the protocol.
    command: (name, parameters = {}) => calls.call(name, parameters),
  };
}

/// The port stands in a file of the profile as soon as the browser listens.
async function portOf(profile) {
  while (true) {
    try {
      const port = Number(readFileSync(join(profile, 'MarionetteActivePort'), 'utf8'));
      if (port > 0) return port;
    } catch {
      // It has not been written yet.
    }
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
}

async function driveFirefox(child, url, profile) {
  const socket = connect(await portOf(profile), '127.0.0.1');
  const calls = new Calls((id, name, parameters) => {
    const message = JSON.stringify([0, id, name, parameters]);
    socket.write(`${Buffer.byteLength(message)}:${message}`);
  });
  let bytes = Buffer.alloc(0);
  await new Promise((greeted, failed) => {
    socket.on('error', failed);
    socket.on('data', (data) => {
      bytes = Buffer.concat([bytes, data]);
      for (let colon = bytes.indexOf(':'); colon >= 0; colon = bytes.indexOf(':')) {
        const end = colon + 1 + Number(bytes.toString('utf8', 0, colon));
        if (bytes.length < end) return;
        const message = JSON.parse(bytes.toString('utf8', colon + 1, end));
        bytes = bytes.subarray(end);
        if (Array.isArray(message)) calls.settle(message[1], message[2], message[3]);
        else greeted();
      }
    });
  });
  await calls.call('WebDriver:NewSession', {});
  await calls.call('WebDriver:Navigate', { url });
  return {
    evaluate: async (expression) => (await calls.call('WebDriver:ExecuteScript', { script: `return ${expression};`, args: [] })).value,
    async press(name, hasControl = false) {
      const keys = hasControl ? ['Control', name] : [name];
      const act = (type) => (key) => ({ type, value: KEYS[key][2] });
      const actions = [...keys.map(act('keyDown')), ...keys.toReversed().map(act('keyUp'))];
      await calls.call('WebDriver:PerformActions', { actions: [{ type: 'key', id: 'keys', actions }] });
    },
    command: (name, parameters = {}) => calls.call(name, parameters),
  };
}

/// Starts a browser that shows `url`, and calls `use` with its driver; throws if it takes longer than `seconds`.
export async function drive(browser, url, use, seconds = 120) {
  const isChromium = browser === 'chromium';
  const { child, profile, end } = startBrowser(browser, 'about:blank', [isChromium ? '--remote-debugging-pipe' : '--marionette'],
    ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']);
  let limit;
  try {
    const late = new Promise((_, reject) => {
      child.on('error', reject);
      limit = setTimeout(() => reject(new Error(`${browser}: no end within ${seconds} s`)), seconds * 1000);
    });
    const run = async () => use(await (isChromium ? driveChromium : driveFirefox)(child, url, profile));
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(limit);
    await end();
  }
}
