// SPDX-License-Identifier: MIT
'use strict';

// Empty projects that the packed package is installed in; each run has them in the same place, so that ccache knows what is
// built there.

const fs = require('node:fs');
const path = require('node:path');
const { spawnSync } = require('node:child_process');

const root = path.join(__dirname, '..', '..');
const folder = path.join(root, '..', '..', 'build', 'packed-node');

/// Runs a command, some of which compile up to three binaries; returns its status and what it said. npm hands its own settings
/// to its children, and this is not a child to the tools here.
function run(command, args, options = {}) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(config|package|lifecycle)_/.test(name)));
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8', timeout: 900_000, ...options, env: { ...env, ...options.env },
  });
  return { status: status ?? signal ?? error.code, stdout, stderr };
}

/// As run, but throws if that fails; returns what it printed.
function must(command, args, options) {
  const { status, stdout, stderr } = run(command, args, options);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${status}\n${stdout}\n${stderr}`);
  return stdout;
}

/// Packs the package; returns the path of the tarball. Takes away what an earlier run has left.
function pack() {
  clear();
  fs.mkdirSync(folder, { recursive: true });
  must('npm', ['pack', '--pack-destination', folder], { cwd: root });
  const [name] = fs.readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  return path.join(folder, name);
}

/// A folder with an empty project that has the program.
function makeProject(name) {
  const project = path.join(folder, name);
  fs.mkdirSync(project);
  fs.writeFileSync(path.join(project, 'package.json'), '{ "private": true }');
  fs.copyFileSync(path.join(__dirname, 'program.js'), path.join(project, 'program.js'));
  return project;
}

/// A folder for PATH that has these commands alone.
function makePath(name, commands) {
  const bin = path.join(folder, `bin-${name}`);
  fs.mkdirSync(bin);
  for (const command of commands) {
    const found = command === 'node' ? process.execPath : whereIs(command);
    if (found !== undefined) fs.symlinkSync(found, path.join(bin, command));
  }
  return bin;
}

function whereIs(command) {
  return process.env.PATH.split(path.delimiter).map((place) => path.join(place, command)).find((file) => fs.existsSync(file));
}

const clear = () => fs.rmSync(folder, { recursive: true, force: true });

module.exports = { clear, folder, makePath, makeProject, must, pack, root, run, whereIs };
