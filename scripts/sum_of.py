#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command that runs several programs of tests, and ends with the sum of what these say: `N passed, N failed, N skipped`.

    scripts/sum_of.py COMMAND [ARGUMENT ...]

It reads the closing lines of Node's test runner and of this project's own runners. It fails if the command does, and if no
test has passed."""

import re
import subprocess
import sys

CLOSING_LINES = [re.compile(pattern) for pattern in (
    r"^(?:\S+: )?(?P<passed>\d+) passed, (?P<failed>\d+) failed(?:, (?P<skipped>\d+) skipped)?(?:;.*)?$",
    r"^(?:#|ℹ) pass (?P<passed>\d+)$",
    r"^(?:#|ℹ) (?:fail|cancelled) (?P<failed>\d+)$",
    r"^(?:#|ℹ) (?:skipped|todo) (?P<skipped>\d+)$",
)]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    total = {"passed": 0, "failed": 0, "skipped": 0}
    with subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True, errors="replace") as command:
        for line in command.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            for closing in CLOSING_LINES:
                match = closing.match(line.rstrip())
                for key, number in (match.groupdict() if match else {}).items():
                    total[key] += int(number or 0)
    if command.returncode != 0:
        total["failed"] = max(total["failed"], 1)
    print(", ".join(f"{number} {key}" for key, number in total.items()))
    return command.returncode or (1 if total["failed"] > 0 or total["passed"] == 0 else 0)


if __name__ == "__main__":
    sys.exit(main())
