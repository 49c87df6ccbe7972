#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the calls of an empty probe cost: nothing. Compiles each part of the library, and programs that use its headers, as they are and
without these calls, and compares the instructions.

    check_empty_probe.py ROOT FOLDER COMPILER INCLUDE...

FOLDER is for the two copies of the sources; each INCLUDE is a folder under ROOT."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

PARTS = "thread select sync loop tasks sync_tasks memory common_table seldom".split()
PROGRAMS = ["08_coroutines", "15_semaphore", "16_select", "23_condition", "24_event_and_latch", "25_barrier", "27_channel"]
CALL = re.compile(r"((?:if \([^;{}]*?\) )?)((?:return )?)(?:core::)?probe::[a-z_]+\([^;]*?\);")
FLAGS = "-std=c++20 -O2 -DNDEBUG -fPIC -c".split()


def without_calls(text):
    """Statements that call the probe; a condition before one stays, because it may do more."""
    return CALL.subn(lambda call: call[1] + (call[2].strip() or "") + ";", text)


def copy(root, folder, changes):
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("include", "src", "examples"):
        shutil.copytree(root / part, folder / part, ignore=shutil.ignore_patterns("build", "diagnostics"))
    if not changes:
        return 0
    removed = 0
    for path in [*folder.rglob("*.hpp"), *folder.rglob("*.cpp")]:
        if path.name in ("probe.hpp", "watched_mutex.hpp"):
            continue
        text, count = without_calls(path.read_text())
        if count:
            path.write_text(text)
            removed += count
    return removed


def instructions(folder, source, compiler, includes):
    """The names of the instructions of each function, in their order; the compiler may take registers and loads in another order."""
    made = folder / (source.replace("/", "_") + ".o")
    command = [*filter(None, compiler.split(";")), *FLAGS, *(f"-I{folder / include}" for include in includes), str(folder / source), "-o", str(made)]
    subprocess.run(command, check=True, cwd=folder)
    lines = subprocess.run(["objdump", "-d", "--no-show-raw-insn", str(made)], check=True, text=True, capture_output=True).stdout
    return [line.split("\t", 1)[1].split()[0] if "\t" in line else line for line in lines.splitlines()[4:]]


def write_parts(folder):
    """A file for each part that includes its sources, as the library is built."""
    words = [line.split() for line in (folder / "src/sources.txt").read_text().splitlines()]
    for part in PARTS:
        sources = [word[1] for word in words if word[:1] == [part] and re.search(r"^src/(?!platform/)|/(linux|posix)/", word[1])]
        (folder / f"{part}.cpp").write_text("".join(f'#include "{folder / source}"\n' for source in sources))


def main():
    root, work, compiler, *includes = sys.argv[1:]
    root, work = pathlib.Path(root), pathlib.Path(work)
    copy(root, work / "with", False)
    removed = copy(root, work / "without", True)
    for name in ("with", "without"):
        write_parts(work / name)
    sources = [f"{part}.cpp" for part in PARTS] + [f"examples/{program}.cpp" for program in PROGRAMS]

    def differs(source):
        one, other = (instructions(work / name, source, compiler, includes) for name in ("with", "without"))
        return (source, len(one), len(other)) if one != other else None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        different = [found for found in pool.map(differs, sources) if found]
    for source, one, other in different:
        print(f"{source}: {one} lines of disassembly with the calls of the empty probe, {other} without")
    if removed < 40:
        sys.exit(f"only {removed} calls of the probe were found")
    if different:
        sys.exit(1)
    print(f"{len(sources)} units are the same with and without {removed} calls of the empty probe")


if __name__ == "__main__":
    main()
