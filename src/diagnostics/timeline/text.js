// SPDX-License-Identifier: MIT
// How figures and names read.

const element = (name, properties = {}, ...children) => {
  const result = Object.assign(document.createElement(name), properties);
  result.append(...children);
  return result;
};
const count = (number, one, many = `${one}s`) => `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/// Three digits that count, with the unit that suits.
function duration(us) {
  const digits = (value, unit) => `${value >= 100 ? Math.round(value) : Number(value.toPrecision(3))}\u00a0${unit}`;
  if (us < 0.9995) return `${Math.round(us * 1000)}\u00a0ns`;
  if (us < 999.5) return digits(us, '\u00b5s');
  if (us < 999_500) return digits(us / 1000, 'ms');
  return us < 99_500_000 ? digits(us / 1e6, 's') : `${Math.round(us / 1e6).toLocaleString('en')}\u00a0s`;
}

/// A time point, exact to what `step` tells apart.
function timePoint(us, step) {
  const [scale, unit] = step >= 1e6 ? [1e6, 's'] : step >= 1000 ? [1000, 'ms'] : step >= 1 ? [1, '\u00b5s'] : [0.001, 'ns'];
  const decimals = Math.max(0, Math.min(3, Math.ceil(-Math.log10(step / scale) - 1e-9)));
  return `${(us / scale).toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })}\u00a0${unit}`;
}

/// A time point to the nanosecond.
function exactTime(us) {
  const [scale, unit, digits] = us < 1e4 ? [1, '\u00b5s', 3] : us < 1e7 ? [1000, 'ms', 6] : [1e6, 's', 9];
  return `${(us / scale).toLocaleString('en', { minimumFractionDigits: 3, maximumFractionDigits: digits })}\u00a0${unit}`;
}

const objectName = ({ name, address, kind }) => name || address || kind || 'an unnamed object';
const objectTitle = (object) => (object.kind === '' || object.kind === objectName(object) ? '' : `${object.kind} `) + objectName(object);
function spanTitle({ category, object, name, args }) {
  if (category === WAITING) return `Waiting for ${objectTitle(object)}`;
  if (category === HELD) return `Holding ${objectTitle(object)}${args.mode && args.mode !== 'exclusive' ? `, ${args.mode}` : ''}`;
  return name === '' || name === 'job' ? 'A job of the loop' : `Job ${name}`;
}
