// SPDX-License-Identifier: MIT
'use strict';
// Before the package is packed: copies the library's sources into it, so that it can be built wherever it is unpacked.
// After that, with --away, takes them away again.

const { cpSync, existsSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const repository = join(__dirname, '..', '..', '..');
const library = join(__dirname, '..', 'library');

if (!existsSync(join(repository, 'src', 'tables'))) process.exit(0);  // it is in there already

rmSync(library, { recursive: true, force: true });
if (process.argv.includes('--away')) process.exit(0);
for (const part of ['CMakeLists.txt', 'LICENSE', 'cmake', 'include', 'packaging', 'src'])
  cpSync(join(repository, part), join(library, part), { recursive: true });
rmSync(join(library, 'src', 'platform', 'model'), { recursive: true });
