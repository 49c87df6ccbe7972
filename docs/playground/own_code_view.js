// SPDX-License-Identifier: MIT
// The editors, what the code says, and where it is kept: in this browser, or in a link.

import { EXAMPLE, OwnRun } from './own_code.js';

const $ = (id) => document.getElementById(id);
const MOST = 500;                   // lines that are kept
const KEY = 'futon-playground-code';
const LINK = '#code=';

const encode = (code) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(code))))
  .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

function decode(text) {
  const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0))));
}

const isCode = (value) => typeof value?.worker === 'string' && typeof value.page === 'string';

/// The code of a link, or undefined.
function readLink(hash) {
  if (!hash.startsWith(LINK)) return undefined;
  try {
    const code = decode(hash.slice(LINK.length));
    return isCode(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

// A browser may refuse to keep anything: then nothing is kept.
function readKept() {
  try {
    const code = JSON.parse(localStorage.getItem(KEY));
    return isCode(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

function keep(code) {
  try {
    if (code === undefined) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(code));
  } catch {
    // As above.
  }
}

export function beginOwnCode() {
  let run;
  const written = () => ({ worker: $('own-worker').value, page: $('own-page').value });
  const write = ({ worker, page }) => {
    $('own-worker').value = worker;
    $('own-page').value = page;
  };
  const log = (text, kind = '') => {
    const box = $('own-log');
    const line = document.createElement('div');
    line.textContent = text;
    line.className = kind;
    box.append(line);
    while (box.children.length > MOST) box.firstChild.remove();
    box.scrollTop = box.scrollHeight;
  };
  const start = () => {
    run?.stop();
    $('own-log').replaceChildren();
    $('own-stop').disabled = false;
    run = new OwnRun(log);
    run.start(written());
  };
  $('own-run').addEventListener('click', start);
  $('own-stop').addEventListener('click', () => {
    run.stop();
    log('— stopped', 'note');
    $('own-run').focus();
    $('own-stop').disabled = true;
  });
  $('own-reset').addEventListener('click', () => {
    write(EXAMPLE);
    keep(undefined);
  });
  $('own-share').addEventListener('click', async () => {
    const link = new URL(LINK + encode(written()), location.href).href;
    history.replaceState(null, '', link);
    const isCopied = await navigator.clipboard?.writeText(link).then(() => true, () => false);
    $('own-notice').textContent = isCopied ? 'The link was copied.' : 'The link is in the address bar of the browser: copy it there.';
  });
  for (const id of ['own-worker', 'own-page']) {
    $(id).addEventListener('input', () => keep(written()));
    $(id).addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      start();
    });
  }

  const show = () => {
    const linked = readLink(location.hash);
    write(linked ?? readKept() ?? EXAMPLE);
    if (linked === undefined) return;
    $('own-notice').textContent = 'This code came with the link. Read it before you run it.';
    $('own').scrollIntoView();
  };
  addEventListener('hashchange', () => { if (location.hash.startsWith(LINK)) show(); });
  show();
}
