// SPDX-License-Identifier: MIT
// Makes dist/: of the modules behind each name of the package one file for programs that require it, one module for pages without a
// bundler, and the types. Brings the license for npm.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, root } from './minify.js';

const at = (name) => join(root, name);
const banner = { js: '// SPDX-License-Identifier: MIT\n// Made by scripts/bundle.js.' };

mkdirSync(at('dist'), { recursive: true });
bundle({ entryPoints: ['index.js'], outfile: 'dist/futon-web.cjs', format: 'cjs', banner, write: true });
bundle({ entryPoints: ['module.js'], outfile: 'dist/module.cjs', format: 'cjs', banner, write: true });
bundle({
  entryPoints: ['index.js'], outfile: 'dist/futon-web.min.js', minify: true, sourcemap: 'linked',
  banner: { js: '// SPDX-License-Identifier: MIT' }, write: true,
});
copyFileSync(at('index.d.ts'), at('dist/index.d.cts'));
copyFileSync(at('index.d.ts'), at('dist/futon-web.min.d.ts'));
writeFileSync(at('dist/module.d.cts'), readFileSync(at('module.d.ts'), 'utf8').replace('./index.js', './index.cjs'));
copyFileSync(join(root, '../../LICENSE'), at('LICENSE'));
