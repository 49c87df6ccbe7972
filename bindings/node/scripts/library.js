// SPDX-License-Identifier: MIT
'use strict';
// For futon.gyp: prints what the library consists of on Linux, a path a line, relative to the folder of that file.
//
//     node library.js sources        what library/src/sources.txt lists
//     node library.js folders        where the platform's own headers are

const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const folders = ['linux', 'address_wait', 'processor', 'posix', 'unhosted'];  // of src/platform: those that Linux stands on

// All parts of the list but the table that only CMake can choose, and the diagnostics.
function sources() {
  const lines = readFileSync(join(__dirname, '..', 'library', 'src', 'sources.txt'), 'utf8').split('\n');
  const listed = lines.filter((line) => /^[a-z]/.test(line)).map((line) => line.split(' '));
  return listed.filter(([part, path]) => {
    const [, room, folder] = path.split('/');
    return part !== 'own_table' && part !== 'diagnostics' && (room !== 'platform' || folders.includes(folder));
  }).map(([, path]) => path);
}

const paths = process.argv[2] === 'sources' ? sources() : folders.map((folder) => `src/platform/${folder}`);
for (const path of paths) console.log(`library/${path}`);
