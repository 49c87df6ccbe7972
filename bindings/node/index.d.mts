// SPDX-License-Identifier: MIT
import * as futon from './index.js';

export * from './index.js';
export default futon;
