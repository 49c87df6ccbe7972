// SPDX-License-Identifier: MIT
// The other entry points: the polyfill, and the default export that modules have.

import 'futon/polyfill';
import { waitAsync } from 'futon/polyfill';

const words = new Int32Array(new SharedArrayBuffer(16));
const result = waitAsync(words, 0, 0, { timeout: 1 });
result.unref();
