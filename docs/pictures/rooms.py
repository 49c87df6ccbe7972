# SPDX-License-Identifier: MIT
"""The rooms of the library: the folders as they were until 0.5, and as they are, from the lists of scripts/check_layers.py."""

import importlib.util
import pathlib

from svg import Picture

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHAT = {
    "sync": "the primitives: one header each",
    "atomics": "wait, notify, wait_async",
    "driver": "ways to wait for any operation",
    "loop": "event loops, promises",
    "operation": "what is done: try, wait, arbiter",
    "memory": "words in any memory",
    "queue": "waiters and the wait queues",
    "base": "deadlines, limits, results",
    "platform": "the system: threads, clocks",
}
# Until 0.5: the folders, and which of them included which.
OLD = {"futon/": (40, 70), "futon/core/": (235, 70), "futon/sync/": (40, 180), "futon/detail/": (235, 180)}
BOTH_WAYS = (("futon/", "futon/core/"), ("futon/", "futon/sync/"), ("futon/core/", "futon/sync/"), ("futon/", "futon/detail/"),
             ("futon/core/", "futon/detail/"))
OLD_SOURCES = ("sync", "atomics", "drivers", "agent", "tables", "memory", "core", "platform")


def layers():
    spec = importlib.util.spec_from_file_location("check_layers", ROOT / "scripts/check_layers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [room for room in reversed(module.ROOMS) if room in WHAT], module.FACES


def edge(box, other):
    """Where the line between two boxes of 150 x 50 begins and ends."""
    (x, y), (to_x, to_y) = box, other
    centre, target = (x + 75, y + 25), (to_x + 75, to_y + 25)
    if y == to_y:
        return (x + 150, centre[1], to_x, target[1])
    if x == to_x:
        return (centre[0], y + 50, target[0], to_y)
    return (x + 150 if x < to_x else x, y + 50, to_x if x < to_x else to_x + 150, to_y)


def draw():
    rooms, faces = layers()
    picture = Picture(
        900, 660, "The rooms of the library, before and after",
        "Before: the folders futon, core, sync and detail included each other in both directions, and eight folders of sources had "
        "other names. After: one stack of rooms, each with the same name in all folders; a file includes its own room and those "
        f"below. From the top: {', '.join(rooms)}.")
    picture.text(210, 34, "before: each folder includes each other", "strong")
    picture.text(210, 270, "sources, by other names", "small")
    for name, (x, y) in OLD.items():
        picture.box(x, y, 150, 50, [name], "hot", ("code",))
    for one, other in BOTH_WAYS:
        x0, y0, x1, y1 = edge(OLD[one], OLD[other])
        picture.arrow((x0, y0), (x1, y1))
        picture.arrow((x1, y1), (x0, y0))
    x0, y0, x1, y1 = edge(OLD["futon/sync/"], OLD["futon/detail/"])
    picture.arrow((x0, y0), (x1, y1))
    for number, name in enumerate(OLD_SOURCES):
        picture.box(40 + 175 * (number % 2), 285 + 62 * (number // 2), 160, 46, [f"src/{name}/"], "box", ("code",))
    picture.text(450 + 215, 34, "after: one stack of rooms, from the top down", "strong")
    for number, room in enumerate(rooms):
        y = 52 + number * 64
        picture.box(450, y, 430, 54, [], "task" if number % 2 else "thread")
        picture.text(464, y + 23, room, "strong", "start")
        picture.text(464, y + 42, WHAT[room], "small", "start")
        public = faces.get(room, "futon/sync/" if room == "sync" else "").split()
        lines = [""]
        for name in public:
            if len(lines[-1]) + len(name) > 38:
                lines.append("")
            lines[-1] += (" " if lines[-1] else "") + name
        for row, line in enumerate(lines[:2]):
            picture.text(868, y + (23 if len(lines) > 1 else 32) + 19 * row, line, "small", "end")
        if number:
            picture.arrow((441, y - 36), (441, y + 20))
    y = 52 + len(rooms) * 64 + 8
    picture.text(450, y, "at the right: its users' headers, futon/….hpp. Its other headers are in", "small", "start")
    picture.text(450, y + 17, "core/<room>/ and detail/<room>/, its sources in src/<room>/.", "small", "start")
    return picture.svg()
