// SPDX-License-Identifier: MIT
// Makes dist/ for programs that require the package: of the modules behind each name of the package one file, in which each is a
// function that is called once, and the types. Brings the license for npm.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
let done;
let parts;

const namesOf = (list) => list.split(',').map((name) => name.trim().split(/\s*:\s*/).at(-1)).filter((name) => name !== '');
const variableOf = (path) => `module_${path.replace(/^src\//, '').replace(/\W/g, '_')}`;

function bundle(path) {
  if (done.has(path)) return variableOf(path);
  done.add(path);
  const exported = [];
  const find = (from) => bundle(normalize(join(dirname(path), from)));
  const body = readFileSync(join(root, path), 'utf8')
    .replace(/^\/\/.*\n/gm, '')
    .replace(/^import (\{[^}]*\}) from '([^']*)';$/gm, (_, names, from) => `const ${names} = ${find(from)};`)
    .replace(/^export \{([^}]*)\} from '([^']*)';$/gm, (_, names, from) => {
      exported.push(...namesOf(names));
      return `const {${names}} = ${find(from)};`;
    })
    .replace(/^export const \{([^}]*)\} =/gm, (_, names) => {
      exported.push(...namesOf(names));
      return `const {${names}} =`;
    })
    .replace(/^export (const|let|function|class|async function) (\w+)/gm, (_, kind, name) => {
      exported.push(name);
      return `${kind} ${name}`;
    });
  if (/^(import|export)\b/m.test(body)) throw new Error(`${path} has an import or export that this script does not know`);
  parts.push(`const ${variableOf(path)} = (() => {\n${body}\nreturn { ${exported.join(', ')} };\n})();\n`);
  return variableOf(path);
}

/// Writes the file of CommonJS of a module that exports these names.
function write(module, file, names) {
  done = new Set();
  parts = [];
  const main = bundle(module);
  writeFileSync(join(root, 'dist', file), `// SPDX-License-Identifier: MIT
// Made by scripts/bundle.js.
'use strict';
${parts.join('')}
const { ${names} } = ${main};
module.exports = { ${names} };
`);
}

mkdirSync(join(root, 'dist'), { recursive: true });
write('index.js', 'futon-web.cjs', 'wait, waitAsync, notify, pause, AsyncLock, canBlock, setCanBlock');
write('module.js', 'module.cjs', 'connect');
copyFileSync(join(root, 'index.d.ts'), join(root, 'dist/index.d.cts'));
writeFileSync(join(root, 'dist/module.d.cts'), readFileSync(join(root, 'module.d.ts'), 'utf8').replace('./index.js', './index.cjs'));
copyFileSync(join(root, '../../LICENSE'), join(root, 'LICENSE'));
