// SPDX-License-Identifier: MIT
'use strict';
// For futon.gyp: prints the folder of the library's sources, if the headers are those of this Node. V8 differs from version to
// version, and an addon that was compiled for another one breaks in silence.
//
//     node check_headers.js NODE-GYP'S-ROOT

const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const folders = [join(process.argv[2], 'include', 'node'), join(process.argv[2], 'src')];
const header = folders.map((folder) => join(folder, 'node_version.h')).find((file) => existsSync(file));
const [, modules] = (header && /define NODE_MODULE_VERSION (\d+)/.exec(readFileSync(header, 'utf8'))) ?? [];
const isForNode = (process.env.npm_config_runtime ?? 'node') === 'node';

if (isForNode && modules !== process.versions.modules) {
  console.error(
    `futon: the headers in ${process.argv[2]} are of another Node (NODE_MODULE_VERSION ${modules ?? 'unknown'}) than the one that runs ` +
      `(${process.versions.modules}, Node ${process.versions.node}), and futon/addon.h uses V8. ` +
      'Say where the right ones are, `node-gyp rebuild --nodedir=…`, or leave out nodedir, so that node-gyp gets them.');
  process.exit(1);
}

if (!existsSync(join(__dirname, '..', 'library'))) {
  console.error('futon: the sources of the library are not in the package. In the repository: node scripts/bring_library.js');
  process.exit(1);
}
console.log('library');  // as make wants it: relative to the folder of futon.gyp
