#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the pictures of the documents: each script beside this one draws the SVG of its name. With --check it writes nothing, and
fails where a picture is not what its script draws."""

import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
PICTURES = ("one_queue", "life_of_a_waiter", "states_of_the_lock", "cost_of_a_handoff", "rooms",
            "timeline_demo", "timeline_hangs", "timeline_stutters")


def main():
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(HERE))
    stale = []
    for name in PICTURES:
        drawn = importlib.import_module(name).draw()
        path = HERE / f"{name}.svg"
        if "--check" not in sys.argv:
            path.write_text(drawn, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != drawn:
            stale.append(f"docs/pictures/{name}.svg is not what {name}.py draws: run docs/pictures/draw.py")
    print("\n".join(stale) or f"draw: {len(PICTURES)} pictures", file=sys.stderr if stale else sys.stdout)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
