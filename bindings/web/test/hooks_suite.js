// SPDX-License-Identifier: MIT
// The hooks of examples/ in pages. hooks.js makes one module of this with React and Vue.

import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createApp, h, shallowRef } from 'vue';
import { useLocked as useLockedInReact } from '../examples/react.js';
import { useLocked as useLockedInVue } from '../examples/vue.js';
import { AsyncLock } from '../index.js';
import { equal, test } from './harness.js';

export { runAll } from './harness.js';

const nextTurn = () => new Promise((resolve) => { setTimeout(resolve, 5); });

async function until(isSo) {
  while (!isSo()) await nextTurn();
}

/// How a component that shows `useLocked` of a number is mounted: gives `set` for the number, and `unmount`.
const frameworks = {
  React(element, lock, read) {
    let set;
    const Shown = () => {
      const [number, setNumber] = useState(1);
      set = setNumber;
      return createElement('b', null, `value ${useLockedInReact(lock, number, read)}`);
    };
    const root = createRoot(element);
    root.render(createElement(Shown));
    return { set: (number) => set(number), unmount: () => root.unmount() };
  },
  Vue(element, lock, read) {
    const number = shallowRef(1);
    const app = createApp({
      setup() {
        const value = useLockedInVue(lock, number, read);
        return () => h('b', `value ${value.value}`);
      },
    });
    app.mount(element);
    return { set: (to) => { number.value = to; }, unmount: () => app.unmount() };
  },
};

for (const [name, mount] of Object.entries(frameworks)) {
  test(`AHookReadsWithTheLockHeldAndWaitsNoMoreWhenUnmounted ${name}`, async () => {
    const lock = new AsyncLock(new SharedArrayBuffer(64));
    const words = new Int32Array(lock.buffer);
    words[8] = 10;
    const element = document.body.appendChild(document.createElement('div'));
    let reads = 0;
    const read = (factor) => {
      ++reads;
      equal(lock.tryLock(), undefined, 'the lock is held');
      return factor * words[8];
    };
    lock.tryLock();
    const { set, unmount } = mount(element, lock, read);
    await until(() => element.textContent === 'value undefined');
    equal(reads, 0, 'before the lock is free');
    lock.unlock();
    await until(() => element.textContent === 'value 10');
    set(2);
    await until(() => element.textContent === 'value 20');
    lock.tryLock();
    set(3);
    await nextTurn();
    unmount();
    await nextTurn();
    const before = reads;
    lock.unlock();
    (await lock.lockAsync()).unlock();
    equal(reads, before, 'after the component is gone');
  });
}
