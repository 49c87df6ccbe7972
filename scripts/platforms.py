#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the tables of docs/platforms.md and README.md out of tests/platforms.json, the record of runs.

    scripts/platforms.py            writes the tables
    scripts/platforms.py --check    fails if they are not in the documents, or if a record does not fit the repository

`FUTON_RECORD_PLATFORMS=tests/platforms.json ./dev test PRESET` writes a record: see scripts/run_ctest.py."""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDS = "tests/platforms.json"
BEGIN, END = "<!-- table: scripts/platforms.py -->", "<!-- end of the table -->"

PLATFORMS = {"linux": "futex", "windows": "`WaitOnAddress`", "emscripten": "the engine's `Atomics`", "generic": "the standard library"}
EMULATORS = {"": "the processor", "qemu": "QEMU", "wine": "Wine", "node": "Node"}
KEYS = {"system", "processor", "compiler", "library", "standard", "platform", "sanitizers", "emulator", "commit", "passed", "failed", "skipped"}
HEAD = ["system", "processor", "compiler", "stands on", "run by", "passed", "failed", "skipped", "commit", "`./dev test`"]
DOCUMENTS = {  # and their columns
    "docs/platforms.md": HEAD,
    "README.md": ["system", "processor", "compiler", "run by", "passed", "failed", "skipped", "commit"],
}


def errors_of(records):
    presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["testPresets"]
    names = {preset["name"] for preset in presets if not preset.get("hidden")}
    for preset, record in records.items():
        if preset not in names:
            yield f"{RECORDS}: there is no test preset '{preset}'"
        if missing := KEYS - record.keys():
            yield f"{RECORDS}: the record of {preset} lacks {', '.join(sorted(missing))}"
        elif record["platform"] not in PLATFORMS or record["emulator"] not in EMULATORS:
            yield f"scripts/platforms.py: has no words for what {preset} stands on or is run by"
        elif record["passed"] == 0:
            yield f"{RECORDS}: no test of {preset} passed"


def row(preset, record):
    emulator = EMULATORS[record["emulator"]]
    if "emulator_version" in record:
        emulator += f" {record['emulator_version']}"
    compiler = f"{record['compiler']}, {record['library']}, C++{record['standard']}"
    if record["sanitizers"]:
        compiler += f", sanitizers `{record['sanitizers']}`"
    return [record["system"], record["processor"], compiler, PLATFORMS[record["platform"]], emulator,
            *(str(record[key]) for key in ("passed", "failed", "skipped")), f"`{record['commit']}`", f"`{preset}`"]


def table(records, columns):
    rows = sorted((row(*item) for item in records.items()), key=lambda cells: [cell.lower() for cell in cells[:3]])
    rules = ["--:" if name in ("passed", "failed", "skipped") else "---" for name in columns]
    chosen = [[cells[HEAD.index(name)] for name in columns] for cells in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [columns, rules, *chosen])


def report(errors):
    print("\n".join(errors))
    return 1


def with_table(text, records, columns):
    """The document's text with the table, or None if it has no place for it."""
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        return None
    made = f"{BEGIN}\n\n{table(records, columns)}\n\n{END}"
    return re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: made, text, flags=re.DOTALL)


def main():
    records = json.loads((ROOT / RECORDS).read_text(encoding="utf-8"))
    errors = list(errors_of(records))
    if errors:
        return report(errors)
    for name, columns in DOCUMENTS.items():
        document = ROOT / name
        text = document.read_text(encoding="utf-8")
        made = with_table(text, records, columns)
        if made is None:
            errors.append(f"{name}: has no place for the table, between {BEGIN} and {END}")
        elif "--check" not in sys.argv:
            document.write_text(made, encoding="utf-8")
        elif made != text:
            errors.append(f"{name}: its table is not what the records say; run scripts/platforms.py")
    if errors:
        return report(errors)
    print(f"Platforms: {len(records)} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
