// SPDX-License-Identifier: MIT
'use strict';
// Futon only.

// Headers of another Node: an addon that uses V8 is not built with them. (For node-gyp: package/run.js.)

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { spawnSync } = require('node:child_process');
const { test } = require('./support/test');
const { folder: example } = require('./support/example');

const root = path.join(__dirname, '..');
const current = process.versions.modules;

/// Calls `body` with a folder that has headers, as far as is looked at, of the Node with that number.
function withHeaders(modules, body) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'futon-'));
  try {
    for (const name of ['node_api.h', 'uv.h', 'v8.h']) fs.writeFileSync(path.join(folder, name), '');
    fs.writeFileSync(path.join(folder, 'node_version.h'), `#define NODE_MODULE_VERSION ${modules}\n`);
    return body(folder);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/// Configures a project with these headers; returns what CMake says, in one line, and the file that it writes for make.
function configure(source, headers) {
  const build = path.join(headers, 'build');
  const { status, stderr } = spawnSync('cmake', ['-G', 'Unix Makefiles', '-S', source, '-B', build, `-DNODE_INCLUDE_DIR=${headers}`,
    `-DFUTON_NODE=${process.execPath}`], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  const makefile = path.join(build, 'CMakeFiles', 'futon_node.dir', 'build.make');
  return { status, said: stderr.replace(/\s+/g, ' '), make: fs.existsSync(makefile) ? fs.readFileSync(makefile, 'utf8') : '' };
}

test('CMake refuses headers of another Node for an addon that uses V8, and names the cure', () => {
  const { status, said } = withHeaders(1, (headers) => configure(example, headers));

  assert.equal(status, 1);
  assert.match(said, new RegExp(`are of another Node \\(NODE_MODULE_VERSION '1'\\) than .* \\(${current}\\).*-DNODE_INCLUDE_DIR=`));
});

test('CMake takes headers of this Node', () => {
  const { status, said } = withHeaders(current, (headers) => configure(example, headers));

  assert.equal(status, 0, said);
});

test("The package's own addon uses V8 with headers of this Node, and N-API alone with those of another", () => {
  const ours = withHeaders(current, (headers) => configure(root, headers));
  const others = withHeaders(1, (headers) => configure(root, headers));

  assert.match(ours.make, /engine_promise_v8\.cpp/);
  assert.match(others.make, /engine_promise_none\.cpp/);
  assert.doesNotMatch(others.make, /engine_promise_v8\.cpp/);
});
