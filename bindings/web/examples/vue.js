// SPDX-License-Identifier: MIT
import { shallowRef, watch } from 'vue';

/// A ref of what `read` gives, called with the lock held after each change of `source`. A component that is unmounted waits no more.
export function useLocked(lock, source, read) {
  const value = shallowRef();
  watch(source, (now, before, onCleanup) => {
    const stopped = new AbortController();
    onCleanup(() => stopped.abort());
    lock.executeLocked(() => { value.value = read(now); }, { signal: stopped.signal }).catch((error) => {
      if (error !== stopped.signal.reason) throw error;
    });
  }, { immediate: true });
  return value;
}
