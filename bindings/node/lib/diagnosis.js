// SPDX-License-Identifier: MIT
'use strict';
// What the addon that sees who waits is told by JavaScript: where a call was made, which workers there are, and when shared memory
// has ended. Without diagnostics these functions do nothing.

const path = require('node:path');
const { clearTimeout, setTimeout } = require('node:timers');
const {
  captureStackTrace, defineProperty, Error, FinalizationRegistry, hasOwn, Map, mapGet, mapSet, registryRegister, sharedByteLength,
  stringIndexOf, stringLastIndexOf, stringSlice, WeakMap, weakMapGet, weakMapSet, WeakRef, weakRefGet,
} = require('./primordials.js');
const { native } = require('./native.js');

const isDiagnosed = hasOwn(native, 'callFrom');
const FRAMES = 16;  // more than the package has between the program and the addon
const own = __dirname + path.sep;

const isOwn = (file) => stringIndexOf(file, own) === 0 || stringIndexOf(file, 'node:') === 0;

/// The innermost frame that is the program's.
function findFrame(error, frames) {
  for (let i = 0; i < frames.length; ++i) {
    const file = frames[i].getFileName();
    if (typeof file === 'string' && !isOwn(file)) return frames[i];
  }
  return undefined;
}

const value = (of) => ({ __proto__: null, value: of, writable: true, enumerable: true, configurable: true });

/// The frame that has called the package; undefined if the program wants no stacks, or has none here.
function callingFrame() {
  const before = { __proto__: null, limit: Error.stackTraceLimit, had: hasOwn(Error, 'prepareStackTrace'), prepare: Error.prepareStackTrace };
  const holder = {};
  try {
    defineProperty(Error, 'prepareStackTrace', value(findFrame));
    defineProperty(Error, 'stackTraceLimit', value(FRAMES));
    captureStackTrace(holder, callingFrame);
    return holder.stack;
  } catch {
    return undefined;  // the program has frozen it, or the stack is full
  } finally {
    if (before.had) defineProperty(Error, 'prepareStackTrace', value(before.prepare));
    else delete Error.prepareStackTrace;
    defineProperty(Error, 'stackTraceLimit', value(before.limit));
  }
}

const places = new Map();  // their numbers, by what is shown

function placeOf(name, position) {
  const text = `${name}\n${position}`;
  let number = mapGet(places, text);
  if (number === undefined) mapSet(places, text, number = native.placeOf(name, position));
  return number;
}

/// Notes where the program has called the package.
function noteCall() {
  const frame = callingFrame();
  const file = frame?.getFileName?.();
  if (typeof file !== 'string') {
    native.callFrom(placeOf('JavaScript', ''));
    return;
  }
  const name = frame.getFunctionName();
  native.callFrom(placeOf(typeof name === 'string' && name !== '' ? name : 'JavaScript',
    `${stringSlice(file, stringLastIndexOf(file, '/') + 1)}:${frame.getLineNumber()}`));
}

/// A buffer that has been used, over memory that begins at `base`.
class Use {
  base;
  buffer;
  isOver = false;

  constructor(base, buffer) {
    this.base = base;
    this.buffer = new WeakRef(buffer);
  }

  end() {
    if (this.isOver) return;
    this.isOver = true;
    native.memoryEnds(this.base);
  }
}

const uses = new WeakMap();        // by the buffer
const usesByAddress = new Map();   // the last one of each
const ends = new FinalizationRegistry((use) => use.end());

/// Notes that the buffer's memory, in which `address` is that of its byte `offset`, is in use. When no buffer is over it any more, other memory
/// may be at its addresses: then names, holders and orders that were seen there are forgotten.
function noteMemory(buffer, address, offset) {
  if (weakMapGet(uses, buffer) !== undefined) return;
  const base = address - offset;
  const last = mapGet(usesByAddress, base);
  if (last !== undefined && weakRefGet(last.buffer) === undefined) last.end();  // the collector has not said so yet
  const use = new Use(base, buffer);
  native.memoryBegins(base, buffer.maxByteLength ?? sharedByteLength(buffer));
  weakMapSet(uses, buffer, use);
  mapSet(usesByAddress, base, use);
  registryRegister(ends, buffer, use);
}

/// Of a worker that has not loaded the package it is not known what it does.
function noteWorker(worker) {
  const { threadId } = worker;
  native.workerBegins(threadId);
  worker.once('exit', () => native.workerEnds(threadId));
}

/// Lets the addon see which of the loop's timers has those of JavaScript.
function showTimers() {
  native.lookAtTimers();
  const timer = setTimeout(() => {}, 1);
  native.lookAtTimers();
  clearTimeout(timer);
}

if (isDiagnosed) {
  process.on('worker', noteWorker);
  showTimers();
}

module.exports = { isDiagnosed, noteCall, noteMemory };
