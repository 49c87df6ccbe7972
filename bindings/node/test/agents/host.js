// SPDX-License-Identifier: MIT
'use strict';

// Runs one test in a process of its own: `node host.js '{"file":…,"harness":…,"strict":…}'`. The result goes to
// file descriptor 3 as a line of JSON: { outcome: "completed" | "threw" | "unsupported", phase, type, message }.

const fs = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');
const { futon, isNative } = require('../support/implementation');
const { parseFrontmatter } = require('./frontmatter');
const agent = require('./agent_parent');

const { file, harness, strict } = JSON.parse(process.argv[2]);
const source = fs.readFileSync(file, 'utf8');
const { includes, flags, features, negative } = parseFrontmatter(source);
const isAsync = flags.includes('async');
const isRaw = flags.includes('raw');
let phase = 'runtime';

/// Reports the result of the test, and ends the process with all its agents.
function conclude(outcome, details = {}) {
  fs.writeSync(3, `${JSON.stringify({ outcome, ...details })}\n`);
  process.exit(0);
}

function concludeWith(error) {
  const type = error?.constructor?.name ?? typeof error;
  conclude('threw', { phase, type, message: String(error?.stack ?? error) });
}

const done = 'Test262:AsyncTestComplete';
const failed = 'Test262:AsyncTestFailure:';

function print(value) {
  const text = String(value);
  fs.writeSync(1, `${text}\n`);
  if (!isAsync) return;
  if (text === done) conclude('completed');
  if (text.startsWith(failed)) {
    const [, type, message] = /^\s*(\w*):?\s*([\s\S]*)$/.exec(text.slice(failed.length));
    conclude('threw', { phase: 'runtime', type, message });
  }
}

function define(global, name, value) {
  Object.defineProperty(global, name, { value, writable: true, enumerable: false, configurable: true });
}

/// `$262` of a realm, given its global object and how to run a script there.
function hostObject(global, evalScript) {
  return {
    global,
    agent,
    evalScript,
    detachArrayBuffer: (buffer) => void structuredClone(buffer, { transfer: [buffer] }),
    gc: collector(),
    createRealm() {
      const context = vm.createContext();
      const realm = vm.runInContext('globalThis', context);
      define(
        realm,
        '$262',
        hostObject(realm, (text) => vm.runInContext(text, context)),
      );
      define(realm, 'print', print);
      return realm.$262;
    },
  };
}

function collector() {
  v8.setFlagsFromString('--expose-gc');
  return vm.runInNewContext('gc');
}

/// Features that this engine may lack; it is assumed to have all others.
const supports = {
  'Atomics.pause': () => 'pause' in Atomics,
  'Atomics.waitAsync': () => 'waitAsync' in Atomics,
  'arraybuffer-transfer': () => 'transfer' in ArrayBuffer.prototype,
  Float16Array: () => 'Float16Array' in globalThis,
  'immutable-arraybuffer': () => 'transferToImmutable' in ArrayBuffer.prototype,
  IsHTMLDDA: () => false,
  'resizable-arraybuffer': () => 'resize' in ArrayBuffer.prototype,
};

function unsupported() {
  if (flags.includes('CanBlockIsFalse') && isNative) return 'an agent that may not block';
  return features.find((feature) => feature in supports && !supports[feature]()) ?? null;
}

function runHarness() {
  const files = isRaw ? [] : ['assert.js', 'sta.js', ...(isAsync ? ['doneprintHandle.js'] : []), ...includes];
  for (const name of files) {
    const filename = path.join(harness, name);
    vm.runInThisContext(fs.readFileSync(filename, 'utf8'), { filename });
  }
}

function runScript() {
  phase = 'parse';
  const script = new vm.Script((strict ? '"use strict";\n' : '') + source, { filename: file });
  phase = 'runtime';
  script.runInThisContext();
}

async function runModule() {
  const modules = new Map();
  const load = (filename) => {
    if (!modules.has(filename)) {
      modules.set(filename, new vm.SourceTextModule(fs.readFileSync(filename, 'utf8'), { identifier: filename }));
    }
    return modules.get(filename);
  };
  phase = 'parse';
  const main = load(file);
  phase = 'resolution';
  await main.link((specifier, from) => load(path.resolve(path.dirname(from.identifier), specifier)));
  phase = 'runtime';
  await main.evaluate();
}

async function main() {
  const missing = unsupported();
  if (missing !== null) conclude('unsupported', { message: missing });
  if (flags.includes('CanBlockIsFalse')) futon.setCanBlock(false);

  define(globalThis, 'print', print);
  define(
    globalThis,
    '$262',
    hostObject(globalThis, (text) => vm.runInThisContext(text)),
  );
  runHarness();
  if (flags.includes('module')) await runModule();
  else runScript();

  if (!isAsync || negative !== null) conclude('completed');
  // The engine's own waitAsync does not keep the loop alive; futon's must.
  if (isNative) setInterval(() => {}, 1000);
}

process.on('uncaughtException', concludeWith);
main().catch(concludeWith);
