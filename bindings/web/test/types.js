// SPDX-License-Identifier: MIT
// The types of the package: right programs compile, and wrong ones do not. npm installs the compiler into build/types.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installTool } from '../scripts/tool.js';
import { equal, runAll, test } from './harness.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const WANTED = 'typescript@5.9';

/// What the compiler says of those files of types/, after a change of their text.
function compile(files, options, change = (text) => text) {
  const work = installTool('types', WANTED);
  const link = join(work, 'node_modules/futon-web');
  rmSync(link, { force: true, recursive: true });
  symlinkSync(root, link, 'dir');
  const folder = mkdtempSync(join(work, 'program-'));
  try {
    for (const file of files) writeFileSync(join(folder, file), change(readFileSync(join(root, 'test/types', file), 'utf8')));
    const compilerOptions = {
      noEmit: true, strict: true, target: 'es2022', lib: ['es2022', 'esnext.disposable', 'dom'], types: [],
      module: 'node16', moduleResolution: 'node16', preserveSymlinks: true, ...options,
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const { stdout } = spawnSync(process.execPath, [join(work, 'node_modules/typescript/bin/tsc'), '-p', folder], { encoding: 'utf8' });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const [name, files, options] of [
  ['in Node', ['right.ts', 'wrapper.ts', 'family.ts', 'wrong.ts', 'common.cts'], {}],
  ['with exact optional properties', ['right.ts', 'wrapper.ts', 'family.ts', 'common.cts'], { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }],
  ['for a bundler', ['right.ts', 'wrapper.ts', 'family.ts', 'wrong.ts'], { module: 'esnext', moduleResolution: 'bundler' }],
])
  test(`RightProgramsCompileAndWrongLinesDoNot ${name}`, () => equal(compile(files, options), ''));

test('EachWrongLineIsAnError', () => {
  const said = compile(['wrong.ts'], {}, (text) => text.replaceAll('// @ts-expect-error\n', ''));
  equal(said.match(/: error TS/g)?.length, 19, said);
});

process.exitCode = await runAll(console.log, process.argv[2] ?? '') === 0 ? 0 : 1;
