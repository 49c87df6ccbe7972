// SPDX-License-Identifier: MIT
// Firefox has no modules in service workers, so the package is the file that a script can load.
globalThis.exports = globalThis.module = {};
importScripts('../dist/futon-web.cjs');

onmessage = ({ source }) => source.postMessage({ isSupported: module.exports.isSupported(), whyNot: module.exports.whyNot() });
