#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that src/sources.txt has each source of the library once, in order, and that whatever compiles the library
reads it: no other file of a build names a source.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = "src/sources.txt"
PARTS = ["thread", "seldom", "select", "sync", "loop", "tasks", "sync_tasks", "memory", "private_table", "own_table",
         "common_table", "shared_object", "diagnostics", "test"]

READERS = ["cmake/FutonSources.cmake", "packaging/meson/subprojects/packagefiles/futon/meson.build",
           "bindings/node/scripts/library.js"]
# Who may name no source: the files of builds. Those of tests may, to compile one alone.
BUILDS = ("CMakeLists.txt", ".cmake", ".cmake.in", "meson.build", ".gyp", ".gypi", "conanfile.py", ".js", ".json")
NOT_BUILDS = {"node_modules", "build", "library", "dist", "test"}
BUILT = ("CMakeLists.txt", "cmake", "packaging", "bindings", "adapters", "bench", "tools", "src", "examples")
SOURCE = re.compile(r"\b(?:platform/)?\w+/\w+\.cpp")


def listed():
    """The lines of the list, as (number, part, path)."""
    for number, line in enumerate((ROOT / LIST).read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            part, _, path = line.partition(" ")
            yield number, part, path


def part_of(path):
    """The part that a new source is likely to be of."""
    room = path.split("/")[1]
    return {"sync": "sync", "agent": "loop", "memory": "memory", "drivers": "select", "diagnostics": "diagnostics"}.get(room, "thread")


def check_list():
    seen, before = {}, {}
    for number, part, path in listed():
        place = f"{LIST}:{number}"
        if part not in PARTS:
            yield f"{place}: there is no part '{part}'; the parts are {', '.join(PARTS)}"
        if not (ROOT / path).is_file() or not path.startswith("src/"):
            yield f"{place}: there is no {path}; take this line out, or write `part src/room/name.cpp`"
        if path in seen:
            yield f"{place}: {path} stands in line {seen[path]} already"
        elif path < before.get(part, ""):
            yield f"{place}: {path} comes before {before[part]}: a part is in alphabetical order"
        seen[path] = number
        before[part] = path
    for path in sorted(str(found.relative_to(ROOT)) for found in (ROOT / "src").rglob("*.cpp")):
        if path not in seen:
            yield (f"{LIST}: lacks {path}; add the line `{part_of(path)} {path}`, or with another part that its head "
                   "explains")


def files_of_builds():
    for name in BUILT:
        for path in [ROOT / name, *(ROOT / name).rglob("*")]:
            inside = path.relative_to(ROOT)
            if path.is_file() and path.name.endswith(BUILDS) and not NOT_BUILDS & set(inside.parts):
                yield inside


def check_readers():
    for reader in READERS:
        if "sources.txt" not in (ROOT / reader).read_text(encoding="utf-8"):
            yield f"{reader}: does not read {LIST}"
    sources = {path for _, _, path in listed()}
    for file in files_of_builds():
        for number, line in enumerate((ROOT / file).read_text(encoding="utf-8").splitlines(), 1):
            for path in sorted({f"src/{name}" for name in SOURCE.findall(line)} & sources):
                yield f"{file}:{number}: names {path}; the sources stand in {LIST} alone, and a build reads them there"


def main():
    errors = [*check_list(), *check_readers()]
    print("\n".join(errors) or f"Sources: {len(list(listed()))} in one list, which {len(READERS)} builds read")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
