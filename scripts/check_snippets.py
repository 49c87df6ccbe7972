#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that what the documents show is true of the repository.

Every fenced cpp block in README.md and docs/ is a part of a file of examples/, white space aside: of the one named by
a comment `<!-- snippet: examples/NN_name.cpp -->` above it, else of any. Every relative link in a document leads to a
file, and to a heading of it where the link names one.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

FENCE = re.compile(r"^ {0,3}(`{3,})\s*([\w+-]*)")
SOURCE = re.compile(r"^<!--\s*snippet:\s*(\S+)\s*-->$")
LINK = re.compile(r"\[[^\]]*\]\(([^()\s]+(?:\([^()\s]*\))?)\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


def normalized(text):
    return " ".join(text.split())


def parse(document):
    """Splits a document into its fenced blocks, as (line, language, text, source), and its other lines."""
    blocks, prose = [], []
    fence = source = None
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        if fence:
            if line.strip() == fence:
                blocks.append((begin, language, "\n".join(body), source))
                fence = source = None
            else:
                body.append(line)
        elif match := FENCE.match(line):
            fence, language = match.groups()
            begin, body = number, []
        else:
            prose.append((number, line))
            if match := SOURCE.match(line.strip()):
                source = match.group(1)
            elif line.strip():
                source = None
    if fence:
        blocks.append((begin, language, "\n".join(body), source))
    return blocks, prose


def anchors_of(document):
    """The names that a document's headings can be linked by."""
    anchors = set()
    for _, line in parse(document)[1]:
        if match := HEADING.match(line):
            anchor = re.sub(r"[^\w\- ]", "", match.group(1).lower()).replace(" ", "-")
            while anchor in anchors:
                anchor += "-1"
            anchors.add(anchor)
    return anchors


def wrong_snippets(document, blocks, examples):
    for line, language, text, source in blocks:
        place = f"{document.relative_to(ROOT)}:{line}"
        if language != "cpp":
            continue
        if source is not None:
            path = ROOT / source
            if path not in examples:
                yield f"{place}: there is no {source}"
            elif normalized(text) not in examples[path]:
                yield f"{place}: this is no part of {source}"
        elif not any(normalized(text) in example for example in examples.values()):
            yield f"{place}: this is no part of any example"


def wrong_links(document, prose):
    for line, text in prose:
        for target in LINK.findall(re.sub(r"`[^`]*`", "", text)):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            place = f"{document.relative_to(ROOT)}:{line}"
            path, _, anchor = target.partition("#")
            linked = (document.parent / path).resolve() if path else document
            if not linked.exists():
                yield f"{place}: {target} leads nowhere"
            elif anchor and linked.suffix == ".md" and anchor not in anchors_of(linked):
                yield f"{place}: {linked.name} has no heading #{anchor}"


def main():
    documents = sorted(ROOT.glob("*.md"))
    with_snippets = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    examples = {path: normalized(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "examples").rglob("*.[ch]pp"))}

    wrong, snippets = [], 0
    for document in sorted({*documents, *with_snippets}):
        blocks, prose = parse(document)
        if document in with_snippets:
            snippets += sum(language == "cpp" for _, language, _, _ in blocks)
            wrong += wrong_snippets(document, blocks, examples)
        wrong += wrong_links(document, prose)

    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    if not wrong:
        print(f"check_snippets: {snippets} snippets are parts of {len(examples)} files of examples")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
