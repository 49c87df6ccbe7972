#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the types of the npm packages, index.d.ts of each, from bindings/index.d.ts.in; with --check, tells whether they are
current.

A line `// @node` or `// @web` begins what one package alone has, and `// @both` what all have again.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = "bindings/index.d.ts.in"
PACKAGES = {"node": "bindings/node/index.d.ts", "web": "bindings/web/index.d.ts"}


def types_of(package, lines):
    """The lines of that package."""
    part = "both"
    for line in lines:
        if line.startswith("// @"):
            part = line.removeprefix("// @")
            if part not in {"both", *PACKAGES}:
                sys.exit(f"{SOURCE}: there is no package '{part}'")
        elif part in ("both", package):
            yield line


def main(check):
    lines = (ROOT / SOURCE).read_text(encoding="utf-8").splitlines()
    is_current = True
    for package, path in PACKAGES.items():
        text = "\n".join(types_of(package, lines)) + "\n"
        if check and (ROOT / path).read_text(encoding="utf-8") != text:
            print(f"{path}: is not what {SOURCE} says; change that file, then run scripts/make_types.py")
            is_current = False
        elif not check:
            (ROOT / path).write_text(text, encoding="utf-8")
    return 0 if is_current else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] == ["--check"]))
