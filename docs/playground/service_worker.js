// SPDX-License-Identifier: MIT
// Adds the headers of isolation to the answers of a host that does not send them. isolation.js registers it.

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

async function isolated(request) {
  const answer = await fetch(request);
  if (answer.status === 0) return answer;  // an opaque answer has no headers to add to
  const headers = new Headers(answer.headers);
  headers.set('Cross-Origin-Opener-Policy', 'same-origin');
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
  return new Response(answer.body, { status: answer.status, statusText: answer.statusText, headers });
}

addEventListener('fetch', (event) => {
  if (new URL(event.request.url).origin === location.origin) event.respondWith(isolated(event.request));
});
