// SPDX-License-Identifier: MIT
// Programs of npm that the scripts and tests use. Each is installed below build/ once.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const build = fileURLToPath(new URL('../build/', import.meta.url));

/// The folder build/`folder`, with packages such as 'esbuild@0.28.2' in its node_modules.
export function installTool(folder, ...packages) {
  const work = join(build, folder);
  const stamp = join(work, 'installed');
  const wanted = packages.join(' ');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return work;
  mkdirSync(join(work, 'node_modules'), { recursive: true });
  writeFileSync(join(work, 'package.json'), '{ "private": true }');
  const { status, error, stderr } = spawnSync('npm',
    ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts', ...packages],
    { cwd: work, encoding: 'utf8', timeout: 280_000 });
  if (status !== 0) throw new Error(error?.message ?? stderr);
  writeFileSync(stamp, wanted);
  return work;
}
