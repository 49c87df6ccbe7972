#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks who includes whom: a file includes its own room and those it stands on, never sideways and never up; and only
the platform names the threads, locks and clocks of the standard library."""

import pathlib
import re
import sys

# Each room and those below it.
STANDS_ON = {
    "platform": set(),
    "core": {"platform"},
    "tables": {"core", "platform"},
    "memory": {"core", "platform"},
    "agent": {"core", "platform"},
    "atomics": {"memory", "agent", "tables", "core", "platform"},
    "sync": {"atomics", "memory", "agent", "core", "platform"},
    "all": {"sync", "atomics", "memory", "agent", "core", "platform"},
}

ROOM_OF_HEADER = {
    "futon/futon.hpp": "all",
    "futon/version.hpp": "core",
    "futon/detail/atomic.hpp": "platform",
    "futon/detail/this_thread.hpp": "platform",
    "futon/detail/contract.hpp": "core",
    "futon/wait_result.hpp": "core",
    "futon/deadline.hpp": "core",
    "futon/job.hpp": "core",
    "futon/timer.hpp": "core",
    "futon/executor.hpp": "core",
    "futon/core/": "core",
    "futon/word.hpp": "memory",
    "futon/shared_array_buffer.hpp": "memory",
    "futon/typed_array.hpp": "memory",
    "futon/errors.hpp": "agent",
    "futon/agent.hpp": "agent",
    "futon/event_loop.hpp": "agent",
    "futon/promise.hpp": "agent",
    "futon/detail/promise_state.hpp": "agent",
    "futon/detail/agent_wait.hpp": "agent",
    "futon/atomics.hpp": "atomics",
    "futon/sync/async_lock.hpp": "sync",
}

FORBIDDEN_ABOVE_PLATFORM = re.compile(
    r"std::(mutex|recursive_mutex|shared_mutex|thread|jthread|condition_variable\w*)\b|steady_clock::now|"
    r"#include <(mutex|thread|condition_variable|shared_mutex|atomic)>"
)
NAMES_ATOMICS = {"include/futon/detail/atomic.hpp", "include/futon/word.hpp", "include/futon/atomics.hpp"}


def room_of(path):
    """The room of a file below include/ or src/, or of an included name; None if it is not ours."""
    path = path.removeprefix("include/").removeprefix("src/")
    if path in ROOM_OF_HEADER:
        return ROOM_OF_HEADER[path]
    if path.startswith("futon/core/"):
        return "core"
    first = path.split("/")[0]
    return first if first in STANDS_ON and "/" in path else None


def check(path, errors):
    room = room_of(path)
    if room is None:
        errors.append(f"{path}: belongs to no room; name it in {sys.argv[0]}")
        return
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        where = f"{path}:{number}"
        include = re.match(r'\s*#include ["<]([^">]+)[">]', line)
        if include:
            target = room_of(include[1])
            if target is None and include[1].startswith("futon/"):
                errors.append(f"{where}: {include[1]} belongs to no room")
            if target not in (None, room) and target not in STANDS_ON[room]:
                errors.append(f"{where}: {room} must not include {target} ({include[1]})")
        code = line.split("//")[0]
        forbidden = FORBIDDEN_ABOVE_PLATFORM.search(code)
        if forbidden and room != "platform" and not (path in NAMES_ATOMICS and forbidden[0] == "#include <atomic>"):
            errors.append(f"{where}: only the platform may name {forbidden[0]}")


def main():
    errors = []
    files = sorted(str(p) for root in ("include", "src") for p in pathlib.Path(root).rglob("*.[ch]pp"))
    for path in files:
        check(path, errors)
    print("\n".join(errors) if errors else f"Layers: {len(files)} files keep to their rooms")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
