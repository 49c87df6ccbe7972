#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that docs/benchmarks.md is of code that has hardly changed: a page says of which commit its figures are."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = "docs/benchmarks/results.json"
MEASURED = ("include", "src", "adapters/asio", "adapters/uv", ":!src/diagnostics", ":!src/platform/windows", ":!src/platform/emscripten",
            ":!src/platform/model", ":!src/platform/generic")
MOST = 100  # commits that touch it: some two weeks' work


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def complaint():
    commit = json.loads((ROOT / RESULTS).read_text(encoding="utf-8"))["machine"].get("commit", "unknown")
    if git("rev-parse", "--is-inside-work-tree").returncode != 0:
        return None  # a copy without its history, as of a source archive
    counted = git("rev-list", "--count", f"{commit}..HEAD", "--", *MEASURED)
    if counted.returncode != 0:
        if git("rev-parse", "--is-shallow-repository").stdout.strip() == "true":
            return None
        return f"{RESULTS}: is of commit '{commit}', which this history does not have; run ./dev bench --long on a quiet machine"
    if int(counted.stdout) > MOST:
        return (f"{RESULTS}: {int(counted.stdout)} commits have changed what it measures since {commit}, more than {MOST}; "
                "run ./dev bench --long on a quiet machine")
    return None


found = complaint()
print(found or "Benchmarks: their figures are of today's code")
sys.exit(found is not None)
