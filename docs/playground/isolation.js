// SPDX-License-Identifier: MIT
// A page has shared memory only if it is isolated from other origins: by two headers of its host, or by the service worker.

const CURE = 'This page has no SharedArrayBuffer, because it is not isolated from other origins. Serve it and its workers with the ' +
  'headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp; ./dev playground does so.';
const MARK = 'futon-playground-reloaded';  // reloads once: a browser that refuses service workers must not load for ever

/// Whether the page may start. If the service worker can help, the page is loaded anew; else `explain` gets the cure.
export async function isIsolated(explain) {
  if (crossOriginIsolated) {
    sessionStorage.removeItem(MARK);
    return true;
  }
  const isOff = new URLSearchParams(location.search).has('no-service-worker');
  if (isOff || !('serviceWorker' in navigator) || sessionStorage.getItem(MARK) !== null) {
    explain(CURE);
    return false;
  }
  try {
    await navigator.serviceWorker.register(new URL('service_worker.js', import.meta.url));
    await navigator.serviceWorker.ready;
    sessionStorage.setItem(MARK, 'yes');
    location.reload();
  } catch (error) {
    explain(`${CURE} The service worker that adds them here has failed: ${error.message}.`);
  }
  return false;
}
