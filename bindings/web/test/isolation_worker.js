// SPDX-License-Identifier: MIT
// A worker or a shared worker.
import * as names from '../index.js';
import { reasons } from './isolation.js';

if (globalThis.SharedWorkerGlobalScope) onconnect = ({ ports: [port] }) => port.postMessage(reasons(names));
else postMessage(reasons(names));
