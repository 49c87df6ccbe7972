// SPDX-License-Identifier: MIT
'use strict';

/// Parses the comment /*--- … ---*/ of a test: the small part of YAML that such comments use.
///
/// Returns { includes, flags, features } as lists and `negative` as { phase, type } or null. Other keys are passed
/// over.
function parseFrontmatter(source) {
  const comment = /\/\*---\r?\n?([\s\S]*?)---\*\//.exec(source);
  if (comment === null) throw new SyntaxError('the test has no comment /*--- … ---*/ that describes it');

  const sections = sectionsOf(comment[1]);
  const negative = sections.get('negative');
  return {
    includes: list(sections.get('includes')),
    flags: list(sections.get('flags')),
    features: list(sections.get('features')),
    negative: negative === undefined ? null : { phase: field(negative, 'phase'), type: field(negative, 'type') },
  };
}

/// The text below each key that begins a line.
function sectionsOf(text) {
  const sections = new Map();
  let key = null;
  for (const line of text.split(/\r?\n/)) {
    const start = /^([A-Za-z][\w-]*):(.*)$/.exec(line);
    if (start !== null) {
      key = start[1];
      sections.set(key, start[2]);
    } else if (key !== null) {
      sections.set(key, `${sections.get(key)}\n${line}`);
    }
  }
  return sections;
}

/// `[a, b]`, perhaps over several lines, or one `- a` a line.
function list(text = '') {
  const flow = /\[([^\]]*)\]/.exec(text);
  const items = flow === null ? [...text.matchAll(/^\s*-\s*(.*)$/gm)].map((match) => match[1]) : flow[1].split(',');
  return items
    .map((item) =>
      item
        .replace(/\s#.*$/, '')
        .trim()
        .replace(/^(['"])(.*)\1$/, '$2'),
    )
    .filter((item) => item !== '');
}

function field(text, name) {
  const match = new RegExp(`\\b${name}:\\s*([\\w.]+)`).exec(text);
  if (match === null) throw new SyntaxError(`"negative" has no ${name}`);
  return match[1];
}

module.exports = { parseFrontmatter };
