#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that each memory order weaker than seq_cst carries its reason on the same line, or the [name] of a pair that
stands on both sides."""

import pathlib
import re
import sys

WEAK = re.compile(r"memory_order(_|::)(relaxed|acquire|release|acq_rel|consume)")
PAIR = re.compile(r"\[([a-z]+(?:-[a-z]+)*)\]")


def main():
    errors = []
    places = {}
    weak_lines = 0
    sources = [p for root in ("include", "src") for p in pathlib.Path(root).rglob("*.[ch]pp")]
    # The model implements the orders, and `Told` tells a race detector which one is used; they do not use them. So does the
    # explorer, in tools/.
    sources = sorted(p for p in sources if "platform/model/" not in str(p) and p.name != "race_detector.hpp")
    for path in sources:
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            code, _, comment = line.partition("//")
            for pair in PAIR.findall(comment):
                places.setdefault(pair, set()).add(f"{path}:{number}")
            if not WEAK.search(code):
                continue
            weak_lines += 1
            if not comment.strip():
                errors.append(f"{path}:{number}: a weak memory order without a reason")
            if re.search(r"_(acquire|release|acq_rel)", code) and not PAIR.search(comment):
                errors.append(f"{path}:{number}: acquire and release come in pairs, and the pair has a [name]")
    for path in sources:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code, _, comment = line.partition("//")
            if WEAK.search(code):
                for pair in PAIR.findall(comment):
                    if len(places[pair]) < 2:
                        errors.append(f"{path}:{number}: [{pair}] stands on one side only")
    print("\n".join(errors) if errors else f"Memory orders: {weak_lines} weak ones, each with its reason")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
