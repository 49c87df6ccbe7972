// SPDX-License-Identifier: MIT
'use strict';
// `diagnostics`: who holds what, and who waits. With the plain addon, and with futon-web, its functions check their arguments and do nothing.

/// The numbers of Response.
const RESPONSES = { __proto__: null, print: 0, throw: 1, abort: 2 };
const LIMITS = ['hold', 'wait', 'job'];
const MOST_EVENTS = 2 ** 40;

function requireString(value, what, name) {
  if (typeof value !== 'string') throw new TypeError(`diagnostics.${name}: ${what} must be a string, not ${typeof value}`);
  return value;
}

function limitsOf(limits) {
  if (typeof limits !== 'object' || limits === null) throw new TypeError('diagnostics.watch: limits must be an object');
  for (const key of Object.keys(limits))
    if (!LIMITS.includes(key)) throw new TypeError(`diagnostics.watch: limits.${key} is none of ${LIMITS.join(', ')}`);
  return LIMITS.map((key) => {
    const value = limits[key] ?? 0;
    if (typeof value !== 'number') throw new TypeError(`diagnostics.watch: limits.${key} must be a number of milliseconds, not ${typeof value}`);
    if (!(value >= 0 && value <= 2 ** 42)) throw new RangeError(`diagnostics.watch: limits.${key} must be 0 or more milliseconds, not ${value}`);
    return value;
  });
}

/// `native` is the addon that sees who waits, undefined if it is not loaded; `locate` gives the address and the size of a primitive, or of an
/// element of an array.
function makeDiagnostics(native, locate) {
  return Object.freeze({
    isOn: native !== undefined,

    name(...args) {
      const text = requireString(args[args.length - 1], 'the name', 'name');
      if (args.length !== 2 && args.length !== 3)
        throw new TypeError('diagnostics.name: takes a primitive and its name, or an array, an index and the name');
      const memory = locate?.(args[0], args.length === 3 ? args[1] : undefined);
      if (native !== undefined) native.name(memory.address, memory.size, text);
    },

    dump() {
      return native === undefined ? '' : native.dump();
    },

    dumpJson() {
      return native === undefined ? {} : JSON.parse(native.dumpJson());
    },

    metrics() {
      return native === undefined ? '' : native.metrics();
    },

    trace(events = 2 ** 20) {
      if (typeof events !== 'number') throw new TypeError(`diagnostics.trace: events must be a number, not ${typeof events}`);
      if (!(events >= 0 && events <= MOST_EVENTS && events % 1 === 0))
        throw new RangeError(`diagnostics.trace: events must be a whole number that is not negative, not ${events}`);
      native?.trace(events);
    },

    writeTrace(path) {
      requireString(path, 'path', 'writeTrace');
      native?.writeTrace(path);
    },

    writeTimeline(path) {
      requireString(path, 'path', 'writeTimeline');
      native?.writeTimeline(path);
    },

    watch(limits) {
      const [hold, wait, job] = limitsOf(limits);
      native?.watch(hold, wait, job);
    },

    onReport(response) {
      if (typeof response !== 'string' || RESPONSES[response] === undefined)
        throw new TypeError("diagnostics.onReport: must be given 'print', 'abort' or 'throw'");
      native?.respond(RESPONSES[response]);
    },
  });
}

module.exports = { makeDiagnostics };
