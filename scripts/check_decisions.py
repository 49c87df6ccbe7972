#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each decision says its status, and that the index has each under it, by its title."""

import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs/decisions"
PAGE = re.compile(r"# (?P<title>\d+\. [^\n]+)\n\n\*\*Status\.\*\* (?P<status>In force|Replaced by \[decision \d+\])")


def complaints():
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    in_force, _, replaced = index.partition("\n## Replaced\n")
    for page in sorted(FOLDER.glob("0*.md")):
        found = PAGE.match(page.read_text(encoding="utf-8"))
        if not found:
            yield f"{page.name}: begins with its title, and then with **Status.** In force, or Replaced by [decision N](…)"
            continue
        part, name = (in_force, "In force") if found["status"] == "In force" else (replaced, "Replaced")
        if part.count(f"- [{found['title']}]({page.name})") != 1 or index.count(f"({page.name})") != 1:
            yield f"README.md: wants a line [{found['title']}]({page.name}) under {name}, and no other"


found = list(complaints())
print("\n".join(found) or f"Decisions: each of {len(list(FOLDER.glob('0*.md')))} has its status, and its line")
sys.exit(bool(found))
