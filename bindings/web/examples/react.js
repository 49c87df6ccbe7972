// SPDX-License-Identifier: MIT
import { useEffect, useState } from 'react';

/// What `read` gives, called with the lock held after each change of `source`. A component that is unmounted waits no more.
export function useLocked(lock, source, read) {
  const [value, setValue] = useState();
  useEffect(() => {
    const unmounted = new AbortController();
    lock.executeLocked(() => setValue(read(source)), { signal: unmounted.signal }).catch((error) => {
      if (error !== unmounted.signal.reason) throw error;
    });
    return () => unmounted.abort();
  }, [lock, source]);
  return value;
}
