# SPDX-License-Identifier: MIT
"""What a handoff costs, from the table of docs/benchmarks.md: threads and coroutines on one lock."""

import pathlib
import re

from svg import Picture

BENCHMARKS = pathlib.Path(__file__).resolve().parent.parent / "benchmarks.md"
SECTION = "## Threads and coroutines on one lock"


def figures():
    """The rows of the table: (lock, hold in µs, ns per acquisition)."""
    section = BENCHMARKS.read_text(encoding="utf-8").split(SECTION)[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\S[^|]*?) +\| +(\d+) \| +([\d ]+) \|", section, re.MULTILINE)
    return [(lock, int(hold), int(cost.replace(" ", ""))) for lock, hold, cost in rows]


def draw():
    rows = [(lock, hold, cost) for lock, hold, cost in figures() if hold <= 10]
    spoken = "; ".join(f"{lock}, held for {hold} µs: {cost} ns" for lock, hold, cost in rows)
    picture = Picture(
        900, 330, "What a handoff costs",
        "Nanoseconds per acquisition of a lock that threads and coroutines contend for, with the time for which it is held. "
        f"{spoken}. A strict lock hands off at each unlock, and each handoff costs a wake-up.")
    picture.text(20, 30, "ns per acquisition, threads and coroutines contending", "small", "start")
    scale = 560 / max(cost for _, _, cost in rows)
    y = 48
    for hold in sorted({hold for _, hold, _ in rows}):
        picture.text(20, y + 16, f"held for {hold} µs", "strong", "start")
        y += 26
        for lock, its_hold, cost in rows:
            if its_hold != hold:
                continue
            style = "task" if "strict" in lock else "thread" if "futon" in lock else "box"
            picture.text(20, y + 17, lock, "code", "start")
            picture.bar(240, y, cost * scale, 26, style)
            picture.bar(240, y + 19, hold * 1000 * scale, 7, "hot")
            picture.text(250 + round(cost * scale), y + 18, f"{cost:,}".replace(",", " "), "", "start")
            y += 32
        y += 12
    picture.text(20, y + 10, "blue: hands off once in a millisecond. green: at each unlock. orange: the hold.", "small", "start")
    return picture.svg()
