// SPDX-License-Identifier: MIT
// A page has shared memory only if it is isolated from other origins: by two headers of its host, or by the service worker.

const CURE = 'This page has no SharedArrayBuffer, because it is not isolated from other origins. Serve it and its workers with the ' +
  'headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp; ./dev playground does so.';
const MARK = 'futon-playground-reloaded';  // reloads once: a browser that refuses service workers must not load for ever

/// The service worker is in control after one reload. Throws if the browser keeps no note of that: it could reload for ever.
async function install() {
  const registration = await navigator.serviceWorker.register(new URL('service_worker.js', import.meta.url));
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  await new Promise((resolve, reject) => {
    const look = () => {
      if (worker.state === 'activated') resolve();
      if (worker.state === 'redundant') reject(new Error('the browser has dropped it'));
    };
    worker.onstatechange = look;
    look();
  });
  sessionStorage.setItem(MARK, 'yes');
}

/// Whether the page may start. If the service worker can help, the page is loaded anew; else `explain` gets the cure.
export async function isIsolated(explain) {
  if (crossOriginIsolated) {
    try {
      sessionStorage.removeItem(MARK);
    } catch {
      // Nothing was kept.
    }
    return true;
  }
  if (!isSecureContext) {
    explain(`${CURE} Browsers isolate pages of https: and of localhost only, and this page came by ${location.protocol} from ${location.hostname}.`);
  } else if (window.top !== window) {
    explain(`${CURE} This page is in a frame: the pages around it need the headers, too. Open it in a tab of its own.`);
  } else if (!('serviceWorker' in navigator)) {
    explain(`${CURE} A service worker could add them, but this browser has none here. Some have none in private windows.`);
  } else {
    try {
      if (sessionStorage.getItem(MARK) !== null) {
        sessionStorage.removeItem(MARK);    // the reader may try once more
        explain(`${CURE} A service worker was to add them, but the browser did not isolate the page.`);
        return false;
      }
      await install();
      location.reload();
    } catch (error) {
      explain(`${CURE} The service worker that adds them here has failed: ${error.message}`);
    }
  }
  return false;
}
