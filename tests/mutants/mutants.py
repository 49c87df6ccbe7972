# SPDX-License-Identifier: MIT
"""The mutants of `bugs/`: for each invariant and each trap, one change in one place that breaks it. They are written
so:

    [fifo] takes one more than it was asked for                   the tag of docs/protocol.md, or the subject; the bug
        in Shard::take                                            the symbol in which it is
        - $length < $taking.count_                                the patch, as patches.py describes it
        + $length <= $taking.count_
        model: ModelQueue.IsLeftInTheOrder*                       the lane, and the tests that must catch it

Where several rooms have a symbol of that name, `in Doorbell::wait of platform/linux` says which; `in platform/posix/`
names a folder, or a file, for what stands in no symbol. A lane is `model`, or `unit`, which has the unit and conformance
tests, on the library's own platform, or `diagnostics`, which has the tests of that library, or `lines`, which counts cache
lines. It is followed by `,
sanitized` where a bug shows only as a touch of what is gone, and by `, hangs` where it shows only as a test that does
not end. Where another library shipped the bug, its report is named. A line that begins with `#` is a comment.
"""

import dataclasses
import pathlib
import re

from patches import Patch

FOLDER = pathlib.Path(__file__).parent / "bugs"
LANES = ("model", "unit", "diagnostics", "lines")
HEAD = re.compile(r"\[([\w-]+)\] (\S.*)")
PLACE = re.compile(r"    in (?:([^\s/]+)(?: of (\S+))?|(\S*/\S*))")
TESTS = re.compile(r"    (\w+)(, sanitized)?(, hangs)?: (\S+)")
CHANGE = re.compile(r"    ([-+ ]) .*")


class Malformed(Exception):
    """A file of mutants is not written as it should be."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    tag: str
    bug: str
    line: str  # of the file of mutants: where it is written
    patch: Patch
    lane: str
    by: str  # the tests that must catch it
    is_sanitized: bool
    hangs: bool

    @property
    def name(self):
        return f"[{self.tag}] {self.bug}"


def read_all(folder=FOLDER):
    found = [mutant for path in sorted(folder.glob("*.mutants")) for mutant in read(path.read_text(), path.name)]
    names = [mutant.name for mutant in found]
    for mutant in found:
        if names.count(mutant.name) > 1:
            raise Malformed(f"{mutant.line}: another is called {mutant.name}, too")
    return found


def read(text, file):
    lines = [(number, line.rstrip()) for number, line in enumerate(text.splitlines(), 1)
             if line.strip() and not line.startswith("#")]
    heads = [place for place, (_, line) in enumerate(lines) if not line.startswith(" ")]
    if lines and heads[:1] != [0]:
        raise Malformed(f"{file}:{lines[0][0]}: no mutant has begun")
    for begin, end in zip(heads, [*heads[1:], len(lines)]):
        yield one(lines[begin:end], f"{file}:{lines[begin][0]}")


def one(lines, where):
    (_, head), *rest = lines
    title, place, tests, changes = HEAD.fullmatch(head), [], [], []
    if not title:
        raise Malformed(f"{where}: `[tag] the bug` is expected")
    for number, line in rest:
        if change := CHANGE.fullmatch(line):
            changes.append(line[4:])
        elif found := PLACE.fullmatch(line):
            place.append(found.groups())
        elif (found := TESTS.fullmatch(line)) and found[1] in LANES:
            tests.append(found.groups())
        else:
            here = f"{where.split(':')[0]}:{number}"
            raise Malformed(f"{here}: neither `in SYMBOL`, nor a change, nor `LANE: TESTS`: {line.strip()}")
    if len(place) != 1 or len(tests) != 1:
        raise Malformed(f"{where}: a mutant has one line `in SYMBOL`, and one `LANE: TESTS`")
    (symbol, room, file), (lane, is_sanitized, hangs, by) = place[0], tests[0]
    try:
        patch = Patch(symbol or "", room or (file or "").strip("/"), changes)
    except ValueError as error:
        raise Malformed(f"{where}: {error}") from error
    return Mutant(title[1], title[2], where, patch, lane, by, bool(is_sanitized), bool(hangs))
