#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests of a preset, and ends with their sum: `N passed, N failed, N skipped`.

    scripts/run_ctest.py PRESET [OPTION of ctest ...]

The numbers are those of the runners themselves: of ctest's report, and where one of its tests is a whole program of
GoogleTest's, as under an emulator, of what that program printed. Tests that skip themselves are counted; their names are
in build/PRESET/skipped.txt. A run in which no test passes is a failure.

FUTON_RECORD_PLATFORMS=FILE records the sum in this file of JSON, next to those of other presets, if all tests of the preset
were run, and what was compiled is what was committed. scripts/platforms.py makes docs/platforms.md of tests/platforms.json."""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]

Sum = collections.namedtuple("Sum", "passed failed skipped")


def numbers(text, pattern):
    return [int(number) for number in re.findall(pattern, text, re.MULTILINE)]


def sum_of_program(output):
    """What a program of GoogleTest's says of its tests; None if it ran one at most, which ctest counts as well."""
    ran = numbers(output, r"^\[=+\] (\d+) tests? from \d+ test suites? ran\.")
    if sum(ran) < 2:
        return None
    skipped = sum(numbers(output, r"^\[  SKIPPED \] (\d+) tests?, listed below"))
    failed = sum(numbers(output, r"^\[  FAILED  \] (\d+) tests?, listed below"))
    return Sum(sum(ran) - skipped - failed, failed, skipped)


def read(report):
    """The sum of a report of ctest's, and the names of what was skipped."""
    total, skipped = Sum(0, 0, 0), []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        status = case.get("status")
        output = case.findtext("system-out") or ""
        of_case = sum_of_program(output)
        if status == "run":
            skipped += re.findall(r"^\[  SKIPPED \] (\S+)$", output, re.MULTILINE) if of_case else []
            of_case = of_case or Sum(1, 0, 0)
        elif status in ("notrun", "disabled"):
            of_case = Sum(0, 0, 1)
            skipped.append(case.get("name"))
        else:  # a program that crashes fails, whatever it had printed
            of_case = of_case if of_case and of_case.failed else Sum(0, 1, 0)
        total = Sum(*map(sum, zip(total, of_case)))
    return total, skipped


def print_without_skipped(lines):
    """ctest ends with a list of what was skipped, which would hide all else."""
    is_list = False
    for line in lines:
        is_list = line.startswith("The following tests did not run") or is_list and line.startswith("\t")
        if not is_list:
            sys.stdout.write(line)
            sys.stdout.flush()


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def reason_not_to_record(options):
    """Why a run says nothing of a commit, or nothing of all tests."""
    if [option for option in options if re.match(r"-(?!j$)", option)]:
        return "only some of its tests were run"
    changed = output_of("git", "status", "--porcelain", "--", ".", ":!docs", ":!scripts", ":!*.md", ":!tests/platforms.json")
    return "what is committed is not what was compiled:\n" + changed if changed else None


def version_of(emulator):
    return re.search(r"\d+(\.\d+)+", output_of(*emulator.split(";")[:1], "--version")).group()


def record(path, preset, total):
    platform = json.loads((ROOT / "build" / preset.removesuffix("-all") / "platform.json").read_text(encoding="utf-8"))
    if platform["emulator"]:
        platform["emulator_version"] = version_of(platform["emulator"])
        platform["emulator"] = re.sub(r"[;-].*", "", pathlib.Path(platform["emulator"].split(";")[0]).name)
    commit = output_of("git", "rev-parse", "--short=10", "HEAD").strip()
    records = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    records[preset] = platform | {"commit": commit} | total._asdict()
    path.write_text(json.dumps(records, indent=4, sort_keys=True) + "\n", encoding="utf-8")


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    preset, options = sys.argv[1], sys.argv[2:]
    build = ROOT / "build" / preset.removesuffix("-all")
    report = build / "tests.xml"
    report.unlink(missing_ok=True)

    command = ["ctest", "--preset", preset, "--no-tests=error", "--output-junit", str(report),
               "--test-output-size-passed", "10000000", "--test-output-size-failed", "10000000", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, errors="replace") as ctest:
        print_without_skipped(ctest.stdout)
    total, skipped = read(report) if report.exists() else (Sum(0, 0, 0), [])

    (build / "skipped.txt").write_text("".join(f"{name}\n" for name in skipped))
    if skipped:
        print(f"Skipped themselves, or were not run: see {os.path.relpath(build / 'skipped.txt')}")
    if recorded := os.environ.get("FUTON_RECORD_PLATFORMS"):
        if reason := reason_not_to_record(options):
            print(f"Not recorded: {reason}")
        else:
            record(pathlib.Path(recorded), preset, total)
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return ctest.returncode or (1 if total.failed > 0 or total.passed == 0 else 0)


if __name__ == "__main__":
    sys.exit(main())
