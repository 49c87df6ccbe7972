# SPDX-License-Identifier: MIT
"""How gdb prints futon's types."""

import gdb
import gdb.printing
import gdb.types

from futon_gdb.lock import LockState
from futon_gdb.loops import Loop
from futon_gdb.tasks import awaited_by
from futon_gdb.values import first_pointer, nanoseconds, plain, until


class AsyncLock:
    """An AsyncLock: its state in a few words."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"futon::AsyncLock ({LockState(self.value).summary()})"


class Guard:
    """A guard of an AsyncLock."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        lock = self.value["lock_"]
        if int(lock) == 0:
            return f"futon::AsyncLock::Guard (owns nothing: {self.value['result_'].format_string()})"
        return f"futon::AsyncLock::Guard (owns {int(lock):#x})"


class Word:
    """A word: where it is, and what it holds."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        cell = self.value["cell_"]
        name = str(self.value.type.strip_typedefs().unqualified())
        try:
            holds = cell.dereference().format_string()
        except gdb.MemoryError:
            holds = "not readable"
        return f"{plain(name)} at {int(cell):#x} = {holds}"


class Deadline:
    """A deadline: never, due, or how long until it comes."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        time = nanoseconds(self.value["moment_"])
        if time == 2**63 - 1:
            return "futon::Deadline (never)"
        if time == -(2**63):
            return "futon::Deadline (due)"
        return f"futon::Deadline ({until(time)})"


class WaitResult:
    """A WaitResult, as to_string spells it."""

    NAMES = {"ok": "ok", "not_equal": "not-equal", "timed_out": "timed-out", "cancelled": "cancelled"}

    def __init__(self, value):
        self.value = value

    def to_string(self):
        number = int(self.value)
        for field in self.value.type.strip_typedefs().fields():
            if field.enumval == number:
                name = field.name.rpartition("::")[2]
                return f"futon::WaitResult ({self.NAMES.get(name, name)})"
        return f"futon::WaitResult (invalid: {number})"


class Promise:
    """A promise: whether it has settled, and what awaits it."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        name = plain(str(self.value.type.strip_typedefs().unqualified()))
        state = self.value["state_"]
        if int(state) == 0:
            return f"{name} (moved from)"
        try:
            status = str(state["status_"]).rpartition("::")[2]
            return f"{name} ({', '.join(filter(None, [status, awaited_by(state.dereference())]))})"
        except gdb.MemoryError:  # one that is not made yet, or was destroyed
            return f"{name} (not readable)"


class EventLoop:
    """An event loop: what it is at."""

    def __init__(self, value):
        self.value = value

    def loop(self):
        """What it is at; or, in words, why that is not known."""
        try:
            return Loop(self.value) if int(first_pointer(self.value["loop_"])) != 0 else "ended"
        except gdb.error:
            return "the library has no debug information"

    def to_string(self):
        name = plain(str(self.value.type.strip_typedefs().unqualified()))
        loop = self.loop()
        return f"{name} ({loop if isinstance(loop, str) else loop.state()})"

    def children(self):
        loop = self.loop()
        if isinstance(loop, str):
            return
        yield "jobs", loop.jobs
        yield "timers", len(loop.ticks)
        if loop.ticks:
            yield "next timer", loop.next_timer()
        yield "waits", loop.waits
        yield "closed", "yes" if loop.is_closed else "no"


class Printers(gdb.printing.PrettyPrinter):
    """By the type's name."""

    BY_NAME = {
        "futon::AsyncLock": AsyncLock,
        "futon::AsyncLock::Guard": Guard,
        "futon::Deadline": Deadline,
        "futon::WaitResult": WaitResult,
        "futon::EventLoop": EventLoop,
        "futon::core::LoopExecutor": EventLoop,
    }
    BY_TEMPLATE = {"futon::Word<": Word, "futon::Promise<": Promise}

    def __init__(self):
        names = [*self.BY_NAME, *(name[:-1] for name in self.BY_TEMPLATE)]
        super().__init__("futon", [gdb.printing.SubPrettyPrinter(name) for name in names])

    def __call__(self, value):
        name = plain(gdb.types.get_basic_type(value.type).name)
        printer = self.BY_NAME.get(name)
        if printer is None and name.endswith(">"):
            printer = next((made for begin, made in self.BY_TEMPLATE.items() if name.startswith(begin)
                            and ">::" not in name), None)
        if printer is None or value.is_optimized_out or not self.is_on(name.partition("<")[0]):
            return None
        return printer(value)

    def is_on(self, name):
        return all(sub.enabled for sub in self.subprinters if sub.name == name)


def register():
    gdb.printing.register_pretty_printer(None, Printers(), replace=True)
