#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints a program with a global variable of each name that stands in the public headers, but for those that the standard
library, the C library or the language has, before it includes them.

    tests/headers/globals.py COMPILER [FLAG ...]
"""
import pathlib
import re
import subprocess
import sys

STANDARD = """#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cmath>
#include <coroutine>
#include <cstring>
#include <future>
#include <map>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include <strings.h>
#include <unistd.h>
"""
NAMES = re.compile(r"\b[a-z][a-z0-9_]*\b")


def names_in(folder):
    """All words of the headers that could be names of variables."""
    found = set()
    for header in sorted(pathlib.Path(folder).rglob("*.hpp")):
        code = re.sub(r"//.*|\"[^\"\n]*\"|#.*", "", header.read_text())
        found |= set(NAMES.findall(code))
    return sorted(found - {"futon", "std"})


def usable(names, compiler):
    """Those of the names that a global variable may have beside the standard headers: the compiler is asked."""
    while True:
        lines = STANDARD.splitlines() + [f"extern int {name};" for name in names]
        asked = subprocess.run([*compiler, "-Werror", "-ferror-limit=0" if "clang" in compiler[0] else "-fmax-errors=0",
                                "-fsyntax-only", "-x", "c++", "-"], input="\n".join(lines), text=True,
                               capture_output=True, check=False)
        if asked.returncode == 0:
            return names
        first = len(STANDARD.splitlines()) + 1
        refused = {int(line) - first for line in re.findall(r"<stdin>:(\d+):\d+: error", asked.stderr)}
        names = [name for index, name in enumerate(names) if index not in refused]


def main():
    compiler = sys.argv[1:]
    names = usable(names_in("include/futon"), compiler)
    print(f"{len(names)} names", file=sys.stderr)
    if len(names) < 500:
        sys.exit("there are more names than that: the compiler has refused too many")
    print(STANDARD)
    print("\n".join(f"int {name};" for name in names))
    print("#include <futon/core.hpp>\n#include <futon/futon.hpp>\n\nint main() {}")


if __name__ == "__main__":
    main()
