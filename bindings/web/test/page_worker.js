// SPDX-License-Identifier: MIT
import { removeWaitAsync } from './remove_wait_async.js';

const query = new URLSearchParams(location.search);
if (query.has('sleeper')) await removeWaitAsync();
const { runAll } = await import(`./${query.get('run')}`);
postMessage({ failures: await runAll((line) => postMessage({ line }), query.get('only') ?? '') });
