#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the timeline's page of a trace that a program with futon::diagnostics has written.

    tools/timeline/timeline.py TRACE.json PAGE.html     - stands for the standard input or output

The page needs no other file and no network. The trace itself opens in Perfetto, too."""

import re
import sys
from pathlib import Path

PARTS = Path(__file__).resolve().parents[2] / "src/diagnostics/timeline"


def template():
    """The page with its parts in it, as src/diagnostics/timeline/embed.cmake puts them together, in two halves."""
    page = (PARTS / "timeline.html").read_text(encoding="ascii")
    page = re.sub(r"@([a-z]+\.(?:css|js))@\n", lambda match: (PARTS / match[1]).read_text(encoding="ascii"), page)
    before, after = page.split("@trace@")
    return before, after


def page_of(trace):
    """A name in the trace cannot end the element: in JSON a `<` is within a string, and \\u003c is the same there."""
    before, after = template()
    return before + trace.replace("<", "\\u003c") + after


def main():
    if len(sys.argv) != 3 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    source, target = sys.argv[1:]
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        page = page_of(data.decode("utf-8", errors="replace")).encode("utf-8")
        if target == "-":
            sys.stdout.buffer.write(page)
        else:
            Path(target).write_bytes(page)
    except OSError as error:
        sys.exit(f"{Path(sys.argv[0]).name}: {error}")


if __name__ == "__main__":
    main()
