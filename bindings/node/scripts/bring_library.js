// SPDX-License-Identifier: MIT
'use strict';
// Before the package is packed: copies the library's sources and the licence into it, so that it can be built wherever it is
// unpacked, and futon-web, which it falls back to. After that, with --away, takes them away again, and the prebuilt binaries too.

const { execFileSync } = require('node:child_process');
const { cpSync, existsSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const repository = join(root, '..', '..');
const library = join(root, 'library');

if (!existsSync(join(repository, 'src', 'queue'))) process.exit(0);  // it is in there already

for (const part of ['library', 'LICENSE', 'prebuilds', 'web']) rmSync(join(root, part), { recursive: true, force: true });
if (process.argv.includes('--away')) process.exit(0);
for (const part of ['CMakeLists.txt', 'LICENSE', 'cmake', 'include', 'packaging', 'src'])
  cpSync(join(repository, part), join(library, part), { recursive: true });
rmSync(join(library, 'src', 'platform', 'model'), { recursive: true });
cpSync(join(repository, 'LICENSE'), join(root, 'LICENSE'));
execFileSync(process.execPath, [join(repository, 'bindings', 'web', 'scripts', 'bundle.js')], { stdio: 'inherit' });
cpSync(join(repository, 'bindings', 'web', 'dist', 'futon-web.cjs'), join(root, 'web', 'futon-web.cjs'));
