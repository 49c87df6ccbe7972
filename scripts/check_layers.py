#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks who includes whom. A room is a folder: `include/futon/core/queue/`, `include/futon/detail/queue/` and `src/queue/` are one.
The rooms stand one upon the other, in the order of ROOMS: a file includes its own room and those below it, never one above.
And only the platform names the threads, locks and clocks of the standard library.

What is built on the library (bindings/, adapters/, examples/) includes public headers only: nothing of src/, nothing of
futon/detail/; and its CMakeLists name no folder of src/.
"""

import pathlib
import re
import sys

# From the bottom up.
ROOMS = ("explorer", "platform", "base", "queue", "memory", "operation", "loop", "driver", "atomics", "sync", "all", "diagnostics", "top")

# The headers of users, which lie in futon/ itself, by the room whose face they are.
FACES = {
    "platform": "native_handle version",
    "base": "deadline executor fairness job limits timer wait_result",
    "memory": "shared_array_buffer typed_array word",
    "loop": "agent errors event_loop promise promise_combine promise_source scope",
    "driver": "operations select sleep",
    "atomics": "atomics change_and_notify pause wait_async_result",
    "all": "core futon",
    "diagnostics": "diagnostics watched_mutex",
}
ROOM_OF_FACE = {f"{name}.hpp": room for room, names in FACES.items() for name in names.split()}
# What is for the tests of programs stands on the queues, and starts threads of its own.
CONFORMANCE = "conformance"

# Folders of src/platform that others may include, and by which: a platform otherwise keeps to itself.
SHARED_BY = {"address_wait": {"linux", "windows", "emscripten", "model"}, "processor": {"linux", "windows"},
             "posix": {"linux", "generic"}, "unhosted": {"linux", "windows", "generic", "model"},
             "generic": {"windows", "emscripten", "model"}}

FORBIDDEN_ABOVE_PLATFORM = re.compile(
    r"std::(mutex|recursive_mutex|shared_mutex|thread|jthread|condition_variable\w*)\b|steady_clock::now|"
    r"#include <(mutex|thread|condition_variable|shared_mutex|atomic)>"
)
# A lock's guard takes std::adopt_lock.
NAMES_LOCK_TAGS = {"include/futon/sync/async_lock_guard.hpp", "include/futon/detail/sync/async_lock_operation.hpp",
                   "include/futon/sync/shared_lock_guards.hpp", "include/futon/detail/sync/shared_lock_operations.hpp",
                   "src/sync/async_lock.cpp"}
NAMES_ATOMICS = {"include/futon/detail/atomic.hpp", "include/futon/detail/atomics/atomics_misuse.hpp", "include/futon/detail/lock_order.hpp", "include/futon/word.hpp"}

ON_TOP = ("bindings", "adapters", "examples")
PRIVATE_FOLDER = re.compile(r"(FUTON_SOURCE_DIR|PROJECT_SOURCE_DIR|futon_SOURCE_DIR)\}/src\b|"
                            r"TARGET_PROPERTY:futon(::futon)?,INCLUDE_DIRECTORIES|src/platform/")

# Private headers that are used all the same, as (file, header). An entry that is no longer needed is an error, so the list
# can only shrink.
KNOWN_EXCEPTIONS = {
    # The second addon of Node is a part of the diagnostics: it tells them what no probe can.
    ("bindings/node/CMakeLists.txt", "FUTON_SOURCE_DIR}/src"),
    ("bindings/node/src/diagnosis.hpp", "diagnostics/runtime.hpp"),
    ("bindings/node/src/diagnostics.cpp", "diagnostics/report.hpp"),
}


def room_of(path):
    """The room of a file of the library or the explorer, or of an included name; None if it is not ours."""
    for root in ("include/", "src/", "tools/explorer/include/"):
        path = path.removeprefix(root)
    if path.startswith(("tools/explorer/", "futon/explorer")):
        return "explorer"
    if path.startswith("tools/top/"):
        return "top"
    if path.startswith("futon_platform/"):
        return "platform"
    if not path.startswith("futon/"):
        first = path.split("/")[0]
        return first if first in ROOMS and "/" in path else None
    folders, name = path.split("/")[1:-1], path.split("/")[-1]
    if not folders:
        return ROOM_OF_FACE.get(name)
    if CONFORMANCE in folders:
        return CONFORMANCE
    if folders[0] in ("core", "detail"):  # those that lie in it itself: seams, and what every room may use
        return folders[1] if len(folders) > 1 else {"core": "base", "detail": "platform"}[folders[0]]
    return folders[0] if folders[0] in ROOMS else None


def stands_on(room):
    """The rooms below one."""
    return {"explorer", "platform", "base", "queue"} if room == CONFORMANCE else set(ROOMS[: ROOMS.index(room)])


def includes_of(path):
    for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
        include = re.match(r'\s*#include ["<]([^">]+)[">]', line)
        yield number, line.split("//")[0], include[1] if include else None


def platform_folder(path):
    """Which folder of src/platform a file or an included name lies in; None if in none, as the contracts."""
    parts = path.removeprefix("src/").split("/")
    return parts[1] if parts[0] == "platform" and len(parts) > 2 else None


def check(path, errors):
    room = room_of(path)
    if room is None:
        errors.append(f"{path}: belongs to no room; name it in {sys.argv[0]}")
        return
    folder = platform_folder(path)
    for number, code, included in includes_of(path):
        where = f"{path}:{number}"
        if included:
            target = room_of(included)
            if target is None and included.startswith("futon/"):
                errors.append(f"{where}: {included} belongs to no room")
            if target not in (None, room) and target not in stands_on(room):
                errors.append(f"{where}: {room} must not include {target} ({included})")
            if target == "explorer" and room == "platform" and folder != "model":
                errors.append(f"{where}: of the platforms only the model knows the explorer ({included})")
            if target == "platform" and (included.startswith("futon_platform/") or platform_folder(included)):
                other = platform_folder(included)
                if room != "platform":
                    errors.append(f"{where}: a platform's own files are for the platform; include its contract ({included})")
                elif other not in (None, folder) and folder not in SHARED_BY.get(other, ()):
                    errors.append(f"{where}: {folder} must not include {other} ({included})")
        forbidden = FORBIDDEN_ABOVE_PLATFORM.search(code)
        if forbidden and room not in ("platform", "explorer", "conformance", "diagnostics", "top"):
            is_allowed = (path in NAMES_ATOMICS and forbidden[0] == "#include <atomic>") or (
                path in NAMES_LOCK_TAGS and forbidden[0] == "#include <mutex>")
            if not is_allowed:
                errors.append(f"{where}: only the platform may name {forbidden[0]}")


# What each public header begins and ends with, those of adapters, too.
FRAME = {"futon/detail/begin.hpp", "futon/detail/end.hpp"}


def is_private(included, path):
    """Whether what a file on top of the library includes is of the library's inside."""
    if included in FRAME:
        return False
    if (pathlib.Path(path).parent / included).exists():
        return False  # its own
    return included.startswith("futon/detail/") or (not included.startswith("futon/") and room_of(included) is not None)


