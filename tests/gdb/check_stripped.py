# SPDX-License-Identifier: MIT
"""Run by gdb on the program that hangs at each primitive, with a library whose debug symbols are not there: what a word says is
shown, and all else fails with the name of the package to install. See session.py."""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(sys._getframe().f_code.co_filename)))
from session import run, wrong_answers, wrong_printing, wrong_uses  # noqa: E402

PACKAGE = os.environ["FUTON_GDB_PACKAGE"]
INSTALL = f"install {PACKAGE} (Debian)"

PRINTED = {
    "server.locks.held": r"^futon::AsyncLock \(held, has waiters\)$",
    "server.locks.strict": r"^futon::AsyncLock \(held, strict, has waiters\)$",
    "server.locks.upgrading": r"^futon::SharedLock \(held shared by 1, upgradeable by one, upgrading, has waiters(, closed)?\)$",
    "server.permits": r"^futon::Semaphore \(2 permits free, has waiters",
    "server.events.changed": r"^futon::Condition \(has waiters\)$",
    "server.events.ready": r"^futon::Event \(not set, has waiters\)$",
    "server.events.started": r"^futon::Latch \(3 left, has waiters\)$",
    "server.events.round": r"^futon::Barrier<> \(phase 0 lacks 2 arrivals of 4, has waiters\)$",
    "server.channels.full": r"^futon::Channel<int> \(2 of 2 items, has senders\) = \{1, 2\}$",
    "server.making": r"^futon::Lazy<int> \(begun, has waiters\)$",
    "*fulfilled": r"^futon::Promise<int> \(fulfilled\) = \{value = 42\}$",
    "*the_loop": r"^futon::EventLoop \(the library has no debug information\)$",
}

ANSWERS = {
    "futon show server.locks.held": [
        r"^futon::AsyncLock at 0x[0-9a-f]+ <server\.locks\.held>: held, has waiters$", "^  held: an owner has it",
        r"^The wait queues are not found\. .*: " + re.escape(INSTALL)],
    "futon show server": [r"^Server at 0x[0-9a-f]+, with 30 primitives:$", r"^  \.permits: futon::Semaphore \(2 permits free",
                          re.escape(INSTALL)],
}

WRONG_USES = dict.fromkeys(("futon waiters", "futon waiters server.permits", "futon loops", "futon show the_loop"), INSTALL)


def what_is_wrong():
    yield from wrong_printing(PRINTED)
    yield from wrong_answers(ANSWERS)
    yield from wrong_uses(WRONG_USES)


run(what_is_wrong)
