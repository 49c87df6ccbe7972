// SPDX-License-Identifier: MIT
// esbuild, with what all uses of it here have in common.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installTool } from './tool.js';

export const root = fileURLToPath(new URL('..', import.meta.url));

const VERSION = '0.28.2';

/// One module of those that `options.stdin` or `options.entryPoints` name; esbuild's result.
export function bundle(options) {
  const require = createRequire(join(installTool('esbuild', `esbuild@${VERSION}`), 'package.json'));
  return require('esbuild').buildSync({
    absWorkingDir: root, bundle: true, format: 'esm', target: 'es2022', legalComments: 'none', logLevel: 'warning', write: false,
    ...options,
  });
}

/// The text of a program that imports those names of the package alone, or all.
export function minified(names) {
  const contents = `export ${names === undefined ? '*' : `{ ${names} }`} from './index.js';`;
  return bundle({ stdin: { contents, resolveDir: root }, minify: true }).outputFiles[0].text;
}
