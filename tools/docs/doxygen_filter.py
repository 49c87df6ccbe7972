#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Turns the labelled facts of a header's comments into sections for Doxygen, which runs it as its INPUT_FILTER.

A fact is a line of a `///` comment that begins with a label and two spaces, `Throws  std::bad_alloc`, and the lines below that
are indented to its text. It becomes a paragraph with a title, `@par Throws`.
"""

import pathlib
import re
import sys

COMMENT = re.compile(r"^(\s*)///(?: (.*))?$")
FACT = re.compile(r"^([A-Z][a-z]+)  +(\S.*)$")
# A fact in one sentence, without the two spaces.
SENTENCE = re.compile(r"^(Throws) ((?:futon::|std::|[A-Z])\w.*)$")
# What Doxygen would take for a command, or for a link to something of its own.
MACROS = re.compile(r"\bFUTON_(?:API|WARN_UNUSED|CAPABILITY|SCOPED_CAPABILITY|ACQUIRE|TRY_ACQUIRE|RELEASE|REQUIRES|EXCLUDES|NO_THREAD_SAFETY"
                    r"_ANALYSIS|ASSERT_CAPABILITY|RETURN_CAPABILITY)\b(?:\([^()]*\))? ?")

# What keeps a function from being found by its arguments; it is futon's by name.
NAMED = re.compile(r"^(?:namespace found_by_name \{|\}  // namespace found_by_name)$")


def filtered(lines):
    """The lines for Doxygen. None is added or removed but in comments, so the numbers of lines are found in the source again."""
    fact_before = False
    for line in lines:
        match = COMMENT.match(line)
        if match is None:
            fact_before = False
            yield NAMED.sub("", MACROS.sub("", line))
            continue
        indent, text = match.group(1), match.group(2) or ""
        if fact := FACT.match(text) or SENTENCE.match(text):
            # In one line, so that each line stays where it is: `@par` ends its title at a line break only, which `^^` is in a filter.
            yield f"{indent}/// @fact{{{fact.group(1)}}}{fact.group(2)}"
            fact_before = True
        elif fact_before and text.startswith("  "):
            yield f"{indent}/// {text.strip()}"
        else:
            fact_before = False
            yield line


def main():
    source = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    sys.stdout.write("\n".join(filtered(source.splitlines())) + "\n")


if __name__ == "__main__":
    main()
