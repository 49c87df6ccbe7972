#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/primitives.md that says which primitive has which way of waiting, made from the headers.

    scripts/check_ways.py            fails if the table is not what the headers have, or a hole has no reason
    scripts/check_ways.py --write    writes it
"""
import pathlib
import re
import sys

PAGE = pathlib.Path("docs/primitives.md")
BEGIN, END = "<!-- ways: made by scripts/check_ways.py --write -->", "<!-- ways: end -->"

# Column: what its function takes, as a pattern of the declaration.
LIMITS = r"[^;{]*\bLimits\b"
WAYS = {
    "try": r"",
    "block": r"",
    "for a time, until a stop": LIMITS,
    "guard, blocking": LIMITS,
    "await": r"",
    "await, with limits": LIMITS,
    "for a function, later": r"",
    "operation": r"",
}

# Row: its headers, and the function of each way; a text in brackets is why there is none.
NO_GUARD = "[holds nothing that ends with a scope]"
NO_FUNCTION = "[nothing is held meanwhile]"
PRIMITIVES = {
    "`AsyncLock`": (["async_lock", "async_lock_tasks"], ["try_lock", "lock", "lock", "scoped_lock", "lock_async",
                    "scoped_lock_async", "execute_locked", "locking"]),
    "`SharedLock`, exclusive": (["shared_lock"], ["try_lock", "lock", "lock", "scoped_lock", "lock_async",
                                "scoped_lock_async", "execute_locked", "locking"]),
    "`SharedLock`, shared": (["shared_lock"], ["try_lock_shared", "lock_shared", "lock_shared", "scoped_lock_shared",
                             "lock_shared_async", "scoped_lock_shared_async", "execute_locked_shared", "locking_shared"]),
    "`SharedLock`, upgradeable": (["shared_lock"], ["try_lock_upgradeable", "lock_upgradeable", "lock_upgradeable",
                                  "scoped_lock_upgradeable", "lock_upgradeable_async", "scoped_lock_upgradeable_async",
                                  "[the function would need the guard, to upgrade it]", "locking_upgradeable"]),
    "`SharedLock`, upgrade": (["shared_lock", "shared_lock_guards"], ["try_upgrade", "upgrade", "upgrade", "upgrade",
                              "upgrade_async", "upgrade_async", NO_FUNCTION, "upgrading"]),
    "`Semaphore`": (["semaphore"], ["try_acquire", "acquire", "acquire", "scoped_acquire", "acquire_async", "acquire_async",
                    "[permits may be kept beyond a function: await them]", "acquiring"]),
    "`Guarded`": (["guarded"], ["try_lock", "lock", "lock", "lock", "lock_async", "lock_async", "with_lock_async",
                  "[its lock is hidden: `lock_async` is the way]"]),
    "`Condition`": (["condition"], ["[a wait ends by a notification that comes after it]", "wait", "wait",
                    "[it takes a guard, and gives it back]", "wait_async", "wait_async", NO_FUNCTION, "waiting"]),
    "`Event`": (["event", "ways_to_wait"], ["try_wait", "wait", "wait", NO_GUARD, "wait_async", "wait_async", NO_FUNCTION,
                "waiting"]),
    "`AutoResetEvent`": (["auto_reset_event", "ways_to_wait"], ["try_wait", "wait", "wait", NO_GUARD, "wait_async",
                         "wait_async", NO_FUNCTION, "waiting"]),
    "`Latch`": (["latch", "ways_to_wait"], ["try_wait", "wait", "wait", NO_GUARD, "wait_async", "wait_async", NO_FUNCTION,
                "waiting"]),
    "`Barrier`": (["barrier", "barrier_base"], ["try_wait", "arrive_and_wait", "arrive_and_wait", NO_GUARD, "arrive_and_wait_async",
                  "arrive_and_wait_async", NO_FUNCTION, "waiting"]),
    "`Channel`, send": (["channel"], ["try_send", "send", "send", NO_GUARD, "send_async", "send_async", NO_FUNCTION,
                        "sending"]),
    "`Channel`, receive": (["channel"], ["try_receive", "receive", "receive", NO_GUARD, "receive_async", "receive_async",
                           NO_FUNCTION, "receiving"]),
    "`ByteChannel`, send": (["byte_channel"], ["try_send", "send", "send", NO_GUARD, "send_async", "send_async", NO_FUNCTION,
                            "sending"]),
    "`ByteChannel`, receive": (["byte_channel"], ["try_receive", "receive", "receive", NO_GUARD, "receive_async",
                               "receive_async", NO_FUNCTION, "receiving"]),
    "`Once`": (["once"], ["try_begin", "call", "call", "begin", "begin_async", "begin_async", "call_async", "beginning"]),
    "`Lazy`": (["lazy"], ["try_get", "get", "get", NO_GUARD, "get_async", "get_async", "get_async",
               "[the value is made by a function, which an operation cannot run]"]),
    "a word": (["../atomics", "../operations"], ["[`load` it]", "wait", "wait", NO_GUARD, "wait_async", "wait_async",
               NO_FUNCTION, "waiting"]),
}


def declares(code, function, takes):
    """Whether a function of this name is declared that takes what the pattern says."""
    return any(re.match(takes, code[found.end():]) for found in re.finditer(rf"\b{function}\(", code))


def table(errors):
    """The table, and the reasons for its holes."""
    notes = {}
    lines = ["| | " + " | ".join(WAYS) + " |", "|---|" + "---|" * len(WAYS)]
    for primitive, (headers, functions) in PRIMITIVES.items():
        files = [next(pathlib.Path("include/futon").glob(f"**/sync/{header}.hpp")) for header in headers]
        code = re.sub(r"//.*", "", "\n".join(file.read_text() for file in files))
        cells = []
        for (way, takes), function in zip(WAYS.items(), functions, strict=True):
            if function.startswith("["):
                cells.append(f"– <sup>{notes.setdefault(function, len(notes) + 1)}</sup>")
                continue
            if not declares(code, function, takes):
                errors.append(f"{primitive} has no {function}() for the way '{way}' in {[str(f) for f in files]}")
            cells.append(f"`{function}`")
        lines.append(f"| {primitive} | " + " | ".join(cells) + " |")
    reasons = ["", *(f"<sup>{number}</sup> {reason[1:-1]}." for reason, number in notes.items())]
    return "\n".join(lines + [reasons[0]] + ["  \n".join(reasons[1:])])


def main():
    errors = []
    made = table(errors)
    page = PAGE.read_text()
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    wanted = f"{page[:begin]}\n{made}\n{page[end:]}"
    if "--write" in sys.argv[1:]:
        PAGE.write_text(wanted)
    elif page != wanted:
        errors.append(f"{PAGE}: the table of ways is not what the headers have: run scripts/check_ways.py --write")
    print("\n".join(errors) or f"Ways: {len(PRIMITIVES)} primitives have each way, or a reason")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