def check_on_top(path, errors, used):
    for number, code, included in includes_of(path):
        found = included if included and is_private(included, path) else None
        if path.endswith((".txt", ".cmake")):
            folder = PRIVATE_FOLDER.search(code)
            found = folder[0] if folder else None
        if found and (path, found) in KNOWN_EXCEPTIONS:
            used.add((path, found))
        elif found:
            errors.append(f"{path}:{number}: only public headers may be used here ({found})")


def files_below(roots, endings):
    found = (p for root in roots for p in pathlib.Path(root).rglob("*") if p.name.endswith(endings))
    return sorted(str(p) for p in found if not {"node_modules", "build", "library"} & set(p.parts))


def main():
    errors, used = [], set()
    files = files_below(("include", "src", "tools"), (".hpp", ".cpp"))
    for path in files:
        check(path, errors)
    on_top = files_below(ON_TOP, (".hpp", ".cpp", ".h", "CMakeLists.txt", ".cmake"))
    for path in on_top:
        check_on_top(path, errors, used)
    errors += [f"{path}: no longer uses {what}; take it out of KNOWN_EXCEPTIONS" for path, what in KNOWN_EXCEPTIONS - used]
    if errors:
        print("\n".join(errors))
    else:
        print(f"Layers: {len(files)} files keep to their rooms, {len(on_top)} on top of them to what is public"
              + (f" but for {len(used)} known exceptions" if used else ""))
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
