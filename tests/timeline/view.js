// SPDX-License-Identifier: MIT
// The page as a reader has it: of a size, in a colour scheme, with keys, a wheel and fingers. In Chromium by the DevTools protocol,
// in Firefox by Marionette, with the page in a frame of this size.

import { writeFileSync } from 'node:fs';
import { drive } from '../../bindings/web/test/remote.js';

const KEYS = { Enter: ['Enter', 13, '\uE007'], ArrowRight: ['ArrowRight', 39, '\uE014'], ArrowLeft: ['ArrowLeft', 37, '\uE012'],
  ArrowDown: ['ArrowDown', 40, '\uE015'], ArrowUp: ['ArrowUp', 38, '\uE013'], Tab: ['Tab', 9, '\uE004'] };

function viewOfChromium({ evaluate, command }) {
  return {
    evaluate,
    async open(url, { width, height, isDark = false }) {
      await command('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 });
      await command('Emulation.setTouchEmulationEnabled', { enabled: width < 600 });
      await command('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }] });
      await command('Page.navigate', { url });
    },
    async press(key) {
      const [name, code, text] = KEYS[key] ?? [key, key.toUpperCase().charCodeAt(0), key];
      const isText = KEYS[key] === undefined || key === 'Enter';
      const event = { key: name, windowsVirtualKeyCode: code, text: key === 'Enter' ? '\r' : isText ? text : undefined };
      await command('Input.dispatchKeyEvent', { ...event, type: isText ? 'keyDown' : 'rawKeyDown' });
      await command('Input.dispatchKeyEvent', { key: name, windowsVirtualKeyCode: code, type: 'keyUp' });
    },
    wheel: (x, y, deltaY) => command('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX: 0, deltaY }),
    async drag(points) {
      const [[x, y], ...rest] = points;
      await command('Input.dispatchMouseEvent', { type: 'mousePressed', x, y, button: 'left', clickCount: 1 });
      for (const [toX, toY] of rest) await command('Input.dispatchMouseEvent', { type: 'mouseMoved', x: toX, y: toY, button: 'left', buttons: 1 });
      const [lastX, lastY] = points.at(-1);
      await command('Input.dispatchMouseEvent', { type: 'mouseReleased', x: lastX, y: lastY, button: 'left', clickCount: 1 });
    },
    async pinch(y, from, to) {
      const touch = (type, points) => command('Input.dispatchTouchEvent', { type, touchPoints: points.map((x, id) => ({ x, y, id })) });
      await touch('touchStart', from);
      for (let i = 1; i <= 8; ++i) await touch('touchMove', from.map((x, id) => x + ((to[id] - x) * i) / 8));
      await touch('touchEnd', []);
    },
    async picture(path) {
      const { data } = await command('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true });
      writeFileSync(path, Buffer.from(data, 'base64'));
    },
  };
}

function viewOfFirefox({ evaluate, command }) {
  const act = (actions) => command('WebDriver:PerformActions', { actions });
  return {
    evaluate,
    async open(url, { width, height, isDark = false }) {
      await command('WebDriver:SwitchToFrame', { id: null });
      await command('WebDriver:SetWindowRect', { x: 0, y: 0, width: 1500, height: 1200 });
      const page = `<!doctype html><style>iframe { border: 0; color-scheme: ${isDark ? 'dark' : 'light'} }</style>
        <body style="margin: 0"><iframe src="${url}" width="${width}" height="${height}"></iframe>`;
      const path = new URL('frame.html', url);
      writeFileSync(path, page);
      await command('WebDriver:Navigate', { url: path.href });
      await command('WebDriver:SwitchToFrame', { id: 0 });
    },
    async press(key) {
      const value = KEYS[key]?.[2] ?? key;
      await act([{ type: 'key', id: 'keys', actions: [{ type: 'keyDown', value }, { type: 'keyUp', value }] }]);
    },
    wheel: (x, y, deltaY) => act([{ type: 'wheel', id: 'wheel', actions: [{ type: 'scroll', x, y, deltaX: 0, deltaY, origin: 'viewport' }] }]),
    async drag([[x, y], ...rest]) {
      const move = ([toX, toY]) => ({ type: 'pointerMove', x: toX, y: toY, duration: 0 });
      await act([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [move([x, y]), { type: 'pointerDown', button: 0 },
        ...rest.map(move), { type: 'pointerUp', button: 0 }] }]);
    },
    async pinch(y, from, to) {
      await act(from.map((x, id) => ({ type: 'pointer', id: `finger${id}`, parameters: { pointerType: 'touch' }, actions: [
        { type: 'pointerMove', x, y, duration: 0 }, { type: 'pointerDown', button: 0 },
        ...Array.from({ length: 8 }, (_, i) => ({ type: 'pointerMove', x: Math.round(x + ((to[id] - x) * (i + 1)) / 8), y, duration: 0 })),
        { type: 'pointerUp', button: 0 }] })));
    },
    async picture(path) {
      const { value } = await command('WebDriver:TakeScreenshot', { full: false });
      writeFileSync(path, Buffer.from(value, 'base64'));
    },
  };
}

/// Calls `use` with a view in a browser of its own.
export const withView = (browser, use) =>
  drive(browser, 'about:blank', (driver) => use((browser === 'chromium' ? viewOfChromium : viewOfFirefox)(driver)), 280);
